"""What all parts of a policy have in common: frozen, no unknown fields, mistakes reported for people."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from discreet.errors import PolicyError, Problem

Path = tuple[str | int, ...]


class Frozen(dict[str, Any]):
    """A mapping that stays as it is, as the policy around it does."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a policy is frozen; make a new one")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[Frozen], tuple[dict[str, Any]]]:
        return Frozen, (dict(self),)


def as_text(value: object) -> object:
    """Return the text that a value of a table has, for a value written in a policy (None: no value)."""
    if value is None or isinstance(value, str):
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, Decimal)):
        return number_text(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise ValueError("write the value as the text it has in the table")


def number_text(value: float | Decimal | Fraction) -> str:
    """Return a number as Python writes it; raise ValueError with the fix for one with thousands of digits."""
    try:
        return str(value)
    except ValueError:
        raise ValueError("the number has too many digits; write a smaller one, or a text in quotes") from None


VALUE: dict[str, Any] = {"type": ["string", "number", "boolean", "null"]}
"""How a policy file may write a value of the table, as JSON Schema."""
VALUES: dict[str, Any] = {"anyOf": [VALUE, {"type": "array", "items": VALUE, "minItems": 1}]}
"""The same for one value or several."""
Text = Annotated[str | None, BeforeValidator(as_text), WithJsonSchema(VALUE)]


def _not_a_truth_value(value: object) -> object:
    """Refuse True and False, which Python takes for 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("write a whole number")
    return value


Whole = Annotated[int, BeforeValidator(_not_a_truth_value), Field(le=2**63 - 1)]
"""A whole number that a machine can count to."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'Job'?" for the nearest known word, or nothing."""
    folded = {name.casefold().strip(): name for name in known}
    near = difflib.get_close_matches(word.casefold().strip(), list(folded), n=1, cutoff=0.65)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def column_hint(word: str, columns: Collection[str], named: Iterable[str] = ()) -> str:
    """Return the same for a column of a table, if its columns are names for certain.

    Without a header line they are the values of the first row, which no message may tell. They are names if half of
    the columns that a policy has `named` are among them; else only one is told that the word says itself, but for
    capitals and blanks.
    """
    wanted = {name.casefold().strip() for name in named}
    found = wanted.intersection(name.casefold().strip() for name in columns)
    if found and 2 * len(found) >= len(wanted):
        return did_you_mean(word, columns)
    return did_you_mean(word, [name for name in columns if name.casefold().strip() == word.casefold().strip()])


def field_name(path: Path) -> str:
    """Return a path as people write it: protect[0].given[1]."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


@dataclass(frozen=True)
class Source:
    """Where a policy was written: the file and the line of every field."""

    file: str | None = field(default=None, compare=False)
    lines: dict[Path, int] = field(default_factory=dict, compare=False)

    @property
    def folder(self) -> FilePath:
        """Where files that the policy names are looked for."""
        return FilePath(self.file).parent if self.file is not None else FilePath()

    def problem(self, path: Path, message: str) -> Problem:
        """Return the problem at `path`, or at the nearest field around it that has a line."""
        near = path
        while near and near not in self.lines:
            near = near[:-1]
        return Problem(field_name(path), message, self.file, self.lines.get(near))


if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


class _Reporting(ModelMetaclass):
    """Makes direct calls (`Template(...)` in Python) report mistakes the way policy files do."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        positional = getattr(cls, "positional", ())
        if len(args) > len(positional):
            raise TypeError(f"{cls.__name__} takes {len(positional)} positional arguments, {len(args)} given")
        kwargs.update(zip(positional, args, strict=False))
        try:
            return super().__call__(**kwargs)
        except ValidationError as error:
            from discreet.policy.mistakes import problems_of

            raise PolicyError(problems_of(error, cls, Source())) from None


class Part(BaseModel, metaclass=_Reporting):
    """A frozen piece of a policy."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, hide_input_in_errors=True)
