"""Several releases about the same people, the slow and obvious way: a dictionary of persons.

From the specification alone. A release is a dictionary from persons to their released row (a dictionary from columns to
texts) with what was promised of it. The joint view has one line for each person who is in any release: her rows in all
of them, None where she is not in one. For a promise over some columns two persons look alike when they agree on these
columns in all releases that have them, and on their presence in every release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Row = Mapping[str, str]
Person = str
HIDDEN = "*"


@dataclass(frozen=True)
class Promised:
    """One promise: what is asked of a group of persons who look alike on `over`."""

    kind: str
    """`k`, `template`, `any`, `l`, `t` (equal distance) or `times`."""
    over: tuple[str, ...]
    limit: Fraction
    column: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class Published:
    """A release: who is in it with which texts, what was promised of it, and which names mean earlier ones."""

    rows: Mapping[Person, Row]
    promises: Sequence[Promised]
    same: Mapping[str, str] = field(default_factory=dict)
    confidential: Mapping[Person, set[str]] = field(default_factory=dict)
    """Whose cells of which columns are confidential."""

    @property
    def columns(self) -> set[str]:
        """The columns that it has."""
        return {name for row in self.rows.values() for name in row}


def everybody(releases: Sequence[Published]) -> list[Person]:
    """Return all who are in any release."""
    return sorted({person for release in releases for person in release.rows})


def names_of(releases: Sequence[Published], column: str) -> set[str]:
    """Return all names that a column has had."""
    pairs = [pair for release in releases for pair in release.same.items()]
    found = {column}
    for _ in range(len(pairs) + 1):
        found |= {name for pair in pairs if found & set(pair) for name in pair}
    return found


def text_in(releases: Sequence[Published], release: Published, person: Person, column: str) -> str | None:
    """Return what a release tells of a column of somebody who is in it; None where it does not have the column."""
    names = names_of(releases, column)
    told = [text for name, text in release.rows[person].items() if name in names]
    assert len(told) <= 1
    return told[0] if told else None


def looks(releases: Sequence[Published], person: Person, over: Sequence[str]) -> tuple[object, ...]:
    """Return how somebody looks in the joint view on some columns: presence, and her texts where she is present."""
    return tuple(
        ("absent",)
        if person not in release.rows
        else ("there", *(text_in(releases, release, person, column) for column in over))
        for release in releases
    )


def groups(releases: Sequence[Published], over: Sequence[str]) -> list[list[Person]]:
    """Return who looks alike."""
    found: dict[tuple[object, ...], list[Person]] = {}
    for person in everybody(releases):
        found.setdefault(looks(releases, person, over), []).append(person)
    return list(found.values())


def _breaks(promise: Promised, texts: Sequence[str], reference: Sequence[str]) -> bool:
    """Whether the texts of a group break a promise; `reference` are those of the whole release."""
    known, usual = ([text for text in some if text != HIDDEN] for some in (texts, reference))
    often = Counter(known)
    if not known:
        return False
    if promise.kind == "template":
        return Fraction(often[promise.value or ""], len(known)) > promise.limit
    if promise.kind == "any":
        return Fraction(max(often.values()), len(known)) > promise.limit
    if promise.kind == "l":
        return len(often) < promise.limit
    shares = Counter(usual)
    if promise.kind == "t":
        apart = [abs(Fraction(often[text], len(known)) - Fraction(shares[text], len(usual))) for text in shares]
        return sum(apart, Fraction(0)) / 2 > promise.limit
    assert promise.kind == "times"
    value = promise.value or ""
    mine = max(Fraction(often[value], len(known)), Fraction(0))
    return mine > promise.limit * Fraction(shares[value], len(usual)) or Fraction(
        often[value], len(texts)
    ) > promise.limit * Fraction(shares[value], len(reference))


Judged = Callable[[Sequence[Person]], bool]
Shown = Callable[[Person], str | None]


def judges(releases: Sequence[Published], promise: Promised) -> Iterator[tuple[str, Judged]]:
    """Yield what is counted of a promise: of persons, of each release that has its column, and of any of them."""
    if promise.column is None:
        yield "persons", lambda group: len(group) < promise.limit
        return
    column = promise.column
    having = [place for place, release in enumerate(releases) if names_of(releases, column) & release.columns]

    def told(place: int, persons: Iterable[Person]) -> list[str]:
        release = releases[place]
        texts = [text_in(releases, release, person, column) for person in persons if person in release.rows]
        return [text for text in texts if text is not None]

    for place in having:

        def breaks(group: Sequence[Person], place: int = place) -> bool:
            return _breaks(promise, told(place, group), told(place, releases[place].rows))

        yield f"release {place}", breaks
    if len(having) > 1 and promise.kind in ("template", "any", "times"):
        values = {text for place in having for text in told(place, releases[place].rows)} - {HIDDEN}
        for value in sorted(values) if promise.kind == "any" else [promise.value or ""]:

            def shown(person: Person, value: str = value) -> str | None:
                texts = [text for place in having for text in told(place, [person])]
                if not texts:
                    return None
                return value if value in texts else HIDDEN if HIDDEN in texts else f"not {value}"

            def breaks_any(
                group: Sequence[Person], value: str = value, shown: Callable[..., str | None] = shown
            ) -> bool:
                mine = [text for person in group if (text := shown(person)) is not None]
                all_of = [text for person in everybody(releases) if (text := shown(person)) is not None]
                kind = "times" if promise.kind == "times" else "template"
                one = Promised(kind, promise.over, promise.limit, column, value)
                return _breaks(one, mine, all_of)

            yield "any release", breaks_any


def broken(releases: Sequence[Published]) -> dict[tuple[int, Promised, str], set[Person]]:
    """Return who stands in a group that breaks a promise of any release: by release, promise and what is counted."""
    found: dict[tuple[int, Promised, str], set[Person]] = {}
    for place, release in enumerate(releases):
        for promise in release.promises:
            for about, breaks in judges(releases, promise):
                here = {person for group in groups(releases, promise.over) if breaks(group) for person in group}
                found.setdefault((place, promise, about), set()).update(here)
    return found


def all_broken(releases: Sequence[Published]) -> set[Person]:
    """Return everybody for whom some promise is broken in the joint view."""
    return set().union(*broken(releases).values())


def broken_leavers(releases: Sequence[Published]) -> set[Person]:
    """Return those who are in an earlier release and not in the last, for whom some promise is broken."""
    return all_broken(releases) - set(releases[-1].rows)


def new_persons(releases: Sequence[Published]) -> set[Person]:
    """Return those of the last release who are in no earlier one: the batch that looks alike in the past."""
    return set(releases[-1].rows) - set(everybody(releases[:-1]))


def cells_shown(releases: Sequence[Published]) -> tuple[set[tuple[Person, str]], set[tuple[Person, str]]]:
    """Return the cells, by person and column, that the last release shows and an earlier one takes for confidential,
    and those that are confidential in the last and shown by an earlier one.

    A cell that is confidential in a release is not shown by it, whatever it tells: its own promise is about that.
    """
    *before, last = releases

    def cells(release: Published, *, secret: bool) -> set[tuple[Person, str]]:
        found = set()
        for person, row in release.rows.items():
            for column, text in row.items():
                hidden = column in release.confidential.get(person, set())
                if hidden if secret else text != HIDDEN and not hidden:
                    found.add((person, min(names_of(releases, column))))
        return found

    earlier_secret = {cell for release in before for cell in cells(release, secret=True)}
    earlier_shown = {cell for release in before for cell in cells(release, secret=False)}
    return cells(last, secret=False) & earlier_secret, cells(last, secret=True) & earlier_shown
