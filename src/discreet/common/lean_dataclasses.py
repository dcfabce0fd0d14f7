"""Dataclasses whose methods are compiled when they are first used.

Python writes the methods of a dataclass as text and compiles each, some six a class and nearly a millisecond. A command
loads two hundred and fifty such classes and makes objects of a quarter of them. So in a program of ours alone the text
is kept, and compiled at the first call. Later versions of Python compile a class at once; there nothing is done.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

TRIED = (3, 11), (3, 12)
"""The versions of Python that compile each method by itself, by a function of this name and these arguments."""


class MethodText:
    """A method that is not compiled yet; whoever asks the class or an object for it gets the method itself."""

    __slots__ = ("__name__", "_make")

    def __init__(self, make: Callable[[], FunctionType], name: str) -> None:
        self._make, self.__name__ = make, name

    def __get__(self, thing: object, kind: type | None = None) -> Any:
        """Return the method, which stands in the place of its text from now on."""
        made = self._make()
        for owner in (kind or type(thing)).__mro__:
            if vars(owner).get(made.__name__) is self:
                made.__qualname__ = f"{owner.__qualname__}.{made.__name__}"
                type.__setattr__(owner, made.__name__, made)
                break
        return made.__get__(thing, kind)

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        """Call it, for a function that is wrapped around it."""
        return self._make()(*arguments, **more)


def compile_methods_later() -> None:
    """Let dataclasses that are made from now on compile their methods when they are first used."""
    if sys.version_info[:2] not in TRIED:
        return
    compiled = dataclasses._create_fn  # type: ignore[attr-defined]
    if isinstance(compiled, _CompiledLater):
        return
    dataclasses._create_fn = _CompiledLater(compiled)  # type: ignore[attr-defined]


class _CompiledLater:
    """Stands for the function that compiles a method."""

    def __init__(self, compiled: Callable[..., FunctionType]) -> None:
        self._compiled = compiled

    def __call__(self, name: str, *said: Any, **more: Any) -> MethodText:
        made: list[FunctionType] = []

        def make() -> FunctionType:
            if not made:
                made.append(self._compiled(name, *said, **more))
            return made[0]

        return MethodText(make, name)
