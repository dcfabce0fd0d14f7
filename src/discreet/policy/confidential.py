"""Confidential cells: single cells that stay unknown, also to whoever trains a classifier on the release.

An item of `protect` with `column` says of which rows the cell is confidential (`rows`, `ids` or `where`), from which
columns an adversary may predict it (`predictors`), by what (`against`), and what may be changed to prevent that
(`method`, `change`, `may_hide`, `must_publish`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from discreet.common.shares import Share, percent
from discreet.common.text_file import read_text
from discreet.errors import InputError, PolicyError
from discreet.policy.decoys import Decoys
from discreet.policy.marks import read_marks
from discreet.policy.matrices import Weight
from discreet.policy.part import VALUES, Frozen, Part, Text, Whole
from discreet.policy.places import Path, did_you_mean

Method: TypeAlias = Literal[
    "decp", "incp", "dropp", "hid3", "e-decp", "e-dropp", "nrd", "greedy",
    "smc", "max-descendant", "random-max", "random", "hitting-set", "cr", "exact",
]  # fmt: skip
Hideable: TypeAlias = Literal["own.conditions", "others.conditions", "others.sensitive"]

NEEDS: dict[str, frozenset[Hideable]] = {
    "decp": frozenset({"others.conditions"}),
    "e-decp": frozenset({"others.conditions"}),
    "incp": frozenset({"others.sensitive"}),
    "dropp": frozenset({"own.conditions"}),
    "e-dropp": frozenset({"own.conditions"}),
    "hid3": frozenset({"own.conditions"}),
    "greedy": frozenset({"own.conditions"}),
    "nrd": frozenset(),
    "smc": frozenset({"others.sensitive"}),
    "max-descendant": frozenset({"others.conditions"}),
    "random-max": frozenset({"others.conditions"}),
    "random": frozenset({"others.conditions"}),
    "hitting-set": frozenset({"own.conditions"}),
    "cr": frozenset(),
    "exact": frozenset(),
    "best": frozenset(),
}
"""What each method must be allowed to change."""
USUAL: dict[str, frozenset[Hideable]] = {
    **NEEDS,
    "incp": frozenset({"others.sensitive", "others.conditions"}),
    "cr": frozenset({"others.sensitive"}),
    "exact": frozenset({"others.sensitive"}),
    "best": frozenset({"others.sensitive"}),
}
"""What each method may change when the policy does not say."""
AGAINST_BAYES = ("decp", "incp", "dropp", "e-decp", "e-dropp")
AGAINST_RULES = ("smc", "max-descendant", "random-max", "random", "hitting-set", "cr", "exact")
"""Beside `greedy` (the cell that helps most, again and again) and `best` (what fits what may be hidden)."""
CASES: dict[str, tuple[Hideable, ...]] = {
    "a": ("others.sensitive",),
    "b": ("others.conditions",),
    "c": ("own.conditions",),
    "d": ("others.conditions", "own.conditions"),
    "e": ("others.sensitive", "own.conditions"),
    "f": ("others.conditions", "others.sensitive", "own.conditions"),
    "g": ("others.conditions", "others.sensitive"),
    "h": (),
}
"""The paper's names for what may be hidden."""
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


def _values_or_file(schema: dict[str, Any]) -> None:
    """Say in the JSON Schema that a file may stand in the place of the values."""
    schema["properties"]["file"] = {"type": "string", "description": "a text file with one id to a line"}
    schema["required"] = ["column"]
    schema["oneOf"] = [{"required": ["values"]}, {"required": ["file"]}]


class Ids(Part):
    """Rows by the value they have in some column, written in the policy or one to a line in a file."""

    model_config = ConfigDict(json_schema_extra=_values_or_file)

    column: str = Field(description="the column with the ids; often an identifier, which is left out of the release")
    values: tuple[Text, ...] = Field(
        json_schema_extra={"items": {"type": ["string", "number", "boolean"]}, "minItems": 1},
        description="the ids; or `file`, a text file with one to a line",
    )

    @model_validator(mode="before")
    @classmethod
    def _from_file(cls, said: Any, info: ValidationInfo) -> Any:
        if not isinstance(said, Mapping) or "file" not in said:
            return said
        if "values" in said:
            raise ValueError("file: stands beside values; keep one of them")
        name = said["file"]
        if not isinstance(name, (str, FilePath)):
            raise ValueError("file: write the name of a text file with one id to a line")
        try:
            text = read_text(FilePath((info.context or {}).get("folder", FilePath())) / name, "ids")
        except InputError as error:
            raise ValueError(f"file: {error}") from None
        ids = [line.rstrip("\r") for line in text.split("\n") if line.strip()]
        return {**{key: value for key, value in said.items() if key != "file"}, "values": ids}

    @field_validator("values")
    @classmethod
    def _some(cls, values: tuple[str | None, ...]) -> tuple[str | None, ...]:
        if not values:
            raise ValueError("name at least one id")
        if None in values:
            raise ValueError("a missing value is no id")
        return tuple(dict.fromkeys(values))


