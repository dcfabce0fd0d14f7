"""A taxonomy for a column, proposed from its values: which kind fits, and what the owner should know of it.

It is learned from the data: its labels show which values occur, its ends where the extremes are, and the groups of
plain categories how the rows are spread. Whoever publishes it should have looked through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from discreet.assist.proposing.balanced import balanced, ordered
from discreet.assist.proposing.column import MISSING, MOST_STRAYS, date_form, date_forms, is_code, some_of
from discreet.assist.proposing.dates import dates
from discreet.assist.proposing.grouping import ProposedGroups
from discreet.assist.proposing.icd10 import are_icd10, icd10
from discreet.assist.proposing.notes import ROOT, notes_of
from discreet.assist.proposing.prefixes import prefixes, shaped
from discreet.assist.proposing.ranges import ranges
from discreet.assist.proposing.tally import ValueTally, count_values, texts_of
from discreet.columns.scale import Numbers, tells_days
from discreet.columns.taxonomy import Taxonomy
from discreet.columns.taxonomy_draft import MOST_LEAVES
from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.policy.spelling import yaml_name

if TYPE_CHECKING:
    from discreet.table.source import Table

Kind: TypeAlias = Literal["auto", "ranges", "dates", "prefix", "icd10", "ordered", "balanced"]
KINDS: tuple[str, ...] = get_args(Kind)
MOST_CATEGORIES = 1_000
"""Plain categories that are grouped without being asked; more are names or free text as a rule."""
MOST_STEPS = 20


@dataclass(frozen=True)
class Proposal:
    """A proposed taxonomy, what it was made from, and what the owner should know."""

    taxonomy: Taxonomy
    column: str
    kind: str
    steps: tuple[tuple[str, int], ...]
    """The levels, the finest first: a name and the number of groups."""
    notes: tuple[str, ...]
    distinct: int

    def to_dict(self, path: Path | None) -> dict[str, object]:
        """Return plain data, with the tree unless it is in a file."""
        return {
            "private": "PRIVATE: this was learned from the data. Look through it before others see it.",
            "column": self.column,
            "kind": self.kind,
            "values": self.distinct,
            "levels": [{"name": name, "groups": groups} for name, groups in self.steps],
            "notes": list(self.notes),
            "policy": policy_line(self, path),
            "file": None if path is None else str(path),
            **({"taxonomy": self.taxonomy.to_tree()} if path is None else {}),
        }


def propose_taxonomy(
    table: Table,
    column: str,
    kind: Kind = "auto",
    *,
    levels: int | None = None,
    steps: Sequence[object] | None = None,
    root: str | None = None,
    missing: Sequence[object] = (),
    fill: bool = True,
    date_format: str | None = None,
    order: Sequence[object] | None = None,
    file: FileOptions | None = None,
) -> Taxonomy:
    """Return a taxonomy for a column, to be looked through before it is used: it is learned from the data.

    Its labels show which values occur and about where the extremes are; how often values occur shapes balanced groups.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, or the path of a CSV or Parquet file.
    column
        The column.
    kind
        ranges: numbers by ranges with round ends; dates: by month, quarter, year and decade; prefix: codes by ever
        shorter beginnings; icd10: diagnoses by category, block and chapter; ordered: neighbours in the `order` of the
        owner; balanced: neighbours in the alphabet, in groups of about equal weight. auto: what fits.
    levels
        Levels of groups between the values and the root; as fits when absent.
    steps
        What the levels are, the finest first: widths of ranges (5, 10, 20), parts of dates ("month", "year"),
        characters kept of codes (3, 2), parts of ICD-10 ("block", "chapter"), or numbers of ordered or balanced groups
        (16, 4).
    root
        The label for all values; * when absent.
    missing
        Values that stand for a missing value: left out, as the policy's `missing` names them.
    fill
        List all whole numbers and days of the ranges, so that the tree does not tell which of them occur.
    date_format
        How dates are written, such as %d.%m.%Y; found out when absent.
    order
        The values from first to last, such as `["low", "medium", "high"]`: groups are neighbours in it.
    file
        How a text file is written; found out when absent.

    Raises
    ------
    InputError
        When the table cannot be read, has no such column, or the column cannot be grouped as asked.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"zip": ["10115", "10117", "10243", "80331"]})
    >>> print(propose_taxonomy(table, "zip").to_csv(), end="")
    10115;1011*;10***;*
    10117;1011*;10***;*
    10243;1024*;10***;*
    80331;8033*;80***;*
    """
    tally = count_values(table, column, missing, file)
    return propose(
        tally, kind, levels=levels, steps=steps, root=root, fill=fill, date_format=date_format, order=order
    ).taxonomy


def propose(
    tally: ValueTally,
    kind: str = "auto",
    *,
    levels: int | None = None,
    steps: Sequence[object] | None = None,
    root: str | None = None,
    fill: bool = True,
    date_format: str | None = None,
    order: Sequence[object] | None = None,
) -> Proposal:
    """Return a taxonomy for counted values, with what the owner should know of it."""
    said = _steps(levels, steps)
    _refuse_options(tally, kind, root, date_format)
    named = _order(kind, order)
    signs = [value for value in tally.values if value.strip() in MISSING]
    signs = signs if len(signs) < len(tally.values) else []
    apart = set(signs)
    kept = [place for place, value in enumerate(tally.values) if value not in apart]
    values, rows = [tally.values[place] for place in kept], [tally.rows[place] for place in kept]
    if kind == "auto" and named is not None:
        kind = "ordered"
    if kind == "auto":
        kind = "dates" if date_format is not None else recognise(tally.column, values)
        if kind == "balanced" and len(values) > MOST_CATEGORIES:
            raise _too_many(tally, len(values))
    form = date_format
    if kind == "dates" and form is None:
        form = date_form(tally.column, values)
    if named is not None:
        found = ordered(named, dict(zip(values, rows, strict=True)), said, levels).without(tally.missing)
    else:
        found = _grouped(kind, values, rows, said, levels, form, fill=fill).without(tally.missing)
    if not found.values:
        raise InputError(f"column {tally.column!r}: none of its values fits; use another kind")
    top = _root(tally, root)
    taxonomy = found.taxonomy(signs, top)
    _refuse_unwritable(taxonomy, tally)
    notes = notes_of(tally, kind, form, found, taxonomy, signs)
    made = tuple((level.name, len(level.labels)) for level in found.levels)
    return Proposal(taxonomy, tally.column, kind, made, notes, len(tally.values))


def _order(kind: str, order: Sequence[object] | None) -> list[str] | None:
    """Return the values in the order of the owner, where he says one."""
    if order is None:
        if kind == "ordered":
            raise InputError("order: is missing; write the values from first to last, such as low,medium,high")
        return None
    if kind not in ("auto", "ordered"):
        raise InputError(f"order: is for the kind ordered, not for {kind}")
    named = texts_of(order, "order")
    if len(named) < 2 or not all(named) or len(set(named)) < len(named):
        raise InputError("order: write two values or more, from first to last, each once, such as low,medium,high")
    return named


def _grouped(
    kind: str,
    values: Sequence[str],
    rows: Sequence[int],
    steps: Sequence[str] | None,
    levels: int | None,
    form: str | None,
    *,
    fill: bool,
) -> ProposedGroups:
    if kind == "balanced":
        return balanced(values, rows, steps, levels)
    if kind == "ranges":
        return ranges(values, steps, levels, fill=fill)
    if kind == "dates":
        return dates(values, form, steps, levels, fill=fill)
    if kind == "icd10":
        return icd10(values, steps, levels)
    return prefixes(values, steps, levels)


def recognise(column: str, values: Sequence[str]) -> str:
    """Return the kind of taxonomy that fits the values of a column.

    >>> recognise("age", ["17", "42"]), recognise("plz", ["10115", "80331"]), recognise("town", ["Oslo", "Rome"])
    ('ranges', 'prefix', 'balanced')
    """
    values = some_of(values)
    if are_icd10(column, values):
        return "icd10"
    if is_code(column, values):
        return "prefix"
    if date_forms(values):
        return "dates"
    numbers = sum(Numbers().read(value) is not None for value in values)
    if numbers and len(values) - numbers <= MOST_STRAYS * len(values):
        return "ranges"
    return "prefix" if shaped(values) and prefixes(values, None, None).levels else "balanced"


def _steps(levels: int | None, steps: Sequence[object] | None) -> list[str] | None:
    if levels is not None and not 1 <= levels <= MOST_STEPS:
        raise InputError(f"levels: write a number from 1 to {MOST_STEPS}")
    if steps is None:
        return None
    if levels is not None:
        raise InputError("levels, steps: the steps say how many levels there are; leave one of the two out")
    said = [step.strip() for step in texts_of(steps, "steps")]
    if not all(said) or not 1 <= len(said) <= MOST_STEPS:
        raise InputError(f"steps: write 1 to {MOST_STEPS} of them, the finest first")
    return said


def _refuse_options(tally: ValueTally, kind: str, root: str | None, date_format: str | None) -> None:
    if kind not in KINDS:
        raise InputError(f"kind: write one of {', '.join(KINDS)}")
    if not tally.values:
        raise InputError(f"column {tally.column!r} has no values")
    if len(tally.values) > MOST_LEAVES:
        raise InputError(f"column {tally.column!r} has more than {MOST_LEAVES:,} different values, too many for a tree")
    if date_format is not None and kind not in ("auto", "dates"):
        raise InputError(f"date_format: is for dates, not for the kind {kind}")
    if date_format is not None and not tells_days(date_format):
        raise InputError("date_format: must tell day, month and year (four digits) and no time, such as %d.%m.%Y")
    if root is not None and (not root or root in tally.values):
        raise InputError("root: write a text that is no value of the column")


def _too_many(tally: ValueTally, values: int) -> InputError:
    return InputError(
        f"column {tally.column!r} has {values:,} different values that are no numbers, dates or codes of one shape: "
        "groups of them would say little. If it names people, leave it out ('role: identifier'); "
        "kind 'balanced' or 'prefix' groups them all the same"
    )


def _root(tally: ValueTally, root: str | None) -> str:
    """Return the label for all values; the usual one may be a value."""
    if root is not None:
        return root
    taken = set(tally.values)
    labels = (ROOT, "any", *map("any ({})".format, range(2, len(taken) + 3)))
    return next(label for label in labels if label not in taken)


def _refuse_unwritable(taxonomy: Taxonomy, tally: ValueTally) -> None:
    try:
        taxonomy.to_csv()
    except ValueError as error:
        raise InputError(f"column {tally.column!r}: {error}") from None


def policy_line(proposal: Proposal, path: Path | None) -> str:
    """Return what to write under `columns` in the policy."""
    name = str(path) if path is not None else f"{proposal.column}.csv"
    return f"{yaml_name(proposal.column)}: {{taxonomy: {yaml_name(name)}}}"
