"""How the parts of a policy are called in Python, for people: plain signatures, and a line for every parameter."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from fractions import Fraction
from inspect import Parameter, Signature, cleandoc
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

_HEAD = "Parameters\n----------"
_SHORT = {Fraction: "str | float | Fraction", type(None): "None"}


class _Spelled(str):
    """A text that is shown as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def plain_signature(model: type[BaseModel]) -> Signature:
    """Return the signature of a part of a policy that people can read."""
    return Signature(list(_parameters(model)))


def describe(model: type[BaseModel]) -> None:
    """Give a part of a policy a description of every parameter."""
    doc = cleandoc(model.__doc__ or "")
    told = [(name, field.description) for name, field in model.model_fields.items()]
    if _HEAD not in doc and any(text for _, text in told):
        lines = "\n".join(f"{name}\n    {_sentence(text)}" for name, text in told if text)
        first, mark, rest = doc.partition("\n\nExamples\n---")
        model.__doc__ = f"{first}\n\n{_HEAD}\n{lines}{mark}{rest}"


def _sentence(text: str) -> str:
    """Return a description as a sentence; one that begins with a word to be written stays as it is.

    >>> _sentence("cuts that are kept"), _sentence("mask: hidden")
    ('Cuts that are kept.', 'mask: hidden.')
    """
    ended = text if text.endswith(".") else f"{text}."
    return ended if text.partition(" ")[0].endswith(":") else f"{ended[:1].upper()}{ended[1:]}"


def _parameters(model: type[BaseModel]) -> Iterator[Parameter]:
    """Yield the parameters, those that may be given by position first, then those that must be given."""
    positional = getattr(model, "positional", ())
    fields = model.model_fields
    first = [name for name in positional if name in fields]
    rest = sorted((name for name in fields if name not in first), key=lambda name: not fields[name].is_required())
    for name in (*first, *rest):
        kind = Parameter.POSITIONAL_OR_KEYWORD if name in first else Parameter.KEYWORD_ONLY
        yield Parameter(
            name, kind, default=_default(fields[name]), annotation=_Spelled(_plain(fields[name].annotation))
        )


def _default(field: FieldInfo) -> object:
    if field.is_required():
        return Parameter.empty
    if field.default_factory is not None:
        name = getattr(field.default_factory, "__name__", "")
        return _Spelled("{}" if name in ("Frozen", "dict") else f"{name}()")
    return _Spelled(field.default) if isinstance(field.default, Fraction) else field.default


def _plain(kind: Any) -> str:
    """Return a type without what only machines read.

    >>> _plain(tuple[Annotated[str, "checked"], ...] | None)
    'Sequence[str] | None'
    """
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _plain(args[0])
    if origin is Literal:
        return " | ".join(map(repr, args))
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(part for arg in args for part in _plain(arg).split(" | ")))
    if origin in (tuple, list):
        return f"Sequence[{_plain(args[0])}]"
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return f"Mapping[{', '.join(map(_plain, args))}]"
    if kind is Any or kind is object:
        return "object"
    if hasattr(kind, "model_fields"):  # plain data will do
        return f"{'Requirement' if kind.__name__ == 'Part' else kind.__name__} | dict"
    return _SHORT.get(kind) or str(getattr(kind, "__name__", kind))
