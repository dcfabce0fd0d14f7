"""Any so many of many columns: the adversary knows some of them, nobody knows which (LKC-privacy; Mohammed et al.).

A promise over `AnyOf(3, [eight columns])` is the promise over every set of three of them; whoever knows fewer faces
unions of groups, for which it holds too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from discreet.common.registry import listed

MOST_SETS = 5_000
"""Sets of columns of one promise."""


class AnyOf(tuple[str, ...]):
    """Any `many` of some columns.

    Examples
    --------
    >>> AnyOf(2, ["age", "sex", "town"]).sets
    (('age', 'sex'), ('age', 'town'), ('sex', 'town'))
    """

    many: int
    """How many of the columns are known."""
    also: tuple[str, ...]
    """Further columns, the last ones, which are always known."""

    def __new__(cls, many: int, of: Iterable[str], also: tuple[str, ...] = ()) -> AnyOf:
        """Return any `many` of the columns `of`, and all of `also`."""
        made = super().__new__(cls, (*of, *also))
        made.many, made.also = many, also
        return made

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns that may be known."""
        of = tuple(self)[: len(self) - len(self.also)]
        return tuple((*some, *self.also) for some in combinations(of, self.many))

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, AnyOf) and (self.many, self.also) == (other.many, other.also)
        return same and tuple(self) == tuple(other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.many, tuple(self), self.also))

    def __repr__(self) -> str:
        return f"AnyOf({self.many}, {list(self)})"

    def __reduce__(self) -> tuple[type[AnyOf], tuple[int, tuple[str, ...], tuple[str, ...]]]:
        return AnyOf, (self.many, tuple(self)[: len(self) - len(self.also)], self.also)


def sets_of(given: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the sets of columns that may be known: one, or several."""
    return given.sets if isinstance(given, AnyOf) else (given,)


def also_knowing(given: tuple[str, ...], column: str) -> tuple[str, ...]:
    """Return known columns with a further one.

    >>> also_knowing(("age",), "rows"), also_knowing(AnyOf(1, ["age", "sex"]), "rows").sets
    (('age', 'rows'), (('age', 'rows'), ('sex', 'rows')))
    """
    if isinstance(given, AnyOf):
        return AnyOf(given.many, tuple(given)[: len(given) - len(given.also)], (*given.also, column))
    return (*given, column)


def restricted(given: tuple[str, ...], columns: Collection[str]) -> tuple[str, ...]:
    """Return what of the known columns is among some: of any so many, as many of these as there are."""
    among = tuple(column for column in given if column in columns)
    if isinstance(given, AnyOf) and given.many < len(among):
        return AnyOf(given.many, among)
    return among


def in_short(given: tuple[str, ...]) -> str:
    """Return known columns in short.

    >>> in_short(("age", "sex")), in_short(AnyOf(2, ["age", "sex", "town"]))
    ('age, sex', 'any 2 of age, sex, town')
    """
    names = ", ".join(given)
    return f"any {given.many} of {names}" if isinstance(given, AnyOf) else names


def in_words(given: tuple[str, ...]) -> str:
    """Return known columns as a part of a sentence: 'Whoever knows ...'."""
    if isinstance(given, AnyOf):
        return f"any {given.many} of {listed(given, 'and')} of a person"
    return f"the {listed(given, 'and')} of a person"


def _known_columns(value: object) -> tuple[str, ...]:
    many: object = value.many if isinstance(value, AnyOf) else None
    names: object = value
    if isinstance(value, Mapping):
        if set(value) != {"any", "of"}:
            raise ValueError("write a list of columns, or {any: 3, of: [...]}")
        many, names = value["any"], value["of"]
        if isinstance(many, str) and many.strip().isdigit():
            many = int(many)
        if not isinstance(many, int) or isinstance(many, bool):
            raise ValueError("any: write how many of the columns may be known, a whole number")
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ValueError("write a list of columns")
    if not all(isinstance(name, str) for name in names):
        raise ValueError("write the names of columns as texts")
    columns = tuple(str(name) for name in names)
    if not columns:
        raise ValueError("name at least one column that an adversary may know")
    if len(set(columns)) < len(columns):
        raise ValueError("a column is listed twice")
    return columns if many is None else _any_of(int(str(many)), columns)


def _any_of(many: int, columns: tuple[str, ...]) -> AnyOf:
    if not 1 <= many <= len(columns):
        raise ValueError(f"any: write a number from 1 to {len(columns)}, which is how many columns there are")
    if (sets := comb(len(columns), many)) > MOST_SETS:
        fits = max((few for few in range(1, many) if comb(len(columns), few) <= MOST_SETS), default=0)
        message = f"any: {many} of {len(columns)} columns are {sets:,} sets, more than {MOST_SETS:,}"
        raise ValueError(f"{message}; at most any: {fits} fits" if fits else f"{message}; name fewer columns")
    return AnyOf(many, columns)


def _plain(given: tuple[str, ...]) -> Any:
    return {"any": given.many, "of": list(given)} if isinstance(given, AnyOf) else list(given)


_NAMES: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True}
_SOME: dict[str, Any] = {
    "type": "object",
    "properties": {"any": {"type": "integer", "minimum": 1}, "of": _NAMES},
    "required": ["any", "of"],
    "additionalProperties": False,
}
KnownColumns = Annotated[
    tuple[str, ...],
    PlainValidator(_known_columns),
    PlainSerializer(_plain),
    WithJsonSchema(
        {"anyOf": [_NAMES, _SOME], "description": "the columns an adversary may know, or any so many of them"}
    ),
]
"""The columns that an adversary may know: all of some, or any so many of them."""
