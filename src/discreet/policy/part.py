"""What all parts of a policy have in common: frozen, no unknown fields, mistakes reported for people."""

from __future__ import annotations

from inspect import Signature
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from discreet.common.values import as_text
from discreet.errors import PolicyError
from discreet.policy.mistakes import problems_of
from discreet.policy.places import PolicySource
from discreet.policy.signatures import describe, plain_signature


class Frozen(dict[str, Any]):
    """A mapping that stays as it is, as the policy around it does."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a policy is frozen; make a new one")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[Frozen], tuple[dict[str, Any]]]:
        return Frozen, (dict(self),)


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
            raise PolicyError(problems_of(error, cls, PolicySource())) from None

    def __dir__(cls) -> list[str]:  # noqa: N805
        return [name for name in super().__dir__() if name.startswith("__") or name not in _MACHINERY]

    @property
    def __signature__(cls) -> Signature:  # noqa: N805
        """How it is called, for people. Pydantic gives a class one of its own whenever it builds it: not taken."""
        return plain_signature(cls)  # type: ignore[arg-type]

    @__signature__.setter
    def __signature__(cls, _: object) -> None:  # noqa: N805
        pass


class Part(BaseModel, metaclass=_Reporting):
    """A frozen piece of a policy."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, hide_input_in_errors=True, defer_build=True
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Let it be read by people, too."""
        describe(cls)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name.startswith("__") or name not in _MACHINERY]


_MACHINERY = frozenset(dir(BaseModel))
"""Names that every Pydantic model has: of use to discreet, noise to people."""
