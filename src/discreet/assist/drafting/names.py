"""What the name of a column says of it, in the languages of Europe that most tables are written in.

Words of a name are compared without accents and capitals; stems are found inside of words too, as German writes them.
"""

from __future__ import annotations

import unicodedata

from discreet.assist.proposing.column import words_of

_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "æ": "ae", "ı": "i", "đ": "d"})


def _some(words: str) -> tuple[str, ...]:
    return tuple(words.split())


IDENTIFIER_WORDS = frozenset(
    _some("""
    id ids uid uuid guid key name names surname firstname lastname fullname forename vorname nachname
    familienname username login ssn nhs mrn email mail phone telephone tel telefon mobile fax iban passport
    address adresse street strasse url ip nom prenom nombre apellido apellidos cognome nome sobrenome naam
    voornaam achternaam imie nazwisko namn efternamn isim soyad soyadi correo courriel correio telefono telefone
    telefoon direccion indirizzo endereco adres rue calle rua dni nif nie cpf nss bsn pesel tckn personnummer
    matricola matricule codicefiscale pseudonym pseudonyme handy konto
""")
)
"""Words that say that a column names people; when in doubt, it is left out."""
NUMBER_WORDS = frozenset(_some("number nummer nr num numero numer no"))
"""Words of names that number people, or count something."""
IDENTIFIER_ENDS = ("nummer", "nr", "number", "id")
"""Ends of words such as Kundennummer."""

KNOWN_WORDS = frozenset(
    _some("""
    age alter edad eta idade leeftijd yas wiek alder sex gender sexo sexe sesso geslacht cinsiyet plec kon kjonn
    genre genero zip plz cap cp cep dob born state city town ort land pays pais paese country race raza canton
    kanton kreis job ville stadt
""")
)
KNOWN_STEMS = _some("""
    birth geburt naiss nacim nascit nascim geboor geboren dogum urodz fodelse zipcode postcode postal postleit
    postnum kodpocz geschlecht ciudad citta cidade gemeente sehir miasto wohnort commune comune municip gemeinde
    region county provin bundesland departement district bezirk quartier nation staatsang nacional occupation
    profes beruf metier ocupac beroep meslek zawod yrke educat bildung schul school etud estud istruz escolar
    opleid egitim wyksztal marital familienst matrimon civil ethnic ethnie language sprache langue idioma lingua
    employ arbeitgeber haushalt household menage hogar kinder children enfants hijos figli
""")
"""What somebody may know of another person: who he is, where he lives, what he does."""

SECRET_WORDS = frozenset(
    _some("""
    hiv aids drug drugs injury injuries wound dx wage debt party vote voto partei partido ingresos lohn lon maas
    gelir saldo solde score result outcome rating grade note ergebnis befund wunde
""")
)
SECRET_STEMS = _some("""
    diagnos disease illness krank maladie enferm malatt doenca ziekte hastalik chorob sjukdom condition symptom
    syndrom injur verletz blessur lesion trauma medik medicament medicin farmac therap treatment behandl trattam
    tratam infect infekt allerg handicap behinder disab invalid discap suicid addict icd10 salary income earning
    gehalt einkommen verdienst salaire revenu salario sueldo stipend reddito inkomen dochod credit kredit schuld
    dette deuda debito divida bankrupt insolv default defaut bonit impay morosid kontostand vermogen wealth
    patrimoni crime convict sanction straf delit wahlabs religio konfession orientation gewerksch sindicat
    arrears impag rueckstand
""")
"""What nobody should learn of another person: health, money, guilt, convictions."""


def folded(text: str) -> str:
    """Return a text without capitals and accents.

    >>> folded("Größe"), folded("Płeć"), folded("DOĞUM")
    ('grosse', 'plec', 'dogum')
    """
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def _words(name: str) -> set[str]:
    return {folded(word) for word in words_of(name)}


def names_people(name: str, distinct: int, rows: int) -> bool:
    """Whether a name says that the column names people; so many different values are in so many rows.

    >>> names_people("Kundennummer", 90, 100), names_people("number of children", 5, 100), names_people("plz", 90, 100)
    (True, False, False)
    """
    words = _words(name)
    if words & IDENTIFIER_WORDS:
        return True
    if is_known_by_name(name):
        return False
    numbers = words & NUMBER_WORDS or any(len(word) > 4 and word.endswith(IDENTIFIER_ENDS) for word in words)
    return bool(numbers) and (distinct > 20 or 2 * distinct > rows)


def is_known_by_name(name: str) -> bool:
    """Whether a name says that others may know the column of a person.

    >>> [is_known_by_name(name) for name in ("Geburtsjahr", "edad", "mileage", "État civil")]
    [True, True, False, True]
    """
    return bool(_words(name) & KNOWN_WORDS) or any(stem in folded(name) for stem in KNOWN_STEMS)


def is_secret_by_name(name: str) -> bool:
    """Whether a name says that the column is nobody else's business.

    >>> is_secret_by_name("Hauptdiagnose"), is_secret_by_name("ingresos"), is_secret_by_name("fecha_ingreso")
    (True, True, False)
    """
    return bool(_words(name) & SECRET_WORDS) or any(stem in folded(name) for stem in SECRET_STEMS)


def is_age(name: str) -> bool:
    """Whether a name says that the column has years of life.

    >>> is_age("Alter"), is_age("leeftijd"), is_age("wage")
    (True, True, False)
    """
    return bool(_words(name) & {"age", "alter", "edad", "eta", "idade", "leeftijd", "yas", "wiek", "alder", "ages"})
