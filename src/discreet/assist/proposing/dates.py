"""Dates by day, month, quarter, year and decade."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date

from discreet.assist.proposing.column import MONTH, has_time, read_date
from discreet.assist.proposing.grouping import Fill, GroupLevel, ProposedGroups, may_fill, refuse_levels, thinned
from discreet.errors import InputError

Group = tuple[int, ...]

_GROUPS: dict[str, tuple[Callable[[date], Group], Callable[[Group], str]]] = {
    "day": (lambda day: (day.year, day.month, day.day), lambda key: "{:04}-{:02}-{:02}".format(*key)),
    "month": (lambda day: (day.year, day.month), lambda key: "{:04}-{:02}".format(*key)),
    "quarter": (lambda day: (day.year, (day.month + 2) // 3), lambda key: "{:04}-Q{}".format(*key)),
    "year": (lambda day: (day.year,), lambda key: "{:04}".format(*key)),
    "decade": (lambda day: (day.year // 10,), lambda key: f"{key[0]}0-{key[0]}9"),
}
STEPS = tuple(_GROUPS)


def dates(
    values: Sequence[str], form: str | None, steps: Sequence[str] | None, levels: int | None, *, fill: bool
) -> ProposedGroups:
    """Return the dates among the values by month, quarter, ...; others are strays.

    >>> found = dates(["2024-01-31", "2024-02-01", "2024-05-01"], None, ["quarter"], None, fill=False)
    >>> found.levels[0].labels
    ['2024-Q1', '2024-Q2']
    """
    read = {value: read_date(value, form) for value in values}
    days = {value: day for value, day in read.items() if day is not None}
    strays = [value for value, day in read.items() if day is None]
    if not days:
        return ProposedGroups((), (), strays, "no date")
    above = STEPS[0 if has_time(form) else 2 if form == MONTH else 1 :]
    chosen = _checked(steps, above) if steps is not None else _useful(list(days.values()), above, levels)
    filled = Fill.NONE
    if fill and not has_time(form) and chosen:
        days, filled = _filled(days, form, chosen)
    ordered = sorted(days, key=lambda value: (days[value], value))
    made = [_level([days[value] for value in ordered], step) for step in chosen]
    return ProposedGroups(ordered, made, strays, "no date", filled)


def calendar_levels(days: Sequence[date]) -> list[GroupLevel]:
    """Return the months, quarters, years and decades of days, where they are not all one.

    >>> [level.labels for level in calendar_levels([date(2024, 1, 31), date(2024, 5, 1)])]
    [['2024-01', '2024-05'], ['2024-Q1', '2024-Q2']]
    """
    return [_level(days, step) for step in _useful(days, STEPS[1:], None)]


def _checked(steps: Sequence[str], above: Sequence[str]) -> list[str]:
    places = [above.index(step) if step in above else -1 for step in steps]
    if -1 in places or sorted(set(places)) != places:
        raise InputError(f"steps: for these dates write some of {', '.join(above)}, in this order")
    return list(steps)


def _useful(days: Sequence[date], above: Sequence[str], levels: int | None) -> list[str]:
    """Return the steps that do not bring everything together."""
    useful = [step for step in above if len({_GROUPS[step][0](day) for day in days}) > 1]
    refuse_levels(levels, len(useful), "dates")
    return [useful[place] for place in thinned(range(len(useful)), levels)]


def _filled(days: dict[str, date], form: str | None, steps: Sequence[str]) -> tuple[dict[str, date], Fill]:
    """Return the dates with all others of their groups, or with the ends of the groups if those are many."""
    known = set(days.values())
    between = _between(known, form, steps)
    wanted = known | set(between)
    for step in reversed(steps):  # the first day of a year begins a month, which has a last day too
        some = {_GROUPS[step][0](day): day for day in wanted}
        for day in some.values():
            first, *_, last = _around(day, day, step)
            wanted |= {first, last.replace(day=1) if form == MONTH else last}
    others = {_write(day, form): day for day in sorted(wanted - known)}
    return days | others, Fill.ALL if between else Fill.ENDS


def _between(known: set[date], form: str | None, steps: Sequence[str]) -> list[date]:
    """Return all dates of the widest groups, or else of the narrowest from the first to the last; none if too many."""
    for step in (steps[-1], steps[0]):
        found = [day for day in _around(min(known), max(known), step) if form != MONTH or day.day == 1]
        if may_fill(len(found), len(known)):
            return found
    return []


def _around(first: date, last: date, step: str) -> Iterator[date]:
    """Yield every day of the groups from that of the first to that of the last."""
    group = _GROUPS[step][0]
    begin, end = first.toordinal(), last.toordinal()
    while begin > 1 and group(date.fromordinal(begin - 1)) == group(first):
        begin -= 1
    while end < date.max.toordinal() and group(date.fromordinal(end + 1)) == group(last):
        end += 1
    return map(date.fromordinal, range(begin, end + 1))


def _write(day: date, form: str | None) -> str:
    return day.isoformat() if form is None else day.strftime(form)


def _level(days: Sequence[date], step: str) -> GroupLevel:
    key, label = _GROUPS[step]
    groups = [key(day) for day in days]
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    return GroupLevel(step, [places[group] for group in groups], [label(group) for group in places])
