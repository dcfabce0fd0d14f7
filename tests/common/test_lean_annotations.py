"""Annotations that are compiled when they are evaluated mean what they mean elsewhere."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any, NamedTuple, TypedDict

import pydantic
import pytest

from discreet.common.lean_annotations import compile_annotations_later


@pytest.fixture(params=["later", "at once"])
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[Any, ...]]:
    """Makes classes with annotations, compiled later or at once."""
    monkeypatch.setattr(typing, "compile", compile, raising=False)  # afterwards there is none again
    if request.param == "later":
        compile_annotations_later()

    def make() -> tuple[Any, ...]:
        class Words(TypedDict, total=False):
            one: int
            more: list[str] | None

        class Pair(NamedTuple):
            left: int
            right: tuple[str, ...] = ()

        class Model(pydantic.BaseModel):
            number: int
            words: list[str] | None = None
            pair: Pair = Pair(1)

        return Words, Pair, Model

    return make


def test_they_are_evaluated_alike(made: Callable[[], tuple[Any, ...]]) -> None:
    words, pair, model = made()
    assert typing.get_type_hints(words) == {"one": int, "more": list[str] | None}
    assert typing.get_type_hints(pair) == {"left": int, "right": tuple[str, ...]}
    assert model(number="7", pair=("2", ["x"])).model_dump() == {"number": 7, "words": None, "pair": (2, ("x",))}
    with pytest.raises(pydantic.ValidationError):
        model(number="x")


def test_a_name_that_is_not_known_and_what_is_no_expression_are_refused(made: Callable[[], tuple[Any, ...]]) -> None:
    def wrong(first: nobody) -> None:  # type: ignore[name-defined]  # noqa: F821
        pass

    made()
    with pytest.raises(NameError):
        typing.get_type_hints(wrong)
    wrong.__annotations__ = {"first": "1 +"}
    with pytest.raises(SyntaxError):
        typing.get_type_hints(wrong)
