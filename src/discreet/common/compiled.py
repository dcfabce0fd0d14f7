"""Loops that run as they stand while there is little to do, and are compiled by Numba where there is more.

Compiling takes longer than most small jobs: a loop is compiled once it has gone round so often that it is worth it.
What is compiled is kept on disk where that can be, and is used much sooner then. Either way the results are the same.

What few jobs need is compiled into the loops that call it only once a job needs it (`seldom`, `need_all`): such a loop
is kept on disk with it and without.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from discreet.common.compiled_files import is_on_disk
from discreet.common.with_numba import inlined, inner, load_kept, njit

Function = Callable[..., Any]
Array = np.ndarray[Any, Any]
_NARROW = {np.dtype(name) for name in ("int8", "int16", "int32", "uint8", "uint16", "uint32")}
"""Numbers whose sums and products are too narrow in NumPy, where Numba widens them."""


class Allowance(NamedTuple):
    """How often a loop may go round before it is compiled: about as long as compiling or loading it would take."""

    unknown: int
    """Where nothing is on disk."""
    tired: int
    """Where nothing is on disk, and all loops together went round `many` times."""
    many: int
    kept: int
    """Where the compiled loop is on disk, but Numba itself is not loaded: all loops together."""
    at_hand: int
    """Where the compiled loop is on disk and Numba is loaded."""


ALLOWANCE = Allowance(unknown=2_000_000, tired=100_000, many=5_000_000, kept=400_000, at_hand=10_000)
LARGE = 20_000
"""Numbers in the arrays that a loop is given from which on it is compiled at once; where it is on disk, a fourth of it.

