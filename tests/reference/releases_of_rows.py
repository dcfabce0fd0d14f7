"""Several releases about persons with several rows, the slow and obvious way.

From the specification alone. A release is a dictionary from persons to their released rows, each with its key (None
where nobody links rows). A person's lines are her rows through all releases: rows with one key are one line, a row
without a key is a line of its own. Two persons look alike on some columns when they have the same lines there, each as
often, or, where the number of rows is not known, the same different lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.reference.releases import HIDDEN, Person, Promised, Row


@dataclass(frozen=True)
class PublishedRows:
    """A release: the rows of who is in it, what was promised of it, and which names mean earlier ones."""

    rows: Mapping[Person, Sequence[tuple[str | None, Row]]]
    promises: Sequence[Promised]
    counts_rows: bool = True
    """Whether its policy takes the number of a person's rows for known."""
    same: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> set[str]:
        """The columns that it has."""
        return {name for rows in self.rows.values() for _, row in rows for name in row}


def all_persons(releases: Sequence[PublishedRows]) -> list[Person]:
    """Return all who are in any release."""
    return sorted({person for release in releases for person in release.rows})


def _names(releases: Sequence[PublishedRows], column: str) -> set[str]:
    found = {column}
    pairs = [pair for release in releases for pair in release.same.items()]
    for _ in range(len(pairs) + 1):
        found |= {name for pair in pairs if found & set(pair) for name in pair}
    return found


def text_of(releases: Sequence[PublishedRows], row: Row, column: str) -> str | None:
    """Return what a row tells of a column; None where its release does not have it."""
    told = [text for name, text in row.items() if name in _names(releases, column)]
    assert len(told) <= 1
    return told[0] if told else None


def lines_of(releases: Sequence[PublishedRows], person: Person, over: Sequence[str]) -> list[tuple[object, ...]]:
    """Return how each line of a person looks on some columns: in each release her texts there, or that it is absent."""
    keyed: dict[object, list[object]] = {}
    for place, release in enumerate(releases):
        for at, (key, row) in enumerate(release.rows.get(person, ())):
            line = keyed.setdefault((place, at) if key is None else key, ["absent"] * len(releases))
            assert line[place] == "absent", "two rows of one key"
            line[place] = tuple(text_of(releases, row, column) for column in over)
    return [tuple(line) for line in keyed.values()]


def alike(releases: Sequence[PublishedRows], over: Sequence[str], *, counts_rows: bool) -> list[list[Person]]:
    """Return who looks alike."""
    found: dict[object, list[Person]] = {}
    for person in all_persons(releases):
        often = Counter(lines_of(releases, person, over))
        look = frozenset(often.items()) if counts_rows else frozenset(often)
        found.setdefault(look, []).append(person)
    return list(found.values())


def _owns(texts: Sequence[str], value: str, *, absence: bool) -> bool | None:
    """Whether a person with some texts has a value (or lacks it); None where nobody knows."""
    if absence:
        if value in texts:
            return False
        return None if HIDDEN in texts else True
    if value in texts:
        return True
    return None if HIDDEN in texts else False


def _too_sure(owned: Sequence[bool | None], everywhere: Sequence[bool | None], promise: Promised) -> bool:
    """Whether too many of some persons have a property."""
    known, all_known = ([one for one in some if one is not None] for some in (owned, everywhere))
    mine = sum(map(bool, known))
    if not mine:
        return False
    if promise.kind != "times":
        return Fraction(mine, len(known)) > promise.limit
    usual = sum(map(bool, all_known))
    return Fraction(mine, len(known)) > promise.limit * Fraction(usual, len(all_known)) or Fraction(
        mine, len(owned)
    ) > promise.limit * Fraction(usual, len(everywhere))


def broken_of_rows(releases: Sequence[PublishedRows]) -> dict[tuple[int, Promised, str], set[Person]]:
    """Return who stands in a group that breaks a promise of any release: by release, promise and what is counted."""
    found: dict[tuple[int, Promised, str], set[Person]] = {}
    for number, release in enumerate(releases):
        for promise in release.promises:
            groups = alike(releases, promise.over, counts_rows=release.counts_rows)
            if promise.column is None:
                few = {person for group in groups if len(group) < promise.limit for person in group}
                found.setdefault((number, promise, "persons"), set()).update(few)
                continue
            having = [p for p, one in enumerate(releases) if _names(releases, promise.column) & one.columns]
            some = [(f"release {place}", [place]) for place in having]
            some += [("any release", having)] if len(having) > 1 else []
            for about, places in some:
                bad = _broken_about(releases, promise, groups, places)
                found.setdefault((number, promise, about), set()).update(bad)
    return found


def _broken_about(
    releases: Sequence[PublishedRows], promise: Promised, groups: Sequence[Sequence[Person]], places: Sequence[int]
) -> set[Person]:
    """Return who stands in a group that breaks a promise about values, counted on some releases."""
    column = promise.column or ""

    def texts(place: int, person: Person) -> list[str]:
        told = [text_of(releases, row, column) for _, row in releases[place].rows[person]]
        return [text for text in told if text is not None]

    def owns(person: Person, value: str) -> bool | None:
        here = [place for place in places if person in releases[place].rows]
        each = [_owns(texts(place, person), value, absence=promise.kind == "not") for place in here]
        return True if True in each else None if None in each else False

    there = {person for place in places for person in releases[place].rows}
    values = {text for place in places for person in releases[place].rows for text in texts(place, person)} - {HIDDEN}
    asked = sorted(values) if promise.kind == "any" else [promise.value or ""]
    found: set[Person] = set()
    for value in asked:
        everywhere = [owns(person, value) for person in sorted(there)]
        for group in groups:
            mine = [person for person in group if person in there]
            if mine and _too_sure([owns(person, value) for person in mine], everywhere, promise):
                found |= set(mine)
    return found


def all_broken_of_rows(releases: Sequence[PublishedRows]) -> set[Person]:
    """Return everybody for whom some promise is broken in the joint view."""
    return set().union(*broken_of_rows(releases).values())
