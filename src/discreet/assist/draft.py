"""A first policy for a table: what its columns look like, what may identify people, what the owner must decide.

Guesses only, each with its reason. Sensitive columns are never chosen here: that is for the owner to do, so a
draft promises nothing until he has. No value of the table is written into a draft, but for the usual signs of
a missing value.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from discreet.assist.proposing.column import MISSING, MONTH, TIME, are_numbers, date_forms, kind_of, read_date, words_of
from discreet.fit.persons import repeated
from discreet.policy import FileOptions
from discreet.policy.spelling import yaml_name
from discreet.table.by_name import by_names, nameless
from discreet.table.formats.place import place_of
from discreet.table.local import LocalEngine
from discreet.table.source import read_file
from discreet.version import __version__

MOST_KNOWN = 6
"""Columns an adversary is first supposed to know."""
SAMPLE = 100_000
"""Rows looked at."""
MANY = 8
"""Values of a category beyond which a taxonomy is offered."""
FEW_VALUES = 4
"""Values of a secret beyond which a draft asks about any of them."""
_IDENTIFIER = {
    "id", "ids", "uid", "uuid", "name", "names", "surname", "firstname", "lastname", "fullname", "forename", "vorname",
    "nachname", "username", "login", "ssn", "nhs", "mrn", "email", "mail", "phone", "telephone", "tel", "telefon",
    "mobile", "fax", "iban", "passport", "address", "adresse", "street", "strasse", "straße", "url", "ip", "number",
    "nummer", "nr",
}  # fmt: skip
"""Words of a column's name that say it names people; when in doubt, it is left out."""
_KNOWN = re.compile(
    r"age$|birth|born|dob|sex|gender|zip|post(al)?.?code|city|town|region|county|country|state|job|occupation|profession|"
    r"education|school|marital|race|ethnic|nation|relig|language|employ|geburt|geschlecht|plz|stadt|wohnort|beruf|"
    r"familienstand",
    re.IGNORECASE,
)
_SENSITIVE = re.compile(
    r"diagnos|disease|illness|condition|symptom|drug|therapy|treatment|hiv|salary|income|wage|debt|credit|bankrupt|"
    r"default|rating|crime|convict|sanction|party|vote|religion|orientation|disab|score|result|krank|befund|einkommen|"
    r"gehalt",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ColumnLook:
    """What one column looks like."""

    name: str
    kind: str
    distinct: int
    missing: dict[str, int] = field(default_factory=dict)
    type: str | None = None
    """How to say that it is a column of numbers or dates; None for others."""
    identifier: str | None = None
    """Why it seems to name people, if it does."""
    known_by_name: bool = False
    sensitive_by_name: bool = False

    @property
    def wants_groups(self) -> bool:
        """Whether a taxonomy would be work to write by hand."""
        return self.type is None and self.distinct > MANY


@dataclass(frozen=True)
class PolicyDraft:
    """A drafted policy and what it was guessed from."""

    text: str
    looks: tuple[ColumnLook, ...]
    known: tuple[str, ...]
    unique: float
    """Share of rows that the known columns single out."""
    warnings: tuple[str, ...] = ()
    """What promises about groups would not mean on this table."""


def taxonomy_command(table: str, column: str) -> str:
    """Return the command that proposes a taxonomy for a column."""
    return shlex.join(["discreet", "taxonomy", table, column])


def draft_policy(table: str | Path, options: FileOptions | None = None) -> PolicyDraft:
    """Return a commented policy to start from, for the table in a file."""
    source = read_file(place_of(table), options or FileOptions())
    frame = pl.DataFrame([source.texts(column).alias(column) for column in source.columns if source.has_text(column)])
    frame = frame.sample(SAMPLE, seed=0) if frame.height > SAMPLE else frame
    decimal = source.form.options.decimal or _decimal(source, frame)
    looks = tuple(_look(column, decimal) for column in frame.iter_columns())
    known, unique = _known_columns(frame, [look for look in looks if look.identifier is None])
    shared = tuple(_shared(source, looks))
    warnings = tuple(repeated(*each) for each in shared)
    text = _write(source, place_of(table).name, looks, known, unique, shared, decimal)
    return PolicyDraft(text, looks, known, unique, warnings)


def _decimal(source: LocalEngine, frame: pl.DataFrame) -> str:
    """Return a comma where numbers of a file with semicolons have one before their decimals, and none has a point."""
    if source.form.dialect is None or source.form.dialect.separator != ";":
        return "."
    some = [nameless(column).drop_nulls() for column in frame.iter_columns()]
    decimals = [values for values in some if kind_of("", values.filter(~values.is_in(list(MISSING)))) == "decimal"]
    commas = any(values.str.contains(",", literal=True).any() for values in decimals)
    return "," if commas and not any(values.str.contains(".", literal=True).any() for values in decimals) else "."


def _shared(source: LocalEngine, looks: Sequence[ColumnLook]) -> Iterator[tuple[str, int, int]]:
    """Yield each identifier that several rows share, with the rows that have one, and how many there are."""
    for look in looks:
        found = source.named(look.name, MISSING) if look.identifier else None
        if found is not None and found[1] < found[0]:
            yield look.name, *found


def _look(column: pl.Series, decimal: str) -> ColumnLook:
    values = nameless(column).drop_nulls()
    signs = {sign: int(count) for sign in MISSING if (count := (values == sign).sum())}
    if column.null_count():
        signs[""] = column.null_count()
    present = values.filter(~values.is_in(list(MISSING)))
    distinct = present.n_unique()
    kind = kind_of(column.name, present)
    return ColumnLook(
        column.name,
        kind,
        distinct,
        signs,
        _type(kind, present, decimal),
        _why_identifier(column.name, kind, present, distinct),
        bool(_KNOWN.search(column.name)),
        bool(_SENSITIVE.search(column.name)),
    )


def _type(kind: str, values: pl.Series, decimal: str) -> str | None:
    """Return the type of a column as a policy says it, where it can be cut into intervals."""
    some = values.unique().head(1000).to_list()
    if kind in ("number", "decimal"):
        return "{type: number}" if are_numbers(some, decimal) else None
    if kind != "date":
        return None
    forms = date_forms(some)
    if len(forms) != 1 or forms[0] == MONTH or any(read_date(value, forms[0]) is None for value in some):
        return None
    return "{type: date}" if forms[0] in (None, TIME) else f'{{type: date, date_format: "{forms[0]}"}}'


def _why_identifier(name: str, kind: str, values: pl.Series, distinct: int) -> str | None:
    """Return why a column seems to name people; leaving one out too many does less harm than one too few."""
    rows = len(values)
    if kind == "text":
        return "free text may name people"
    if words_of(name) & _IDENTIFIER:
        return f"its name; {distinct} different values in {rows} rows"
    if kind in ("decimal", "date") or _KNOWN.search(name):
        return None
    if rows >= 10 and distinct >= 0.95 * rows:
        return f"{distinct} different values in {rows} rows"
    if kind == "category" and distinct > max(50, rows / 10):
        return f"{distinct} different texts in {rows} rows"
    return None


def _known_columns(frame: pl.DataFrame, looks: Sequence[ColumnLook]) -> tuple[tuple[str, ...], float]:
    """Return the columns that single people out together: the telling ones first, each adding the most."""
    left = [look for look in looks if look.distinct > 1 and not look.sensitive_by_name]
    chosen: list[str] = []
    groups = 1
    while left and len(chosen) < MOST_KNOWN:
        scored = [(look.known_by_name, frame.select(by_names([*chosen, look.name])).n_unique(), look) for look in left]
        _, more, best = max(scored, key=lambda score: score[:2])
        if more <= groups and not best.known_by_name:
            break
        chosen.append(best.name)
        left.remove(best)
        groups = more
    if not chosen or frame.is_empty():
        return (), 0.0
    alone = int(frame.select(by_names(chosen)).is_unique().sum())
    return tuple(name for name in frame.columns if name in chosen), alone / frame.height


def _write(
    source: LocalEngine,
    name: str,
    looks: Sequence[ColumnLook],
    known: Sequence[str],
    unique: float,
    shared: Sequence[tuple[str, int, int]],
    decimal: str,
) -> str:
    """Return the draft as YAML with comments."""
    rows = f"{source.rows} rows"
    lines = [
        f"# A policy for {name} ({rows}, {len(source.columns)} columns), drafted by discreet {__version__}.",
        "# Everything here is a guess. It promises nothing until you have filled in 'protect'.",
        "",
        "# What the release is for: general (least loss), counts (fewest hidden cells), {classify: COLUMN} or",
        "# {regress: COLUMN} to keep a column predictable.",
        "use: general",
        "",
        "# What must not be inferred: choose the sensitive columns and the values nobody should be sure of.",
        f"# An adversary is supposed to know {', '.join(known) or 'nothing'};",
        f"# together these single out {unique:.0%} of the rows. Add what else can be known of a person.",
        "protect:",
    ]
    candidates = [look for look in looks if look.identifier is None and look.name not in known]
    candidates.sort(key=lambda look: not look.sensitive_by_name)
    given = ", ".join(yaml_name(column) for column in known) or "COLUMN"
    for look in candidates[:8]:
        hint = "sensitive by its name; " if look.sensitive_by_name else ""
        # Of many values nobody can name all that harm: whichever it is, nobody should be sure of it.
        values = f"{look.distinct} different values ({look.kind})"
        value = "{any: true}" if look.type is None and look.distinct > FEW_VALUES else "VALUE"
        lines += [
            f"#  - infer: {{{yaml_name(look.name)}: {value}}}    # {hint}{values}",
            f"#    given: [{given}]",
            "#    at_most: 50%",
        ]
    lines += [
        "# Or, and also: so many rows must look alike to whoever knows these columns.",
        f"#  - {{k: 10, over: [{given}]}}",
        *(f"# Beware: {' '.join(repeated(*each).split())}." for each in shared),
    ]
    by_name = {look.name for look in looks if words_of(look.name) & _IDENTIFIER}
    lines += _unit(source, shared, by_name)
    lines += ["", *_columns(name, looks, known), "", *_missing(looks, known), *_file(source, decimal)]
    return "\n".join(lines).rstrip() + "\n"


def _unit(source: LocalEngine, shared: Sequence[tuple[str, int, int]], by_name: Collection[str]) -> list[str]:
    """Return whose rows are whose: said for the first identifier, by its name, that several rows share and all have."""
    lines: list[str] = []
    for name, rows, different in shared:
        off = "#" if lines or rows < source.rows or name not in by_name else ""
        about = f"{rows} rows of {different}"
        lines.append(f"{off}unit: {yaml_name(name)}    # {about}: promises count them, not rows")
    return ["", "# Whose row it is, where somebody has several.", *lines] if lines else []


def _columns(table: str, looks: Sequence[ColumnLook], known: Sequence[str]) -> list[str]:
    lines = ["# identifier: left out of the release. other: goes out unchanged, on purpose.", "columns:"]
    lines += [
        f"  {yaml_name(look.name)}: {{role: identifier}}    # {look.identifier} ({look.kind})"
        for look in looks
        if look.identifier
    ]
    for look in looks:
        if look.name in known:
            told = f"supposed to be known; {look.distinct} different values"
            if look.type is None:
                how = f" (`{taxonomy_command(table, look.name)}` proposes one)" if look.wants_groups else ""
                lines.append(f"# {look.name}: {told} ({look.kind}); a taxonomy lets it be released as groups{how}")
            else:
                lines.append(f"  {yaml_name(look.name)}: {look.type}    # {told}; released as intervals")
    rest = [look for look in looks if look.identifier is None and look.name not in known]
    lines += [
        f"#  {yaml_name(look.name)}: {{role: other}}    # {look.distinct} different values ({look.kind})"
        for look in rest
    ]
    return lines


def _missing(looks: Sequence[ColumnLook], known: Sequence[str]) -> list[str]:
    """Return what is to be said of missing values: for the owner to choose, unless an interval could not have them."""
    signs = _signs(looks)
    if not signs:
        return []
    told = ", ".join(f"{count} cells {'are empty' if sign == '' else f'hold {sign}'}" for sign, count in signs.items())
    needed = _signs([look for look in looks if look.type is not None and look.name in known])
    values = ", ".join(json.dumps(sign) for sign in needed or signs)
    said = (
        f"missing: {{values: [{values}], rows: value}}" if needed else f"#missing: {{values: [{values}], rows: drop}}"
    )
    return [f"# {told}. drop leaves such rows out; value and unknown keep them.", said, ""]


def _signs(looks: Sequence[ColumnLook]) -> dict[str, int]:
    """Return the signs of missing values, with the cells that have each."""
    signs: dict[str, int] = {}
    for look in looks:
        for sign, count in look.missing.items():
            signs[sign] = signs.get(sign, 0) + count
    return signs


def _file(source: LocalEngine, decimal: str) -> list[str]:
    dialect = source.form.dialect
    if dialect is None:
        return []
    encoding = "" if dialect.encoding.lower().replace("-", "") == "utf8" else f", encoding: {dialect.encoding}"
    header = "true" if dialect.header else "false"
    numbers = ', decimal: ","' if decimal == "," else ""
    return [
        "# As found in the file.",
        f"file: {{separator: {json.dumps(dialect.separator)}, header: {header}{encoding}{numbers}}}",
    ]