Arrays in a named tuple that is `room` do not count; a loop that is `begun_plain` is not compiled for them at once.
"""

PATIENCE = 1.0
"""Seconds of compiling, of all loops together, after which it is told."""
COPIED = 200
"""Numbers that are copied in the time that a loop takes to go round."""

_ROOM: set[type] = set()
_rounds = [0]
"""How often all loops went round so far that were not compiled."""
_mode = ["either"]
"""What `always` says: either, plain or compiled."""
_waiting: list[Callable[[], None]] = []
"""Who wants to be told, once, that compiling takes a while."""
_compiling = [0.0]
"""Seconds of compiling since somebody wanted to be told."""
_kernels: list[Kernel] = []
_need_all = [False]
"""Whether loops are compiled with what few jobs need."""


class Kernel:
    """A function of plain loops over numbers and arrays.

    It changes nothing but what stands in its arrays, so that it can be begun anew, compiled, when it takes too long.
    Both ways come to the same as long as its numbers fit into 64 bits, it divides by nothing that may be zero, and what
    it makes itself is wide.
    """

    def __init__(
        self, function: Function, *, inline: bool = False, instead: Kernel | None = None, large: int = LARGE
    ) -> None:
        self.py_func = function
        self.inline = inline
        self.instead = instead
        self.large = large
        self.rounds = 0
        self._kept: bool | None = None
        self._plain: Function | None = None
        self._compiled: Function | None = None
        self._inner: Function | None = None
        self._other: tuple[Function | None, Function | None] = None, None
        """Both with what few jobs need, or without: whichever is not asked for now."""
        self.__doc__, self.__name__, self.__module__ = function.__doc__, function.__name__, function.__module__
        self.__wrapped__ = function  # for doctest and inspect
        _kernels.append(self)

    def __call__(self, *arguments: Any) -> Any:
        """Run it, one way or the other."""
        mode = _mode[0]
        ready = self._compiled  # once: another thread may ask for all
        if ready is not None and mode != "plain":
            return ready(*arguments)
        if mode != "compiled":
            left = sys.maxsize if mode == "plain" else self._left(arguments)
            if left > 0:
                try:
                    return self._interpreted(arguments, left)
                except _TooLong:
                    pass
        return self._run_compiled(arguments)

    def _left(self, arguments: tuple[Any, ...]) -> int:
        """Return how often it may go round now before it is compiled."""
        if self._kept is None:
            self._kept = is_on_disk(self.py_func, self._name())
        if _size(arguments) > (LARGE // 4 if self._kept else self.large):
            return 0
        if not self._kept:
            return (ALLOWANCE.unknown if _rounds[0] < ALLOWANCE.many else ALLOWANCE.tired) - self.rounds
        if "numba" in sys.modules:
            return ALLOWANCE.at_hand - self.rounds
        return ALLOWANCE.kept - _rounds[0]

    def _interpreted(self, arguments: tuple[Any, ...], left: int) -> Any:
        """Run it as it stands; as if it had not been begun where it goes round too often."""
        arrays: list[Array] = []
        _collect(arguments, arrays)
        wide = _wide(arrays)
        before = [(array, array.copy()) for array in arrays if id(array) not in wide and array.flags.writeable]
        _left_to_go[0] = left - sum([array.size for array in arrays]) // COPIED
        try:
            with np.errstate(all="ignore"):  # as compiled: numbers of 64 bits go round, and floats say nothing
                found = self.plain(*(_widened(arguments, wide) if wide else arguments))
        except _TooLong:
            for array, kept in before:
                array[...] = kept
            raise
        finally:
            gone = left - _left_to_go[0]
            self.rounds += gone
            _rounds[0] += gone
        for array, changed in wide.values():
            if array.flags.writeable:
                array[...] = changed
        return _native(found)

    def _run_compiled(self, arguments: tuple[Any, ...]) -> Any:
        """Compile it, or load it from disk, and run it."""
        if is_on_disk(self.py_func, self._name()):
            return self.compiled(*arguments)
        with _telling():
            return self.compiled(*arguments)

    @property
    def plain(self) -> Function:
        """The function as it stands, calling others that are not compiled either; loops are counted."""
        if self._plain is None:
            self._plain = self._with(lambda other: other.plain, range=_counted_range)
        return self._plain

    @property
    def compiled(self) -> Function:
        """The function compiled by Numba, on first call."""
        ready = self._compiled
        if ready is None:
            ready = self._compiled = njit(self._to_compile(), self._files())
        return ready

    def load(self) -> None:
        """Load it if it is on disk, so that whoever calls it need not wait for that."""
        if is_on_disk(self.py_func, self._name()):
            load_kept(self.compiled)

    @property
    def inner(self) -> Function:
        """The function as it is compiled into others that call it."""
        ready = self._inner
        if ready is None:
            ready = self._inner = (inlined if self.inline else inner)(self._to_compile())
        return ready

    def _to_compile(self) -> Function:
        """Return the function, calling others that are compiled too."""
        function = self._with(lambda other: other._called().inner)
        function.__qualname__ = self._name()
        return function

    def _called(self) -> Kernel:
        """Return what stands in its place in the loops that call it."""
        return self if self.instead is None or _need_all[0] else self.instead

    def _name(self) -> str:
        """Return the name under which it is kept: another one where it lacks what few jobs need."""
        return self.py_func.__qualname__ + ("" if _need_all[0] or not self.lacks() else "_lean")

    def change(self) -> None:
        """Take the other version where something may be missing in it."""
        if self.lacks():
            before = self._compiled, self._inner
            (self._compiled, self._inner), self._other = self._other, before
            self._kept = None

    def lacks(self) -> bool:
        """Whether something may be missing in it that few jobs need."""
        return any(other.instead is not None or other.lacks() for other in self._others())

    def _with(self, how: Callable[[Kernel], Function], **others: Any) -> Function:
        """Return the function with other versions of the kernels that it calls."""
        names = {
            "__name__": self.py_func.__module__,
            "__builtins__": self.py_func.__globals__["__builtins__"],
            **others,
        }
        for name in self.py_func.__code__.co_names:
            if name in self.py_func.__globals__:
                found = self.py_func.__globals__[name]
                names[name] = how(found) if isinstance(found, Kernel) else found
        made = FunctionType(self.py_func.__code__, names, self.py_func.__name__, self.py_func.__defaults__)
        made.__qualname__, made.__doc__ = self.py_func.__qualname__, self.py_func.__doc__
        return made

    def _files(self) -> set[str]:
        """Return the files that it is compiled from: its own and those of the kernels that it calls."""
        return {self.py_func.__code__.co_filename}.union(*[other._files() for other in self._others()])

    def _others(self) -> list[Kernel]:
        """Return the kernels that it calls."""
        found = [self.py_func.__globals__.get(name) for name in self.py_func.__code__.co_names]
        return [other for other in found if isinstance(other, Kernel)]


def kernel(function: Function) -> Kernel:
    """Make a kernel of a function of plain loops."""
    return Kernel(function)


def begun_plain(function: Function) -> Kernel:
    """Make a kernel that goes round little beside what it is given: not on disk, it runs as it stands to begin with."""
    return Kernel(function, large=sys.maxsize)


def helper(function: Function) -> Kernel:
    """Make a kernel that is compiled into those that call it: a call with many arrays would cost more than it does."""
    return Kernel(function, inline=True)


def seldom(instead: Kernel) -> Callable[[Function], Kernel]:
    """Make a kernel that few jobs need: until one does, loops that call it are compiled with `instead` in its place."""
    return lambda function: Kernel(function, instead=instead)


def need_all() -> None:
    """Have loops compiled with what few jobs need from now on."""
    _change(needed=True)


def as_begun() -> None:
    """Be as in a program that has just begun, but for what is compiled: for tests."""
    _change(needed=False)
    _rounds[0] = 0
    for each in _kernels:
        each.rounds = 0


def _change(needed: bool) -> None:
    if _need_all[0] != needed:
        _need_all[0] = needed
        for each in _kernels:
            each.change()


Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


def room(arrays: type[Arrays]) -> type[Arrays]:
    """Say of a named tuple that its arrays are mostly empty: how large they are says nothing of what there is to do."""
    _ROOM.add(arrays)
    return arrays


@contextmanager
def always(mode: str) -> Iterator[None]:
    """Run all loops `plain` or `compiled` within this block; for tests and benches."""
    before, _mode[0] = _mode[0], mode
    try:
        yield
    finally:
        _mode[0] = before


def may_compile() -> bool:
    """Whether loops may be compiled."""
    return _mode[0] != "plain"


def tell_when_compiling(tell: Callable[[], None] | None) -> None:
    """Have it told, once, when compiling has taken more than a second, of one loop or of many in turn."""
    _waiting[:] = [] if tell is None else [tell]
    _compiling[0] = 0.0


class _TooLong(Exception):
    """A loop went round more often than it may."""


_left_to_go = [0]
"""How often loops may still go round. Jobs in several threads share it: what they do is the same in any case."""


def _counted_range(*ends: Any) -> range:
    """Return a range, its length counted before it is gone through."""
    found = range(*ends)
    _left_to_go[0] -= len(found) + 1
    if _left_to_go[0] < 0:
        raise _TooLong
    return found


def _collect(arguments: tuple[Any, ...], arrays: list[Array]) -> None:
    """List the arrays among arguments, those in named tuples too."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            arrays.append(argument)
        elif isinstance(argument, tuple):
            _collect(argument, arrays)


