"""Three tables that are made for tests of the whole way: a hospital's, a survey's and a bank's, in three languages."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import polars as pl

Column = list[str]


def hospital(rows: int = 400) -> pl.DataFrame:
    """Stays of patients, in German: some come several times, with codes of ICD-10 and dates of admission."""
    draw = random.Random(7)
    patients = [
        (
            f"P{number:05}",
            draw.choice("mw"),
            date(1930, 1, 1) + timedelta(days=draw.randrange(30_000)),
            draw.choice(PLACES),
        )
        for number in range(rows * 3 // 4)
    ]
    stays = [draw.choice(patients) for _ in range(rows)]
    return pl.DataFrame(
        {
            "Patientennummer": [stay[0] for stay in stays],
            "Geschlecht": [stay[1] for stay in stays],
            "Geburtsdatum": [stay[2].strftime("%d.%m.%Y") for stay in stays],
            "PLZ": [stay[3] for stay in stays],
            "Aufnahmemonat": [f"2023-{draw.randrange(1, 13):02}" for _ in range(rows)],
            "Hauptdiagnose": [draw.choice(CODES) for _ in range(rows)],
            "Verletzung": [draw.choice(["keine", "keine", "keine", "Fraktur", "Prellung"]) for _ in range(rows)],
            "Liegedauer": [str(draw.randrange(1, 30)) for _ in range(rows)],
        }
    )


def survey(rows: int = 500) -> pl.DataFrame:
    """Answers of people, in Spanish: ordered words, a missing value here and there, convictions."""
    draw = random.Random(11)
    return pl.DataFrame(
        {
            "correo": [f"persona{number}@example.org" for number in range(rows)],
            "edad": [str(draw.randrange(18, 95)) if draw.random() > 0.02 else "" for _ in range(rows)],
            "sexo": [draw.choice(["mujer", "hombre"]) for _ in range(rows)],
            "municipio": [draw.choice(TOWNS) for _ in range(rows)],
            "estudios": [draw.choice(SCHOOLS) for _ in range(rows)],
            "religión": [draw.choice(["católica", "ninguna", "otra", "islam"]) for _ in range(rows)],
            "ingresos": [str(900 + int(draw.expovariate(1 / 1500)) // 50 * 50) for _ in range(rows)],
            "satisfacción": [str(draw.randrange(1, 6)) for _ in range(rows)],
        }
    )


def bank(rows: int = 300) -> pl.DataFrame:
    """Customers, in French: numbers with commas, and who is in arrears."""
    draw = random.Random(13)
    return pl.DataFrame(
        {
            "Numéro client": [f"{100_000 + 7 * number}" for number in range(rows)],
            "Année de naissance": [str(draw.randrange(1940, 2005)) for _ in range(rows)],
            "Code postal": [f"{draw.choice(['75', '69', '13'])}{draw.randrange(1, 21):03}" for _ in range(rows)],
            "Profession": [draw.choice(["cadre", "ouvrier", "retraité", "employé", "étudiant"]) for _ in range(rows)],
            "Solde": [f"{draw.gauss(4000, 2500):.2f}".replace(".", ",") for _ in range(rows)],
            "Défaut de paiement": [draw.choice(["non", "non", "non", "oui"]) for _ in range(rows)],
        }
    )


def write(table: pl.DataFrame, path: Path) -> Path:
    """Write a table as people of these countries do, with semicolons."""
    table.write_csv(path, separator=";")
    return path


PLACES = [f"{area}{number:03}" for area in ("01", "10", "80") for number in (67, 69, 97, 115, 117, 243, 331)]
CODES = ["E11.9", "E11.2", "E10.1", "I10", "I21.0", "I21.4", "J45.0", "J18.9", "S72.0", "S52.5", "C50.9", "F32.1"]
TOWNS = ["Toledo", "Cuenca", "Soria", "Teruel", "Lugo", "Huesca", "Zamora", "Palencia", "Ávila", "Segovia"]
SCHOOLS = ["ninguno", "primaria", "secundaria", "bachillerato", "universidad"]
