"""Which group a row goes to and what is told of it, row by row: slow and obvious."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

import discreet as d
from discreet.columns.scale import Scale
from discreet.plan.local_groups import GroupColumn, Label, PlannedGroups

Row = Mapping[str, str | None]


def read(policy: d.Policy, column: str, value: str | None) -> object:
    """What a text stands for: two spellings of a number are one; None and missing values are themselves."""
    scale = policy.column(column).scale
    if scale is None or (policy.missing is not None and policy.missing.has(value)):
        return ("text", value)
    return scale.read(value)


def covers(policy: d.Policy, told: GroupColumn, label: Label, value: str | None) -> bool:
    """Whether a label may be released for a value."""
    meant = read(policy, told.column, value)
    known = [read(policy, told.column, each) for each in told.values]
    if label.interval is not None:
        return isinstance(meant, Decimal) and label.interval.has(meant)
    everything = label.first == 0 and label.stop == len(known)
    if isinstance(meant, Decimal) and everything and len(known) > 1:
        return True
    places = label.among or range(label.first, label.stop)
    return meant in [known[place] for place in places]


def group_of(policy: d.Policy, grouping: PlannedGroups, row: Row) -> int:
    """The group of a row; -1 if it is removed, -2 if no group covers it."""
    meant = [read(policy, told.column, row[told.column]) for told in grouping.told]
    for number, group in enumerate(grouping.group):
        if [read(policy, t.column, t.values[t.of_combination[number]]) for t in grouping.told] == meant:
            return group
    candidates = sorted((loss, g) for g, loss in enumerate(grouping.losses) if g not in grouping.hidden)
    for _, group in candidates:
        if all(covers(policy, t, t.labels[t.of_group[group]], row[t.column]) for t in grouping.told):
            return group
    return -2


def members(text: str | None) -> list[str | None]:
    """The values of a released set, read character by character."""
    assert text is not None
    found: list[str | None] = []
    rest = text[1:-1]
    while True:
        if rest.startswith('"'):
            end = 1
            while rest[end] != '"' or rest[end : end + 2] == '""':
                end += 2 if rest[end] == '"' else 1
            found.append(rest[1:end].replace('""', '"'))
            rest = rest[end + 1 :]
        else:
            word = re.split(r",|$", rest, maxsplit=1)[0]
            found.append(word or None)
            rest = rest[len(word) :]
        if not rest:
            return found
        assert rest.startswith(", ")
        rest = rest[2:]


def both_ends(scale: Scale, text: str) -> tuple[Decimal, Decimal]:
    """The two values in brackets."""
    separator = next(between for between in (", ", " to ", "-") if between in text)
    low, high = (scale.read(end) for end in text[1:-1].split(separator))
    assert low is not None
    assert high is not None
    return low, high


def is_true(policy: d.Policy, column: str, original: str | None, released: str | None) -> bool:
    """Whether a released text is the original, the marker or something that covers it."""
    if released in (original, policy.marker):
        return True
    said, missing = policy.column(column), policy.missing is not None and policy.missing.has(original)
    if released is None:
        return False
    if said.form == "set" and released.startswith("{"):
        return original in members(released)
    if said.taxonomy is not None:
        root = said.taxonomy.nodes[0].label
        return released == root if missing else released in said.taxonomy.ancestors(str(original))
    if said.scale is None or missing:
        return False
    number, scale = said.scale.read(original), said.scale
    assert number is not None
    if (same := scale.read(released)) is not None:
        return number == same
    if released.startswith("<"):
        end = scale.read(released[1:])
        return end is not None and number < end
    if released.startswith(">="):
        begin = scale.read(released[2:])
        return begin is not None and number >= begin
    low, high = both_ends(scale, released)
    return low <= number < high or (released.endswith("]") and number == high)


def lost(policy: d.Policy, column: str, domain: Sequence[str | None], released: str | None) -> float:
    """The share of detail that a released text loses, where numbers have no ends."""
    said = policy.column(column)
    if released == policy.marker:
        return 1.0
    if said.scale is not None:
        numbers = [n for value in domain if (n := said.scale.read(value)) is not None]
        if released is None or not released.startswith("["):
            return 0.0
        low, high = both_ends(said.scale, released)
        return float((high - low) / (max(numbers) - min(numbers)))
    values = set(domain) if said.taxonomy is None else {*said.taxonomy.leaves, *domain}
    if said.form == "set" and released is not None and released.startswith("{"):
        return (len(members(released)) - 1) / (len(values) - 1)
    if said.taxonomy is None or released in values:
        return 0.0
    below = [leaf for leaf in said.taxonomy.leaves if released in said.taxonomy.ancestors(leaf)]
    root = released == said.taxonomy.nodes[0].label
    return 1.0 if root else (len(below) - 1) / (len(values) - 1)
