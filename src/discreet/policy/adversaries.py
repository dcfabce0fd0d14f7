"""Who may try to guess a confidential cell: naive Bayes, ID3, association rules, learners of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    InstanceOf,
    PlainSerializer,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from discreet.common.shares import Share
from discreet.errors import PolicyError
from discreet.policy.matrices import Weight
from discreet.policy.part import Part, Whole
from discreet.policy.places import did_you_mean

MOST_CONDITIONS = 20
"""There are rules over all subsets of the conditions."""


class NaiveBayes(Part):
    """An adversary who trains naive Bayes on the released rows with a known class.

    Parameters
    ----------
    nulls
        What unknown values of a predictor mean in training: `count`: rows with one count in the denominator, as in the
        thesis (the usual meaning where values are deleted); `drop`: they do not; `spread`: they, and every taxonomy
        node, are spread over the values below it in proportion (the usual meaning where values are generalised).
    laplace
        Added to every count of a value; 0 for none.

    Examples
    --------
    >>> NaiveBayes(laplace=1).laplace
    Fraction(1, 1)
    """

    nulls: Literal["count", "drop", "spread"] | None = Field(
        default=None,
        description="count: rows with an unknown value count in the denominator; drop: they do not; spread: they and "
        "taxonomy nodes are spread over the values below",
    )
    laplace: Weight = Field(default=Fraction(0), description="added to every count of a value")

    if TYPE_CHECKING:

        def __init__(
            self, *, nulls: Literal["count", "drop", "spread"] | None = ..., laplace: object = ...
        ) -> None: ...

    @model_validator(mode="after")
    def _adds_up(self) -> NaiveBayes:
        if self.laplace and self.nulls == "spread":
            raise ValueError("laplace: cannot be added to counts that are spread; write nulls: count or drop")
        if self.laplace.denominator > 1000 or self.laplace > 1000:
            raise ValueError("laplace: write a number up to 1000 with at most 3 decimals")
        return self

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "naive_bayes"


class Id3(Part):
    """An adversary who trains an ID3 decision tree on the released rows with a known class.

    Rows whose class is released as a group train as the commonest value of it, or not at all: neither tree may guess.
    """

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "id3"


class Rules(Part):
    """An adversary who mines association rules from the release: any of the row's conditions -> its value.

    Parameters
    ----------
    min_confidence, min_support
        A rule leaks a cell when both its confidence and its support (in rows) are above these.
    conditions
        The columns that rules may use; those of `predictors` when absent.
    denominator
        Whether rows whose sensitive cell is hidden count among those that have the conditions (`all`), or are left out
        (`published`).
    prior
        What to do where a confidential value is so common that it is above `min_confidence` without any condition:
        `refuse`, or `warn`.

    Examples
    --------
    >>> Rules(min_confidence="60%").min_support
    0
    """

    min_confidence: Share = Field(description="a rule leaks a cell when its confidence is above this")
    min_support: Whole = Field(default=0, ge=0, description="and its support, in rows, is above this")
    conditions: tuple[str, ...] | None = Field(default=None, description="the columns that rules may use")
    denominator: Literal["all", "published"] = Field(
        default="all", description="whether rows with a hidden sensitive cell count among those with the conditions"
    )
    prior: Literal["refuse", "warn"] = Field(
        default="refuse", description="what to do with values that are above min_confidence without any condition"
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            min_confidence: str | float | Fraction,
            min_support: int = ...,
            conditions: Sequence[str] | None = ...,
            denominator: Literal["all", "published"] = ...,
            prior: Literal["refuse", "warn"] = ...,
        ) -> None: ...

    @field_validator("conditions")
    @classmethod
    def _few(cls, conditions: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if conditions is not None and (not conditions or len(set(conditions)) < len(conditions)):
            raise ValueError("name at least one column, each once")
        if conditions is not None and len(conditions) > MOST_CONDITIONS:
            raise ValueError(too_many_conditions(len(conditions)))
        return conditions

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "rules"


def too_many_conditions(number: int) -> str:
    """Return what to say of so many conditions."""
    return (
        f"{number} conditions make 2^{number} - 1 rules for every cell; name at most {MOST_CONDITIONS} columns, "
        "those that an adversary may know of a person"
    )


LEARNERS = (
    "logistic_regression", "linear_svm", "random_forest", "gradient_boosting", "k_nearest", "decision_tree",
)  # fmt: skip


class Learner(Part):
    """An adversary who trains a learner of scikit-learn (extra `attacks`) on the released rows with a known class."""

    name: Literal[
        "logistic_regression", "linear_svm", "random_forest", "gradient_boosting", "k_nearest", "decision_tree"
    ]


Adversary: TypeAlias = NaiveBayes | Id3 | Learner | Rules
KINDS: dict[str, type[NaiveBayes] | type[Id3] | type[Rules]] = {"naive_bayes": NaiveBayes, "id3": Id3, "rules": Rules}


def _as_adversary(value: object) -> object:
    if isinstance(value, (NaiveBayes, Id3, Learner, Rules)):
        return value
    name: object
    options: object = {}
    if isinstance(value, str):
        name = value
    elif isinstance(value, Mapping) and len(value) == 1:
        name, options = next(iter(value.items()))
    else:
        raise ValueError("write naive_bayes, id3, or an adversary with options such as {naive_bayes: {laplace: 1}}")
    known = [*KINDS, *LEARNERS]
    if not isinstance(name, str) or name not in known:
        raise ValueError(
            f"unknown adversary {name!r}{did_you_mean(str(name), known) or '; known: ' + ', '.join(known)}"
        )
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        raise ValueError(f"{name}: write options and values, such as {{naive_bayes: {{laplace: 1}}}}")
    if name in LEARNERS and options:
        raise ValueError(f"{name}: has no options")
    try:
        return Learner(name=name) if name in LEARNERS else KINDS[name](**options)
    except PolicyError as error:
        raise ValueError(f"{name}: {error.problems[0]}") from None
    except TypeError:
        raise ValueError(f"{name}: an option is a word") from None


def _plain_adversary(adversary: Adversary) -> object:
    if isinstance(adversary, Learner):
        return adversary.name
    options = adversary.model_dump(mode="json", exclude_defaults=True)
    return {adversary.name: options} if options else adversary.name


def _options_schema(kind: type[Part]) -> dict[str, Any]:
    """Return what may be said of an adversary, as JSON Schema: nothing at all where nothing must be."""
    told = kind.model_json_schema()
    return {**told, "type": "object" if told.get("required") else ["object", "null"]}


_OPTIONS: dict[str, dict[str, Any]] = {
    **{name: _options_schema(kind) for name, kind in KINDS.items()},
    **{name: {"type": ["object", "null"], "maxProperties": 0} for name in LEARNERS},
}
AdversaryField = Annotated[
    InstanceOf[NaiveBayes] | InstanceOf[Id3] | InstanceOf[Learner] | InstanceOf[Rules],
    BeforeValidator(_as_adversary),
    PlainSerializer(_plain_adversary),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": [name for name, options in _OPTIONS.items() if "null" in options["type"]]},
                {
                    "type": "object",
                    "properties": _OPTIONS,
                    "additionalProperties": False,
                    "minProperties": 1,
                    "maxProperties": 1,
                },
            ]
        }
    ),
]