def _as_regions(value: object) -> object:
    return CASES[value] if isinstance(value, str) and value in CASES else value


def _row_numbers(rows: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if rows is None:
        return None
    if not rows:
        raise ValueError("name at least one row")
    if min(rows) < 1:
        raise ValueError("rows are counted from 1")
    if len(set(rows)) < len(rows):
        raise ValueError("a row is listed twice")
    return tuple(sorted(rows))


class Published(Part):
    """Cells that must be released as they are: a column, or only some of its rows."""

    column: str
    rows: tuple[Whole, ...] | None = Field(
        default=None, description="row numbers of the input, from 1; all when absent"
    )


def _as_published(value: object, info: ValidationInfo) -> object:
    """Return items with names of columns and of files replaced by what they stand for."""
    if not isinstance(value, (list, tuple)):
        return value
    items: list[object] = []
    for place, item in enumerate(value):
        if isinstance(item, Mapping) and "file" in item:
            items += _marked(item, f"item {place + 1}: file", info)
        else:
            items.append({"column": item} if isinstance(item, str) else item)
    return items


def _marked(item: Mapping[str, object], where: str, info: ValidationInfo) -> list[object]:
    """Return the cells that a file lists, column by column."""
    name = item["file"]
    if len(item) > 1:
        raise ValueError(f"{where}: stands beside other fields; write {{file: ...}} as an item of its own")
    if not isinstance(name, (str, FilePath)):
        raise ValueError(f"{where}: write the name of a text file with one row,column to a line")
    try:
        cells = read_marks(FilePath((info.context or {}).get("folder", FilePath())) / name)
    except InputError as error:
        raise ValueError(f"{where}: {error}") from None
    return [{"column": column, "rows": rows} for column, rows in cells.items()]


def _as_condition(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {
        column: tuple(values) if isinstance(values, (list, tuple)) else (values,) for column, values in value.items()
    }


def _plain_condition(where: Mapping[str, tuple[str | None, ...]] | None) -> object:
    if where is None:
        return None
    return {column: values[0] if len(values) == 1 else list(values) for column, values in where.items()}


def _each_once(columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if columns is None:
        return None
    if not columns:
        raise ValueError("name at least one column")
    if len(set(columns)) < len(columns):
        raise ValueError("a column is listed twice")
    return columns


class Confidential(Part):
    """Some rows' cells of a column stay unknown, also to who trains a classifier on the release or mines rules from it.

    Parameters
    ----------
    column
        The column with the confidential cells.
    rows, ids, where
        Which rows: their numbers in the input, from 1; those with some id; or those that meet a condition. One of them.
    predictors
        The columns from which the cell could be predicted; all other released ones when absent.
    against
        Who tries: `naive_bayes`, `id3`, learners of scikit-learn by name, `Rules(...)`, `NaiveBayes(...)` with options.
    method
        How the cells are protected; by the adversary when absent: `dropp`, `hid3`, `greedy`, the best against rules.
    change
        Whether values are deleted or generalised (by the taxonomies of their columns).
    may_hide, must_publish
        What may be changed, and cells that may not: columns, `{column, rows}`, or `{file}`, a text file (beside the
        policy) with one `row,column` to a line; a first line `row,column` is a header.
    tells
        Where to be hidden tells the value, because `where` names the column of the cells itself or because all hidden
        cells have one value that no released row has any more: `refuse`, or `warn`.
    decoys
        So large a share of the hidden cells of the column (`"50%"`) has other values than the confidential ones: cells
        of other rows, drawn by lot, are hidden and protected like these. Against rules also True: other values are
        hidden as far as that helps.
    guesses
        Among how many of the most probable values the one is drawn that becomes at least as probable as the true one.
    strict
        Whether a tie with the true value is not enough.
    two_values
        Where the column has only two values, hiding one tells the other: `refuse`, or leave it to the `lot`.
    on_failure
        What becomes of a row that cannot be protected: `fail` (nothing is released) or `remove` the row.
    knows
        Whether the adversary knows the row's `original` values where a recoding released others, or only what was
        `released` of it.

    Examples
    --------
    >>> bob = Confidential(column="Diagnosis", where={"Name": "Bob"}, predictors=["Pain", "Age"], method="dropp")
    >>> print(bob)
    Diagnosis of rows where Name = Bob, against naive_bayes
    """

    kind: ClassVar[str] = "confidential"

    column: str = Field(description="the column with the confidential cells")
    rows: Annotated[tuple[Whole, ...] | None, AfterValidator(_row_numbers)] = Field(
        default=None, description="row numbers of the input, from 1"
    )
    ids: Ids | None = None
    where: Annotated[
        Mapping[str, tuple[Text, ...]] | None,
        BeforeValidator(_as_condition),
        PlainSerializer(_plain_condition),
        WithJsonSchema({"type": ["object", "null"], "additionalProperties": VALUES}),
    ] = Field(
        default=None,
        description="columns and the value (or values) that they have in these rows",
    )
    predictors: Annotated[tuple[str, ...] | None, AfterValidator(_each_once)] = Field(
        default=None, description="the columns it could be predicted from; all other released ones when absent"
    )
    against: tuple[AdversaryField, ...] = Field(
        default=(), description="who tries: naive_bayes (default), id3, rules, or a learner of scikit-learn"
    )
    method: Method | None = Field(default=None, description="how the cells are protected; by the adversary when absent")
    change: Literal["delete", "generalise"] = Field(
        default="delete", description="delete: hide a value; generalise: release a group of its taxonomy"
    )
    may_hide: Annotated[
        tuple[Hideable, ...] | None,
        BeforeValidator(_as_regions),
        WithJsonSchema(
            {
                "anyOf": [
                    {"type": "array", "items": {"enum": list(CASES["f"])}},
                    {"enum": [*CASES, None]},
                ]
            }
        ),
    ] = Field(
        default=None,
        description="what may be changed: own.conditions (the row's own predictors), others.conditions (other rows' "
        "predictors), others.sensitive (other rows' cells of the column)",
    )
    must_publish: Annotated[tuple[Published, ...], BeforeValidator(_as_published)] = Field(
        default=(),
        description="columns, or cells ({column: ..., rows: [...]}, or {file: cells.csv} with one row,column to a line "
        "and perhaps that header), that are released as they are",
        json_schema_extra={
            "items": {
                "anyOf": [
                    {"type": "string"},
                    Published.model_json_schema(),
                    {
                        "type": "object",
                        "properties": {"file": {"type": "string"}},
                        "required": ["file"],
                        "additionalProperties": False,
                    },
                ]
            }
        },
    )
    tells: Literal["refuse", "warn"] = Field(
        default="refuse",
        description="what to do where to be hidden tells the value: where names the column of the cells itself, or "
        "all hidden cells have one value that no released row has any more",
    )
    decoys: Decoys = Field(
        default=False,
        description="so large a share of the hidden cells of the column has other values, hidden for this purpose; "
        "against rules also true: other values are hidden as far as that helps",
    )
    guesses: Whole = Field(default=3, description="among how many of the likeliest values the better guess is drawn")
    strict: bool = Field(default=False, description="whether a tie with the true value is not enough")
    two_values: Literal["refuse", "lot"] = Field(
        default="refuse", description="what to do where the column has only two values"
    )
    on_failure: Literal["fail", "remove"] = Field(
        default="fail", description="what becomes of a row that cannot be protected"
    )
    knows: Literal["original", "released"] = Field(
        default="original", description="what the adversary knows of the row where a recoding changed its values"
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            column: str,
            rows: Sequence[int] | None = ...,
            ids: Ids | Mapping[str, object] | None = ...,
            where: Mapping[str, object] | None = ...,
            predictors: Sequence[str] | None = ...,
            against: Sequence[Adversary | str | Mapping[str, object]] = ...,
            method: Method | None = ...,
            change: Literal["delete", "generalise"] = ...,
            may_hide: Sequence[Hideable] | Literal["a", "b", "c", "d", "e", "f", "g", "h"] | None = ...,
            must_publish: Sequence[str | Published | Mapping[str, object]] = ...,
            tells: Literal["refuse", "warn"] = ...,
            decoys: bool | str | float | Fraction = ...,
            guesses: int = ...,
            strict: bool = ...,
            two_values: Literal["refuse", "lot"] = ...,
            on_failure: Literal["fail", "remove"] = ...,
            knows: Literal["original", "released"] = ...,
        ) -> None: ...

    @field_validator("where")
    @classmethod
    def _a_condition(cls, where: Mapping[str, tuple[str | None, ...]] | None) -> Mapping[str, Any] | None:
        if where is not None and (not where or not all(where.values())):
            raise ValueError("write at least one column and its value, such as {Name: Bob}")
        return None if where is None else Frozen(where)

    @field_validator("guesses")
    @classmethod
    def _several(cls, guesses: int) -> int:
        if guesses < 2:
            raise ValueError("the true value is one of the guesses: write 2 or more")
        return guesses

    @model_validator(mode="after")
    def _one_choice_of_rows(self) -> Confidential:
        said = [name for name in ("rows", "ids", "where") if getattr(self, name) is not None]
        if len(said) != 1:
            raise ValueError("say whose cells are confidential by exactly one of rows, ids and where")
        return self

    @model_validator(mode="after")
    def _predicted_from_others(self) -> Confidential:
        if self.column in (self.predictors or ()):
            raise ValueError(f"predictors: {self.column!r} is what is to be predicted; take it out")
        if self.column in {item.column for item in self.must_publish if item.rows is None}:
            raise ValueError(f"must_publish: {self.column!r} cannot be both confidential and published")
        return self

    @model_validator(mode="after")
    def _method_fits(self) -> Confidential:
        if len({type(adversary) for adversary in self.against if not isinstance(adversary, Learner)}) + len(
            {adversary for adversary in self.against if isinstance(adversary, Learner)}
        ) < len(self.against):
            raise ValueError("against: an adversary is listed twice")
        if problem := self._misfit():
            raise ValueError(problem)
        return self

    def _misfit(self) -> str | None:
        """What is wrong with the method for these adversaries and what may be changed."""
        methods = [method for _, method in self.defences]
        if self.method in AGAINST_BAYES and self.method not in methods:
            return f"method: {self.method} is against naive_bayes; name it in against, or choose another method"
        if self.method == "hid3" and "hid3" not in methods:
            return "method: hid3 is against id3; name it in against, or choose another method"
        if self.method in AGAINST_RULES and self.method not in methods:
            return f"method: {self.method} is against rules; name them in against, or choose another method"
        if self.change == "generalise" and any(isinstance(adversary, Rules) for adversary in self.against):
            return "change: rules take a coarser value for another one; write change: delete"
        if self.decoys is True and not any(isinstance(adversary, Rules) for adversary in self.against):
            return "decoys: true is against rules; name them in against, or write a share such as decoys: 50%"
        if self.decoys and self.method == "nrd":
            return "decoys: nrd leaves rows out and hides nothing; choose another method, or leave decoys out"
        if self.column in {name for each in self.against if isinstance(each, Rules) for name in each.conditions or ()}:
            return f"against: {self.column!r} is what is to be inferred; take it out of conditions"
        if self.change == "generalise" and {"greedy", "nrd"} & set(methods):
            return "change: generalise is for naive_bayes and id3 with their own methods; write change: delete"
        if self.decoys is True and not self.may("others.sensitive"):
            return "decoys: are other rows' cells of the column; allow others.sensitive, or leave decoys out"
        for adversary, method in self.defences:
            needs = frozenset() if isinstance(adversary, Rules) and method == "greedy" else NEEDS[method]
            if self.may_hide is not None and not needs <= set(self.may_hide):
                needed = ", ".join(sorted(needs))
                return f"may_hide: {method} against {adversary.name} needs {needed}"
        return None

    @property
    def adversaries(self) -> tuple[Adversary, ...]:
        """Who tries to predict the cells, with nothing left unsaid."""
        usual: Adversary = Id3() if self.method == "hid3" else NaiveBayes()
        return tuple(self._resolved(adversary) for adversary in self.against or (usual,))

    def _resolved(self, adversary: Adversary) -> Adversary:
        if isinstance(adversary, NaiveBayes) and adversary.nulls is None:
            spread = self.change == "generalise" and not adversary.laplace
            return NaiveBayes(nulls="spread" if spread else "count", laplace=adversary.laplace)
        return adversary

    @property
    def defences(self) -> tuple[tuple[Adversary, str], ...]:
        """Each adversary with the method that works against it, in the order in which they take turns."""
        found = [(adversary, self._defence(adversary)) for adversary in self.adversaries]
        order = ("best", *AGAINST_RULES, "hid3", *AGAINST_BAYES, "greedy", "nrd")
        return tuple(sorted(found, key=lambda pair: order.index(pair[1])))

    def _defence(self, adversary: Adversary) -> str:
        if self.method in ("nrd", "greedy"):
            return self.method
        if isinstance(adversary, Rules):
            return self.method if self.method in AGAINST_RULES else "best"
        if isinstance(adversary, Id3):
            return "hid3"
        if isinstance(adversary, Learner):
            return "greedy"
        if self.method in AGAINST_BAYES:
            return self.method
        allowed = set(self.may_hide) if self.may_hide is not None else {"own.conditions"}
        if "own.conditions" in allowed:
            return "dropp"
        return "incp" if "others.sensitive" in allowed else "decp"

    @property
    def by_own_value(self) -> bool:
        """Whether the cells are chosen by what is in them."""
        return self.column in (self.where or {})

    @property
    def decoy_share(self) -> Fraction | None:
        """The share of other values that the hidden cells must have, where the policy says one."""
        return None if isinstance(self.decoys, bool) else self.decoys

    @property
    def most_alike(self) -> Fraction | None:
        """How large a share of the hidden cells may have one confidential value; None where nothing is said.

        Decoys against rules are hidden as far as they help. Only where cells are chosen by their own value they must
        be enough: within the confidence that rules may have.
        """
        if self.decoy_share is not None:
            return 1 - self.decoy_share
        if self.decoys and self.by_own_value and self.tells == "refuse":
            return min(each.min_confidence for each in self.adversaries if isinstance(each, Rules))
        return None

    @property
    def removes(self) -> bool:
        """Whether rows may be left out of the release."""
        return self.on_failure == "remove" or self.method == "nrd"

    def may(self, what: Hideable) -> bool:
        """Whether cells of this kind may be changed."""
        if self.may_hide is not None:
            return what in self.may_hide
        return any(
            what in USUAL["best" if isinstance(adversary, Rules) and method == "greedy" else method]
            for adversary, method in self.defences
        )

    def promises(self, index: int) -> Iterator[Any]:
        """Yield nothing: single cells are no promise about groups."""
        del index
        yield from ()

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column of the release that it names, with its place."""
        yield ("column",), self.column
        for place, column in enumerate(self.predictors or ()):
            yield ("predictors", place), column
        for column in dict.fromkeys(item.column for item in self.must_publish):
            yield ("must_publish",), column
        for place, adversary in enumerate(self.against):
            for column in (adversary.conditions or ()) if isinstance(adversary, Rules) else ():
                yield ("against", place, "rules", "conditions"), column

    def looks_up(self) -> Iterator[tuple[Path, str]]:
        """Yield each column by which rows are found; these may be left out of the release."""
        if self.ids is not None:
            yield ("ids", "column"), self.ids.column
        for column in self.where or ():
            yield ("where", column), column

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        given = "any other released columns" if self.predictors is None else ", ".join(self.predictors)
        kept = [f"The {self.column} of {self._which()} is hidden"]
        names = [each.name.replace("_", " ") for each in self.adversaries if not isinstance(each, Rules)]
        if names:
            who = " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
            more = "another value more probable" if self.strict else "another value as probable"
            kept.append(f"whoever trains {who} on {given} of the release finds {more} for it")
        for each in self.adversaries:
            if isinstance(each, Rules):
                conditions = given if each.conditions is None else ", ".join(each.conditions)
                rows = f" in more than {each.min_support} rows" if each.min_support else ""
                kept.append(
                    f"no rule from {conditions} of the row to its value is true{rows} with more than "
                    f"{percent(each.min_confidence)} confidence"
                )
        if self.decoy_share is not None:
            kept.append(f"at least {percent(self.decoy_share)} of the hidden cells of {self.column} have another value")
        return ", and ".join(kept) + "."

    def in_public(self) -> str:
        """Return the promise without saying whose cells, or how many."""
        names = ", ".join(each.name.replace("_", " ") for each in self.adversaries)
        others = "" if self.decoy_share is None else f", cells of others beside them ({percent(self.decoy_share)})"
        return (
            f"Cells of {self.column} whose owners wanted it are hidden{others}, and further cells as far as needed "
            f"against guesses by {names}."
        )

    def __str__(self) -> str:
        return (
            f"{self.column} of {self._which()}, against {', '.join(adversary.name for adversary in self.adversaries)}"
        )

    def _which(self) -> str:
        """Say in a few words whose cells they are; ids are not told."""
        if self.rows is not None:
            return f"row {self.rows[0]}" if len(self.rows) == 1 else f"{len(self.rows)} rows"
        if self.ids is not None:
            return f"the rows with {len(self.ids.values)} ids in {self.ids.column}"
        told = (
            f"{column} = {' or '.join('(missing)' if value is None else value for value in values)}"
            for column, values in (self.where or {}).items()
        )
        return f"rows where {' and '.join(told)}"
