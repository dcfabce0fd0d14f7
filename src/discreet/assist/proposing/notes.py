"""What the owner should know of a proposed taxonomy: what it tells of the data, what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from discreet.assist.proposing.column import MONTH, TIME
from discreet.assist.proposing.grouping import Fill, ProposedGroups
from discreet.assist.proposing.tally import ValueTally
from discreet.columns.taxonomy import Taxonomy

ROOT = "*"
"""The usual marker, and so the usual root."""


def notes_of(
    tally: ValueTally, kind: str, form: str | None, found: ProposedGroups, taxonomy: Taxonomy, signs: Sequence[str]
) -> tuple[str, ...]:
    """Return what the owner should know of a proposed taxonomy; `signs` seem to stand for a missing value."""
    return (
        _learned(kind, found),
        *_about_groups(kind, found, taxonomy),
        *_about_values(tally, kind, found, signs),
        *_other_ways(kind, form, found),
    )


def _about_groups(kind: str, found: ProposedGroups, taxonomy: Taxonomy) -> Iterator[str]:
    if not found.levels:
        yield "There are too few values for groups: each is released as itself or not at all."
    elif kind == "balanced":
        yield (
            "Its groups are neighbours in the alphabet and mean nothing yet: where the values have an order, say it "
            "(--order FIRST,...,LAST; in Python order=[...]), else put together what belongs together and rename it."
        )
    if found.levels and (alone := sum(map(len, (node.dropped for node in taxonomy.nodes[1:])))):
        yield (
            f"{_counted(alone, 'group has', 'groups have')} a single member, which is released in its place; "
            "put such groups together where you can."
        )


def _about_values(tally: ValueTally, kind: str, found: ProposedGroups, signs: Sequence[str]) -> Iterator[str]:
    if found.strays:
        yield f"{_counted(len(found.strays), 'value')} of another form beside the rest ({found.stray_name})."
    if signs:
        yield (
            f"{_counted(len(signs), 'value')} beside the rest may stand for a missing value: name them under 'missing' "
            "in the policy, or leave them as they are."
        )
    if tally.blank:
        yield (
            f"{_counted(tally.blank, 'cell has', 'cells have')} no value: say under 'missing' in the policy what "
            "becomes of such rows."
        )
    if ROOT in tally.values:
        yield f"The column has the value {ROOT}, the usual marker: the policy needs another 'marker'."
    if tally.total >= 10 and len(tally.values) >= 0.95 * tally.total and kind in ("balanced", "prefix"):
        yield "Nearly every row has a value of its own: if the column names people, 'role: identifier' leaves it out."


def _other_ways(kind: str, form: str | None, found: ProposedGroups) -> Iterator[str]:
    """Yield what does without a taxonomy."""
    if kind == "ranges" and not found.strays:
        yield "'type: number' needs no taxonomy: its intervals are cut wherever that loses least."
    if kind == "dates" and not found.strays and form != MONTH:
        said = "" if form in (None, TIME) else f', date_format: "{form}"'
        yield f"'type: date{said}' needs no taxonomy: its intervals are cut wherever that loses least."


def _learned(kind: str, found: ProposedGroups) -> str:
    if found.filled is Fill.ALL:
        listed = "numbers" if kind == "ranges" else "dates"
        return (
            f"Learned from the data: it lists {listed} whether they occur or not, but its first and last ranges tell "
            "about where the extremes are. Look through it before others see it."
        )
    what = "which values occur"
    if kind in ("ranges", "dates"):
        what += ", the smallest and largest among them"
    if found.filled is Fill.ENDS:
        what += " (the ends of its ranges are listed too, and need not occur)"
    more = " How often they occur shapes the groups." if kind in ("balanced", "ordered") and found.levels else ""
    return (
        f"Learned from the data: it shows {what}.{more} Keep it as private as the table until you have looked "
        "through it."
    )


def _counted(count: int, noun: str, nouns: str | None = None) -> str:
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"
