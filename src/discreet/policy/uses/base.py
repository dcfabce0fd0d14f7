"""What every use answers for itself, and all uses there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from discreet.common.registry import Registry
from discreet.policy.matrices import Weight
from discreet.policy.mistakes import TAGGED
from discreet.policy.part import Part
from discreet.policy.places import Path

Beside = Annotated[
    tuple[str, ...] | None,
    Field(description="columns that go out as they are: only what they leave open of the target counts"),
]
Inputs = Annotated[tuple[str, ...] | None, Field(description="the columns it is predicted from; all when absent")]


class ReleaseUse(Part):
    """What a release is for: it answers for itself; what methods and measures do for it stands in their rooms."""

    name: ClassVar[str]
    """The word that tells this use from others."""
    has_fields: ClassVar[bool] = True
    """Whether it may be written with fields: `{classify: COLUMN}`."""
    is_word: ClassVar[bool] = False
    """Whether its word alone may say it: `counts`."""
    stands_alone: ClassVar[bool] = False
    """Whether it cannot be added up with others in a list."""
    weighs_columns: ClassVar[bool] = False
    """Whether it asks for detail, each column by its weight."""
    whole_cells: ClassVar[bool] = False
    """Whether a cell that is made coarser is as bad as a hidden one."""
    knows_benefit: ClassVar[bool] = False
    """Whether disclosure can tell what would not help it at all, and leave that hidden."""

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, value: object) -> object:
        return {} if cls.is_word and value == cls.name else value

    @classmethod
    def written(cls) -> str:
        """Return how it is written in a policy, at its shortest."""
        return cls.name if cls.is_word else f"{{{cls.name}: COLUMN}}"

    @property
    def importance(self) -> Fraction:
        """How much it counts in a list of uses."""
        return Fraction(1)

    @property
    def same(self) -> object:
        """What two uses of this kind may not have in common: then they are one."""
        return None

    @property
    def purpose(self) -> str:
        """What the release is for, in few words."""
        return self.name

    def in_words(self) -> str:
        """Say what the release is for."""
        return f"{self.purpose} use"

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each place of it that names a column of the table."""
        yield from ()

    def beyond_disclosure(self) -> str | None:
        """What it asks for that top-down disclosure, which never suppresses a row, cannot reckon with."""
        return None


class WeightedUse(ReleaseUse):
    """A use that may stand in a list of uses with a weight."""

    weight: Weight = Field(default=Fraction(1), description="how much it counts in a list of uses")

    @property
    def importance(self) -> Fraction:
        """How much it counts in a list of uses."""
        return self.weight

    @model_validator(mode="after")
    def _weighs_something(self) -> Self:
        if not self.weight:
            raise ValueError("weight: must be more than 0; take the use out instead")
        return self

    @property
    def implied(self) -> Mapping[str, object]:
        """What fields are when absent, where others say so."""
        return {}

    @model_serializer(mode="wrap")
    def _only_what_differs(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out defaults: most uses are said in one word."""
        said: dict[str, Any] = plain(self)
        usual = {field.alias or name: field.default for name, field in type(self).model_fields.items()}
        usual |= self.implied
        own = {field.alias or name: getattr(self, name) for name, field in type(self).model_fields.items()}
        return {name: value for name, value in said.items() if own.get(name) != usual.get(name)}


class PredictingUse(WeightedUse):
    """A use that predicts one column from others: the column stays as it is, and what tells of it counts."""

    positional: ClassVar[tuple[str, ...]] = ("target",)
    reads_numbers: ClassVar[bool] = False
    """Whether the target is read as numbers; else its values are classes."""
    target: str
    inputs: Inputs = None
    beside: Beside = None

    @model_validator(mode="before")
    @classmethod
    def _suppressed_beside(cls, value: object) -> object:
        """What columns beside leave open of a suppressed row is what it costs, if nothing else is said."""
        known = "suppressed" in cls.model_fields
        if known and isinstance(value, Mapping) and value.get("beside") is not None and "suppressed" not in value:
            return {**value, "suppressed": "beside"}
        return value

    @property
    def implied(self) -> Mapping[str, object]:
        """What fields are when absent, where others say so."""
        return {} if self.beside is None else {"suppressed": "beside"}

    @model_validator(mode="after")
    def _beside_fits(self) -> Self:
        if self.beside is None:
            if getattr(self, "suppressed", None) == "beside":
                raise ValueError("suppressed: 'beside' says what columns beside leave open; name them in 'beside'")
            return self
        if not self.beside or len(set(self.beside)) < len(self.beside):
            raise ValueError("beside: name at least one column, each once")
        if self.target in self.beside:
            raise ValueError(f"beside: {self.target!r} is what is to be predicted; take it out")
        return self

    @model_validator(mode="after")
    def _inputs_fit(self) -> Self:
        if self.inputs is None:
            return self
        if not self.inputs or len(set(self.inputs)) < len(self.inputs):
            raise ValueError("inputs: name at least one column, each once")
        if self.target in self.inputs:
            raise ValueError(f"inputs: {self.target!r} is what is to be predicted; take it out")
        return self

    @property
    def same(self) -> object:
        """What two uses of this kind may not have in common: then they are one."""
        return self.target

    @property
    def purpose(self) -> str:
        """What the release is for, in few words."""
        beyond = f" beyond what {', '.join(self.beside)} tell{'s' * (len(self.beside) == 1)}" if self.beside else ""
        return f"predicting {self.target}{beyond}"

    def in_words(self) -> str:
        """Say what the release is for."""
        return self.purpose

    def sees(self, column: str) -> bool:
        """Whether the target is predicted from a column, too."""
        return self.inputs is None or column in self.inputs or column in (self.beside or ())

    def beyond_disclosure(self) -> str | None:
        """What it asks for that top-down disclosure, which never suppresses a row, cannot reckon with."""
        return None if self.beside is None else "'beside'"

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each place of it that names a column of the table."""
        yield (self.name,), self.target
        for place, column in enumerate(self.inputs or ()):
            yield ("inputs", place), column
        for place, column in enumerate(self.beside or ()):
            yield ("beside", place), column

    def values_named(self) -> Mapping[str, frozenset[str]]:
        """Return the values of the target that it names, by the field that names them."""
        return {}


USES: Registry[type[ReleaseUse]] = Registry("use")
"""All uses, in the order in which they are told of."""


def register(kind: type[ReleaseUse]) -> None:
    """Add a use to those that a policy may ask for."""
    TAGGED[kind.name] = kind
    USES.add(kind.name, kind)


def unregister(kind: type[ReleaseUse]) -> None:
    """Take a use out again."""
    del TAGGED[kind.name]
    USES.remove(kind.name)
