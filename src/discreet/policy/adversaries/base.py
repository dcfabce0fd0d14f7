"""What every adversary of a confidential cell answers for itself, and all adversaries there are."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from discreet.common.registry import Registry, listed
from discreet.policy.cell_methods import FOR_ALL, Hideable, Method
from discreet.policy.part import Part


class Adversary(Part):
    """Who may try to guess a confidential cell; how it guesses stands in `adversary/`."""

    names: ClassVar[tuple[str, ...]]
    """The words that mean it in a policy."""
    methods: ClassVar[tuple[str, ...]] = ()
    """The methods that are against it and nobody else."""
    pronoun: ClassVar[str] = "it"
    mines_rules: ClassVar[bool] = False
    """Whether each rule that it reads in the release counts by itself, rather than the guess that it comes to."""

    @property
    def compares_numbers(self) -> bool:
        """Whether it asks of numbers and dates if they are above others, and not only if they are equal."""
        return False

    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """What it is called in a policy."""
            ...

    reference: ClassVar[str | None] = None
    """The reference of blind protection that bounds it, where one does."""
    unbounded: ClassVar[str] = (
        "is sure by construction (of one row it says 100%), so that no limit can bound it; of all adversaries only "
        "naive_bayes, without options, can be a reference"
    )
    """Why none does, or not with options."""

    @classmethod
    def named(cls, name: str, options: Mapping[str, Any]) -> Self:  # noqa: ARG003
        """Return the adversary that one of its words means, with some options."""
        return cls(**options)

    @classmethod
    def described(cls) -> str:
        """Return what people are told that may be written."""
        return cls.names[0]

    @classmethod
    def met(cls, method: str) -> tuple[str, ...]:
        """Return the words of those that a method is against."""
        return cls.names[:1] if method in cls.methods else ()

    @classmethod
    def needs_options(cls) -> bool:
        """Whether its word alone does not say enough."""
        return any(field.is_required() for field in cls.model_fields.values())

    @classmethod
    def options_schema(cls) -> dict[str, Any]:
        """Return what may be said of it, as JSON Schema: nothing at all where nothing must be."""
        return {**cls.model_json_schema(), "type": "object" if cls.needs_options() else ["object", "null"]}

    def options(self) -> dict[str, Any]:
        """Return what is said of it as plain data, but for what goes without saying."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def resolved(self, change: Literal["delete", "generalise"]) -> Adversary:  # noqa: ARG002
        """Return it with nothing left unsaid, where cells are changed in such a way."""
        return self

    def defence(self, method: Method | None, may_hide: tuple[Hideable, ...] | None) -> str:
        """Return the method that works against it: as the policy says, else as fits what may be hidden."""
        return method if method in (*FOR_ALL, *self.met_by) and method is not None else self.usual_defence(may_hide)

    @property
    def met_by(self) -> tuple[str, ...]:
        """The methods that may be against it besides those for all."""
        return self.methods

    def usual_defence(self, may_hide: tuple[Hideable, ...] | None) -> str:  # noqa: ARG002
        """Return the method against it where the policy names none."""
        return "greedy"

    def counts_as(self, method: str) -> str:
        """Return the method that says what one of them needs against it."""
        return method

    @property
    def own_columns(self) -> tuple[str, ...] | None:
        """The columns that it knows where it names them itself; None for the predictors."""
        return None

    @property
    def confidence(self) -> Fraction | None:
        """How sure it may be of a value; None where all that counts is which one it takes for the likeliest."""
        return None

    def sentence(self, given: str) -> str | None:  # noqa: ARG002
        """Return what is promised against it who knows some columns; None where it is to guess wrong, as all others."""
        return None


ADVERSARIES: Registry[type[Adversary]] = Registry("adversary")
"""All adversaries by the words that mean them, in the order in which they are told of."""


def whom(method: str) -> str:
    """Return whom a method is against, and which of them to name: "id3, c45 or decision_tree; name one"."""
    kinds = list(dict.fromkeys(kind for kind in ADVERSARIES if kind.met(method)))
    names = [name for kind in kinds for name in kind.met(method)]
    return f"{listed(names)}; name {kinds[0].pronoun if len(names) == 1 else 'one of them'}"


def register(kind: type[Adversary]) -> None:
    """Add an adversary to those that a policy may name."""
    for name in kind.names:
        ADVERSARIES.add(name, kind)


def unregister(kind: type[Adversary]) -> None:
    """Take an adversary out again."""
    for name in kind.names:
        ADVERSARIES.remove(name)
