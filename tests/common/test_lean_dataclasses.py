"""Dataclasses whose methods are compiled when they are first used are like any other."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
from typing import Any

import pytest

from discreet.common.lean_dataclasses import TRIED, MethodText, compile_methods_later

pytestmark = pytest.mark.skipif(sys.version_info[:2] not in TRIED, reason="this Python compiles a class at once")
SAME = (
    {"frozen": True},
    {"frozen": False},
    {"frozen": True, "order": True},
    {"frozen": True, "slots": True},
    {"eq": False},
    {"unsafe_hash": True},
)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataclasses, "_create_fn", dataclasses._create_fn)  # type: ignore[attr-defined]
    compile_methods_later()


def made(**options: Any) -> Any:
    """Return a dataclass, its child and how it answers, as far as that does not name where it stands."""

    @dataclasses.dataclass(**options)
    class Parent:
        """A class."""

        a: int
        b: list[int] = dataclasses.field(default_factory=list, hash=False)
        c: str = "c"

        def __post_init__(self) -> None:
            seen.append(self.a)

    @dataclasses.dataclass(**options)
    class Child(Parent):
        d: float = 2.0

    seen: list[int] = []
    return Parent, Child, seen


def answers(parent: Any, child: Any, seen: list[int]) -> list[Any]:
    """Return what a dataclass answers."""

    def tried(act: Any) -> Any:
        try:
            return act()
        except Exception as error:  # which one is compared
            return type(error).__name__, str(error)

    one, other, young = parent(1), parent(a=1, b=[2]), child(3, c="x")
    return [
        repr(one).split("Parent")[-1],
        repr(young).split("Child")[-1],
        one == parent(1),
        one == other,
        one == young,
        tried(lambda: hash(one) == hash(parent(1))),
        tried(lambda: setattr(one, "a", 7)),
        tried(lambda: delattr(young, "d")),
        tried(lambda: one < other),
        tried(lambda: parent()),
        str(inspect.signature(parent)),
        str(inspect.signature(child)),
        dataclasses.asdict(young),
        dataclasses.replace(young, a=9).a,
        copy.copy(young).c,
        parent.__init__.__qualname__,
        child.__init__.__qualname__,
        child.__doc__,
        seen,
    ]


@pytest.mark.parametrize("options", SAME, ids=str)
def test_a_class_answers_as_any_other(options: dict[str, Any], later: None) -> None:
    found = answers(*made(**options))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dataclasses, "_create_fn", dataclasses._create_fn._compiled)  # type: ignore[attr-defined]
        assert found == answers(*made(**options))


def test_methods_are_compiled_once_they_are_used(later: None) -> None:
    parent, child, _ = made(frozen=True)
    assert isinstance(vars(parent)["__init__"], MethodText)
    child(1)
    assert inspect.isfunction(vars(child)["__init__"])
    assert isinstance(vars(parent)["__init__"], MethodText)
    assert isinstance(vars(child)["__eq__"], MethodText)
    assert child(1) == child(1)
    assert inspect.isfunction(vars(child)["__eq__"])


def test_a_method_of_a_parent_is_found_through_its_child(later: None) -> None:
    parent, _, seen = made(frozen=True)

    class Plain(parent):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__(5)

    assert Plain() == Plain()
    assert seen == [5, 5]
    assert inspect.isfunction(vars(parent)["__init__"])


@dataclasses.dataclass(frozen=True)
class Kept:
    """What is pickled."""

    a: int


def test_what_was_pickled_comes_back(later: None, monkeypatch: pytest.MonkeyPatch) -> None:
    again: Any = dataclasses.dataclass(frozen=True)(
        type("Kept", (), {"__annotations__": {"a": "int"}, "__module__": __name__, "__qualname__": "Kept"})
    )
    monkeypatch.setitem(globals(), "Kept", again)
    assert pickle.loads(pickle.dumps(again(3))) == again(3)


def test_asked_twice_it_is_done_once(later: None) -> None:
    before = dataclasses._create_fn  # type: ignore[attr-defined]
    compile_methods_later()
    assert dataclasses._create_fn is before  # type: ignore[attr-defined]
