"""Kinds of one thing (uses, adversaries, formats): each is added by the module it stands in, and found by its name.

What another room knows of a kind stands in that room, in a table by the kind's class (`Sides`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

Kind = TypeVar("Kind")
Side = TypeVar("Side")


class Registry(Generic[Kind]):
    """The kinds of one thing by their names, in the order they were added.

    Examples
    --------
    >>> kinds: Registry[type] = Registry("number")
    >>> kinds.add("whole", int)
    >>> kinds["whole"]
    <class 'int'>
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._kinds: dict[str, Kind] = {}
        self._watching: list[Callable[[], object]] = []

    def add(self, name: str, kind: Kind) -> None:
        """Add a kind; a name that is taken is a mistake of whoever wrote it."""
        if name in self._kinds:
            raise ValueError(f"there is a {self.what} {name!r} already")
        self._kinds[name] = kind
        try:
            self._changed()
        except Exception:  # what is made of the kinds cannot be made with this one: go on without it
            self.remove(name)
            raise

    def remove(self, name: str) -> None:
        """Take a kind out again."""
        del self._kinds[name]
        self._changed()

    def watch(self, changed: Callable[[], object]) -> None:
        """Call `changed` whenever there is another kind: what was made of the kinds is made anew."""
        self._watching.append(changed)

    def _changed(self) -> None:
        for changed in self._watching:
            changed()

    def __getitem__(self, name: str) -> Kind:
        return self._kinds[name]

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def __iter__(self) -> Iterator[Kind]:
        return iter(tuple(self._kinds.values()))

    def names(self) -> list[str]:
        """The names of all kinds."""
        return list(self._kinds)


class Sides(Generic[Side]):
    """What one room knows of each kind, by the class of the kind; a class has what its base has.

    Examples
    --------
    >>> sides: Sides[str] = Sides("word")
    >>> sides.add(int, "whole")
    >>> sides.of(True)
    'whole'
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._sides: dict[type, Side] = {}

    def add(self, kind: type, side: Side) -> None:
        """Say what the room knows of a kind."""
        self._sides[kind] = side

    def remove(self, kind: type) -> None:
        """Forget what the room knows of a kind."""
        del self._sides[kind]

    def of(self, thing: object) -> Side:
        """Return what the room knows of the kind that a thing is."""
        for kind in type(thing).__mro__:
            if kind in self._sides:
                return self._sides[kind]
        raise LookupError(f"nobody has added the {self.what} of {type(thing).__name__}")


def listed(words: Sequence[str], last: str = "or") -> str:
    """Return words in a row, such as a choice.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b or c', 'a')
    """
    return f" {last} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
