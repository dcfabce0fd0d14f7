"""Two things at once, for large tables: while Polars and NumPy work on one column, another thread takes the next."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Generic, TypeVar

MANY = 200_000
"""Rows from which on a second thread is worth it."""
AHEAD = 4
"""Items that are worked on, or done and not asked for yet, by those who work ahead."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(function: Callable[[Item], Result], items: Iterable[Item], rows: int) -> list[Result]:
    """Return what a function makes of each item, in their order; for many rows two threads share the items.

    >>> each(len, ["a", "bc"], rows=2 * MANY)
    [1, 2]
    """
    wanted = list(items)
    if rows < MANY or len(wanted) < 2:
        return list(map(function, wanted))
    from concurrent.futures import ThreadPoolExecutor  # only loaded when needed

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, wanted))


def in_turn(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield what a function makes of each item, in their order; where there are several, two threads work ahead.

    Items are taken one after the other by whoever asks, and no more than a few of them ahead.

    >>> list(in_turn(len, ["a", "bc", ""]))
    [1, 2, 0]
    """
    source = iter(items)
    first = list(islice(source, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    from concurrent.futures import ThreadPoolExecutor  # only loaded when needed

    with ThreadPoolExecutor(2) as pool:
        begun = deque(pool.submit(function, item) for item in first)
        for item in source:
            begun.append(pool.submit(function, item))
            if len(begun) >= AHEAD:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()


class Meanwhile(Generic[Result]):
    """Something that a thread of its own does while others go on with something else.

    Whatever happens in it is told when it is asked for what it found; who leaves the block waits until it is done.

    >>> with Meanwhile(lambda: 6 * 7) as found:
    ...     pass
    >>> found()
    42
    """

    def __init__(self, function: Callable[[], Result]) -> None:
        self._function = function
        self._found: list[Result] = []
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        with contextlib.suppress(BaseException):  # it is done again, and raises, where it is asked for
            self._found.append(self._function())

    def __enter__(self) -> Meanwhile[Result]:
        self._thread.start()
        return self

    def __exit__(self, *told: object) -> None:
        self._thread.join()

    def __call__(self) -> Result:
        """Return what it found; do it again where that failed, so that it is raised here."""
        self._thread.join()
        return self._found[0] if self._found else self._function()
