"""Modules that are loaded only once something of them is used, though others import them at once."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

MASKED, TYPES = "numpy.ma", "numpy.typing"


class Later:
    """A name of a module that is not loaded yet: calling it, or asking anything of it, loads the module."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def _found(self) -> Any:
        return getattr(_load(self._module), self._name)

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        """Call it, loaded."""
        return self._found()(*arguments, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found(), name)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._found())


class PostponedModule(ModuleType):
    """Stands for a module while others import it; whatever they take from it is loaded when they use it."""

    def __init__(self, name: str, instead: Mapping[str, Any]) -> None:
        super().__init__(name)
        vars(self).update(instead)
        self.__spec__ = ModuleSpec(name, None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # among them __path__: a module of it cannot be imported
            raise AttributeError(name)
        return Later(self.__name__, name)


@contextmanager
def postponed(*names: str, **instead: Any) -> Iterator[None]:
    """Let modules within this block import some others without loading them; those that are loaded stay so.

    `instead` has what whoever takes a function of such a name gets in its place: what does the same.
    """
    stand_ins = {name: PostponedModule(name, instead) for name in names if name not in sys.modules}
    sys.modules.update(stand_ins)
    for name, stand_in in stand_ins.items():
        parent, _, own = name.rpartition(".")
        if parent in sys.modules:
            setattr(sys.modules[parent], own, stand_in)
    try:
        yield
    finally:
        for name, stand_in in stand_ins.items():
            if sys.modules.get(name) is stand_in:
                _forget(name, stand_in)


def _load(name: str) -> ModuleType:
    """Return a module itself, loaded."""
    found = sys.modules.get(name)
    if isinstance(found, PostponedModule):
        _forget(name, found)
    return importlib.import_module(name)


def _forget(name: str, stand_in: PostponedModule) -> None:
    """Let the module be loaded by whoever imports it next."""
    del sys.modules[name]
    parent, _, own = name.rpartition(".")
    if parent in sys.modules and vars(sys.modules[parent]).get(own) is stand_in:
        delattr(sys.modules[parent], own)


class MaskedArrays(ModuleType):
    """Stands for `numpy.ma` until something of it is used; that no array is masked is known without it.

    Polars asks of every array whether it is masked. None is while nobody has loaded the module that makes them.
    """

    def __init__(self, path: list[str]) -> None:
        super().__init__(MASKED)
        self.__path__ = path
        self.__spec__ = ModuleSpec(MASKED, None, is_package=True)
        self.nomask = False

    def getmask(self, array: Any) -> Any:
        """Return the mask of an array."""
        return self._real().getmask(array) if self._loaded() else False

    def getdata(self, array: Any) -> Any:
        """Return an array without its mask."""
        return self._real().getdata(array) if self._loaded() else array

    def is_masked(self, array: Any) -> bool:
        """Return whether something of an array is masked."""
        return bool(self._real().is_masked(array)) if self._loaded() else False

    def _loaded(self) -> bool:
        return sys.modules.get(MASKED) is not self or f"{MASKED}.core" in sys.modules

    def _real(self) -> ModuleType:
        if sys.modules.get(MASKED) is self:
            del sys.modules[MASKED]
        return importlib.import_module(MASKED)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._real(), name)


def postpone_masked_arrays() -> None:
    """Let nobody load masked arrays only to see that an array is none."""
    if MASKED not in sys.modules:
        numpy: Any = importlib.import_module("numpy")
        sys.modules[MASKED] = numpy.ma = MaskedArrays([str(Path(str(numpy.__file__)).parent / "ma")])


class ArrayTypes(ModuleType):
    """Stands for `numpy.typing` until something of it is used but the type of an array with its items."""

    def __init__(self, numpy: Any) -> None:
        super().__init__(TYPES)
        self.__spec__ = ModuleSpec(TYPES, None)
        item = TypeVar("item", bound=numpy.generic)
        self.NDArray = numpy.ndarray[tuple[Any, ...], numpy.dtype[item]]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(TYPES) is self:
            del sys.modules[TYPES]
        return getattr(importlib.import_module(TYPES), name)


def postpone_array_types() -> None:
    """Let nobody load all types of NumPy only to say that something is an array."""
    if TYPES not in sys.modules:
        numpy: Any = importlib.import_module("numpy")
        sys.modules[TYPES] = numpy.typing = ArrayTypes(numpy)