def _wide(arrays: list[Array]) -> dict[int, tuple[Array, Array]]:
    """Return narrow arrays with wide copies of them, by their identity.

    What is written to one of two arrays that share memory would not be seen in the copy of the other.
    """
    found: dict[int, tuple[Array, Array]] = {}
    for array in arrays:
        if array.dtype in _NARROW and id(array) not in found:
            if any(np.may_share_memory(array, other) for other, _ in found.values()):
                raise _TooLong
            found[id(array)] = array, array.astype(np.int64)
    return found


def _size(arguments: tuple[Any, ...]) -> int:
    """Return how many numbers the arrays among arguments have, as far as they say how much there is to do."""
    size = 0
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            size += argument.size
        elif isinstance(argument, tuple) and type(argument) not in _ROOM:
            size += _size(argument)
    return size


def _widened(arguments: tuple[Any, ...], wide: dict[int, tuple[Array, Array]]) -> list[Any]:
    """Return the arguments with wide arrays in the place of narrow ones."""
    found: list[Any] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            found.append(wide[id(argument)][1] if id(argument) in wide else argument)
        elif isinstance(argument, tuple):
            parts = _widened(argument, wide)
            found.append(type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts))
        else:
            found.append(argument)
    return found


def _native(found: Any) -> Any:
    """Return numbers as Numba would hand them out."""
    if isinstance(found, np.generic):
        return found.item()
    return tuple([_native(part) for part in found]) if type(found) is tuple else found


@contextmanager
def _telling() -> Iterator[None]:
    """Tell who asked for it when what happens within, with what was compiled before, takes more than a second."""
    if not _waiting:
        yield
        return
    begin = time.perf_counter()
    timer = threading.Timer(max(PATIENCE - _compiling[0], 0.0), _tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _compiling[0] += time.perf_counter() - begin


def _tell() -> None:
    try:
        tell = _waiting.pop()
    except IndexError:  # another thread has told it meanwhile
        return
    tell()
