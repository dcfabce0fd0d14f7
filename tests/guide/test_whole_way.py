"""From a table to a release without a dead end: init, check, protect and audit, with the draft as it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import discreet as d
from discreet.cli.app import app
from tests.guide import tables

WAYS = [
    pytest.param(tables.hospital, 120, ["Hauptdiagnose", "Verletzung=Fraktur"], "research", id="hospital"),
    pytest.param(tables.survey, 150, ["religión", "ingresos"], "open-data", id="survey"),
    pytest.param(tables.bank, 150, ["Défaut de paiement=oui"], "internal", id="bank"),
]


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(("make", "rows", "secrets", "preset"), WAYS)
def test_the_whole_way(
    make: Callable[[int], pl.DataFrame], rows: int, secrets: list[str], preset: str, folder: Path
) -> None:
    tables.write(make(rows), folder / "t.csv")
    chosen = [word for secret in secrets for word in ("--secret", secret)]
    said = run("init", "t.csv", "--out", "p.yaml", "--preset", preset, *chosen).stdout
    assert "discreet check p.yaml --table t.csv" in said
    assert "discreet protect t.csv --policy p.yaml" in run("check", "p.yaml", "--table", "t.csv").stdout
    run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", "--seed", "1")
    run("audit", "r.csv", "-p", "p.yaml", "--original", "t.csv", "--time-limit", "0")
    released = pl.read_csv("r.csv", separator=";", infer_schema=False)
    assert set(released.columns) < set(make(rows).columns)


@pytest.mark.parametrize("make", [tables.hospital, tables.survey, tables.bank])
def test_a_draft_passes_check_without_any_choice(make: Callable[[int], pl.DataFrame], folder: Path) -> None:
    tables.write(make(80), folder / "t.csv")
    run("init", "t.csv", "--out", "p.yaml")
    run("check", "p.yaml", "--table", "t.csv")


@pytest.mark.slow
def test_guesses_in_three_languages(folder: Path) -> None:
    from discreet.assist.draft import draft_policy

    found = {
        make.__name__: draft_policy(tables.write(make(), folder / f"{make.__name__}.csv"))
        for make in (tables.hospital, tables.survey, tables.bank)
    }
    assert list(found["hospital"].identifiers) == ["Patientennummer"]
    assert list(found["hospital"].secrets) == ["Hauptdiagnose", "Verletzung"]
    assert {"Geschlecht", "Geburtsdatum", "PLZ", "Aufnahmemonat"} <= set(found["hospital"].known)
    assert "\nunit: {id: Patientennummer, rows: unknown}" in found["hospital"].text
    assert list(found["survey"].identifiers) == ["correo"]
    assert list(found["survey"].secrets) == ["religión", "ingresos"]
    assert {"edad", "sexo", "municipio", "estudios"} <= set(found["survey"].known)
    assert '\nmissing: {values: [""], rows: value}\n' in found["survey"].text
    assert list(found["bank"].identifiers) == ["Numéro client"]
    assert list(found["bank"].secrets) == ["Solde", "Défaut de paiement"]
    assert {"Année de naissance", "Code postal", "Profession"} == set(found["bank"].known)


def test_groups_are_written_beside_the_draft_and_ends_are_round(folder: Path) -> None:
    tables.write(tables.hospital(150), folder / "t.csv")
    run("init", "t.csv", "--out", "p.yaml", "--known", "PLZ", "--known", "Hauptdiagnose", "--known", "Aufnahmemonat")
    policy = d.read_policy("p.yaml")
    trees = {name: policy.column(name).taxonomy for name in ("PLZ", "Hauptdiagnose", "Aufnahmemonat")}
    assert trees["PLZ"] is not None
    assert trees["PLZ"].ancestors("10115")[-2:] == ("10***", "*")
    assert trees["Hauptdiagnose"] is not None
    assert trees["Hauptdiagnose"].ancestors("E11.9")[1:] == ("E11.-", "E08-E14", "E00-E90", "*")
    assert trees["Aufnahmemonat"] is not None
    assert "2023-Q1" in trees["Aufnahmemonat"].ancestors("2023-02")
    assert (folder / "p-PLZ.csv").stat().st_mode & 0o077 == 0
    assert "exists already" in run("init", "t.csv", "--out", "p.yaml", code=2).stderr
    tables.write(tables.survey(150), folder / "s.csv")
    order = "estudios=ninguno,primaria,secundaria,bachillerato,universidad"
    run("init", "s.csv", "--out", "s.yaml", "--order", order, "--secret", "religión")
    policy = d.read_policy("s.yaml")
    assert policy.column("estudios").taxonomy is not None
    ends = policy.column("edad").ends
    assert ends is not None
    assert all(int(end or "x") % 5 == 0 for end in ends)


def test_choices_that_do_not_fit_are_refused_and_nothing_is_written(folder: Path) -> None:
    tables.write(tables.bank(60), folder / "t.csv")
    before = set(folder.iterdir())
    for words, said in (
        (["--secret", "Profesion"], "--secret: the table has no column 'Profesion'"),
        (["--secret", "Profession", "--known", "Profession"], "by --secret and by --known"),
        (["--known", "Profession", "--known", "Profession"], "twice by --known"),
        (["--secret", "Profession=pilote"], "no row has 'Profession' = 'pilote'"),
        (["--preset", "open"], "--preset: write one of open-data, research, internal"),
        (["--order", "Profession"], "--order: write the column and its values"),
    ):
        assert said in run("init", "t.csv", "--out", "p.yaml", *words, code=2).stderr
    assert set(folder.iterdir()) == before


def test_no_secret_is_found_and_that_is_said(folder: Path) -> None:
    (folder / "t.csv").write_text("farbe,form\n" + "rot,eckig\nblau,rund\n" * 10)
    said = run("init", "t.csv", "--out", "p.yaml").stdout
    assert "No column looks like a secret" in said
    assert "--secret COLUMN" in said
    run("check", "p.yaml", "--table", "t.csv")
    (folder / "names.csv").write_text("name,email\n" + "".join(f"n{n},m{n}\n" for n in range(20)))
    assert "every column seems to name people" in run("init", "names.csv", "--out", "q.yaml", code=2).stderr
    (folder / "empty.csv").write_text("age,ill\n")
    assert "no rows" in run("init", "empty.csv", "--out", "q.yaml", code=2).stderr
    assert not (folder / "q.yaml").exists()


ODD = [
    "age,ill\n1,a\n",
    "age,ill\n1,a\n1,a\n",
    "age,ill\n*,a\n12,*\n*,b\n",
    "zip,diagnosis\n01067,\n01069,HIV\n,HIV\n80331,flu\n",
    "id,age,ill\n" + "".join(f"{n % 30},{n % 7},{'ab'[n % 2]}\n" for n in range(60)),
    "id,age,diagnosis\n" + "".join(f"{'' if n == 3 else n % 25},{n},{n % 3}\n" for n in range(50)),
    'Größe (cm),a: b,"x, y"\n170,1,2\n180,1,2\n',
    "dob,icd\n" + "".join(f"{n % 28 + 1}.0{n % 9 + 1}.19{50 + n % 40},I{10 + n % 5}\n" for n in range(40)),
    "salary,sex\n" + "".join(f"{1000 * n},{'fm'[n % 2]}\n" for n in range(30)) + "?,f\n",
    "month,zip\n" + "".join(f"2024-{n % 12 + 1:02},{'*' if n == 0 else 10000 + n}\n" for n in range(40)),
]


@pytest.mark.parametrize("table", ODD)
@pytest.mark.parametrize("out", [True, False])
def test_whatever_the_table_a_draft_passes_check_or_says_why_there_is_none(table: str, out: bool, folder: Path) -> None:
    (folder / "t.csv").write_text(table, encoding="utf-8")
    result = CliRunner().invoke(app, ["init", "t.csv", *(["--out", "p.yaml"] if out else [])])
    if result.exit_code == 2:
        assert "--known" in result.stderr
        assert not (folder / "p.yaml").exists()
        return
    if not out:
        (folder / "p.yaml").write_text(result.stdout, encoding="utf-8")
    run("check", "p.yaml", "--table", "t.csv")
