"""The public method statement: what anybody needs to reckon what blind protection decided, and to check its promise.

`release.csv` has `release.csv.method.json` beside it. Nothing in it is secret: whose cells are confidential is taken
for known, and all else is reckoned from the released rows without confidential cells.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.common.printable import json_text
from discreet.errors import InputError
from discreet.version import __version__

FORM, BESIDE = 2, 3
"""That of a release beside earlier ones cannot be replayed by who does not know them."""
LEAVING, GROWING = "leaving", "growing"
"""How blocks are found: values leave one that is whole, or join what may not be told."""
RULES = {1: (GROWING,), FORM: (LEAVING, GROWING), BESIDE: (LEAVING, GROWING)}
"""By form: those that a statement may mean. The first form says nothing of it."""
KINDS = (None, "number", "date")
"""How columns may be read."""
WHAT = (
    "public method statement of a release: which rows have confidential cells, and by which rules, from the other rows "
    "alone, it was decided what is told of them. Publish it beside the release."
)


@dataclass(frozen=True)
class StatedColumn:
    """How the texts of a column are read, where not each is a value of its own."""

    type: str | None = None
    """`number` or `date`: read in classes."""
    cuts: tuple[str, ...] = ()
    """Where classes begin, but for the first."""
    decimal: str = "."
    date_format: str | None = None
    parents: Mapping[str, str] | None = None
    """The label above each label of a taxonomy."""


@dataclass(frozen=True)
class StatedRows:
    """Rows that are protected alike."""

    rows: tuple[int, ...]
    """Of the release, from 1."""
    secrets: tuple[str, ...]
    limits: tuple[tuple[tuple[Fraction, Fraction], ...], ...]
    """Of each secret: `at_most` and `margin`; the strictest counts."""
    predictors: tuple[str, ...]
    known: tuple[str, ...]


@dataclass(frozen=True)
class BlindStatement:
    """All that is said."""

    marker: str
    missing: tuple[str | None, ...]
    blocks: str
    references: tuple[str, ...]
    order: tuple[str, ...]
    columns: Mapping[str, StatedColumn]
    """Those of which there is something to say."""
    rows: tuple[StatedRows, ...]
    tau: Mapping[str, tuple[int, ...]]
    """For each secret how far likelihoods are trusted with 1, 2, ... facts, in twentieths."""
    rule: str = LEAVING
    """How blocks are found."""
    earlier: tuple[str, ...] = ()
    """The earlier releases of a ledger from which it started: what they told of the rows."""

    def moved(self, places: Sequence[int]) -> BlindStatement:
        """Return the same for rows that leave in another order: `places` are those where they were, from 0."""
        now = {place: new for new, place in enumerate(places)}
        moved = [replace(each, rows=tuple(sorted(now[row - 1] + 1 for row in each.rows))) for each in self.rows]
        return replace(self, rows=tuple(moved))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        columns: dict[str, Any] = {}
        for name, column in self.columns.items():
            said: dict[str, Any] = {"type": column.type, "cuts": list(column.cuts) if column.type else None}
            said |= {"decimal": column.decimal if column.type == "number" else None, "date_format": column.date_format}
            said["parents"] = None if column.parents is None else dict(column.parents)
            columns[name] = {field: value for field, value in said.items() if value is not None}
        return {
            "what": WHAT,
            "form": BESIDE if self.earlier else FORM,
            "discreet": __version__,
            "method": "blind",
            "marker": self.marker,
            "missing": list(self.missing),
            "blocks": self.blocks,
            "rule": self.rule,
            "references": list(self.references),
            "order": list(self.order),
            "columns": columns,
            "rows": [
                {
                    "secrets": {
                        name: [{"at_most": str(at_most), "margin": str(margin)} for at_most, margin in limits]
                        for name, limits in zip(each.secrets, each.limits, strict=True)
                    },
                    "predictors": list(each.predictors),
                    "known": list(each.known),
                    "rows": list(each.rows),
                }
                for each in self.rows
            ],
            "tau": {name: [step / 20 for step in steps] for name, steps in self.tau.items()},
            **({"earlier": list(self.earlier)} if self.earlier else {}),
        }

    def to_json(self) -> str:
        """Return the statement as JSON."""
        return json_text(self.to_dict()) + "\n"


def read_statement(said: Mapping[str, Any]) -> BlindStatement:
    """Return the statement that plain data make; raise `InputError` where they make none."""
    try:
        rules = RULES.get(said["form"], ())
        rule = said["rule"] if len(rules) > 1 else GROWING
        if rule not in rules or said["method"] != "blind":
            raise InputError("the method statement has a form that this version of discreet does not read")
        columns = {
            _text(name): StatedColumn(
                each.get("type"),
                tuple(map(_text, each.get("cuts", ()))),
                each.get("decimal", "."),
                each.get("date_format"),
                None if "parents" not in each else {_text(one): _text(other) for one, other in each["parents"].items()},
            )
            for name, each in said["columns"].items()
        }
        rows = tuple(
            StatedRows(
                tuple(map(_whole, each["rows"])),
                tuple(map(_text, each["secrets"])),
                tuple(
                    tuple((Fraction(one["at_most"]), Fraction(one["margin"])) for one in limits)
                    for limits in each["secrets"].values()
                ),
                tuple(map(_text, each["predictors"])),
                tuple(map(_text, each["known"])),
            )
            for each in said["rows"]
        )
        tau = {_text(name): tuple(round(step * 20) for step in steps) for name, steps in said["tau"].items()}
        statement = BlindStatement(
            _text(said["marker"]),
            tuple(None if text is None else _text(text) for text in said["missing"]),
            _text(said["blocks"]),
            tuple(map(_text, said["references"])),
            tuple(map(_text, said["order"])),
            columns,
            rows,
            tau,
            rule,
            tuple(map(_text, said.get("earlier", ()))),
        )
        if not _hangs_together(statement):
            raise ValueError
        return statement
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise InputError("not a whole method statement: a part is missing or has the wrong form") from None


def _hangs_together(said: BlindStatement) -> bool:
    """Whether every part means something beside the others."""
    places = [row for each in said.rows for row in each.rows]
    if len(set(places)) < len(places) or any(column.type not in KINDS for column in said.columns.values()):
        return False
    if any(not (column.date_format is None or isinstance(column.date_format, str)) for column in said.columns.values()):
        return False
    for each in said.rows:
        names = (*each.secrets, *each.predictors)
        if (
            not each.rows
            or not each.secrets
            or len(set(names)) < len(names)
            or not set(each.known) <= {*each.predictors}
        ):
            return False
        limits = [limit for several in each.limits for limit in several]
        if not all(each.limits) or not all(0 <= part <= 1 for limit in limits for part in limit):
            return False
    return True


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise TypeError
    return value


def statement_path(release: Path) -> Path:
    """Return where the method statement of a release stands.

    >>> statement_path(Path("release.csv")).name
    'release.csv.method.json'
    """
    return release.parent / f"{release.name}.method.json"


def read_statement_file(path: Path) -> BlindStatement | None:
    """Return the statement in a file; None when there is no such file."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        raise InputError(f"{path}: cannot be read as the method statement of the release beside it") from None
    try:
        if not isinstance(said, Mapping):
            raise InputError("not a method statement")
        return read_statement(said)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def stale_statement(release: Path) -> Path | None:
    """Return the statement that an earlier release of this name has left, if there is one written by discreet."""
    path = statement_path(release)
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return path if isinstance(said, Mapping) and said.get("what") == WHAT else None
