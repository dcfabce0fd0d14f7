"""The policy as the owner declares it: frozen, typed, the same field names in YAML, TOML and Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    StringConstraints,
    field_validator,
    model_validator,
)

from discreet.columns.scale import Numbers, Scale
from discreet.common.registry import listed
from discreet.common.shares import Share
from discreet.errors import Problem
from discreet.policy.build import build_policy
from discreet.policy.columns import PLAIN, Column, as_columns
from discreet.policy.confidential import Confidential
from discreet.policy.deciding import BlindKs, Deciding
from discreet.policy.file_options import FileOptions
from discreet.policy.ledger_options import LedgerOptions
from discreet.policy.misfits import misfit
from discreet.policy.missing import Missing
from discreet.policy.mistakes import PARTS
from discreet.policy.part import Frozen, Part
from discreet.policy.persons import OfPersons, PersonUnit
from discreet.policy.places import PolicySource
from discreet.policy.populations import Population, as_population
from discreet.policy.released_rows import ReleaseOptions, Suppress
from discreet.policy.requirements import REQUIREMENTS, GroupPromise, GroupRequirement, Inference, Requirement
from discreet.policy.requirements.seen import SeenOf
from discreet.policy.search_limits import beyond_disclosure
from discreet.policy.search_options import Disclosure, Genetic
from discreet.policy.uses import General, PredictingUse, ReleaseUse
from discreet.policy.uses.base import USES
from discreet.policy.uses.field import Use, Uses, detailed


class Policy(Part):
    """What must not be inferred from the release, and what the release is for.

    Parameters
    ----------
    use
        What the release is for: `Classify(target)`, `Regress(target)`, `Counts()` or `General()` (default); or a
        list of them, each with its weight.
    protect
        The promises, at least one: `Template(...)`, `KAnonymity(...)`, `LDiversity(...)`, `TCloseness(...)`,
        `Membership(...)`, `Confidential(...)`, or dictionaries as in a policy file (`{"k": 10, "over": ["age"]}`).
    unit
        The column that says whose row it is, where persons have several.
    columns
        Names to `Column(...)`, or to dictionaries such as `{"type": "number"}`.
    missing
        Which values mean that a value is missing, and what becomes of such rows.
    file
        How a text file is written; what is not said is found out.
    marker
        The text of a hidden value.
    search
        `"disclosure"`, `"coordinate"`, `"genetic"` or `"exact"`; what fits the promises when absent.
    search_on
        Search on this random share of the rows only, such as `"10%"`; what is found is applied to all.
    disclosure, genetic
        Options of these searches.
    recoding
        `"global"`: a value is released alike in all rows; `"local"`: groups of rows have labels of their own.
    suppress
        How many rows may be suppressed, and whether they are masked or removed.
    release
        Release a random share of the rows only.
    shuffle
        Whether the rows leave in an order that is drawn.
    decide, blind_ks, ledger
        `"blind"` for a search that looks at no secret, and the k it tries; how promises are kept over several releases.

    Examples
    --------
    >>> import discreet as d
    >>> policy = d.Policy(
    ...     use=d.Classify("Rating"),
    ...     protect=[d.Template(given=["Job"], infer={"Bankruptcy": "Discharged"}, at_most="75%")],
    ... )
    >>> policy.protect[0].at_most
    Fraction(3, 4)
    """

    use: Uses = Field(default_factory=General)
    protect: tuple[Requirement, ...] = Field(json_schema_extra={"minItems": 1})
    unit: OfPersons = None
    columns: Annotated[Mapping[str, Column], BeforeValidator(as_columns), AfterValidator(Frozen)] = Field(
        default_factory=Frozen,
        json_schema_extra={"type": ["object", "null"]},  # a list of comments alone is a policy, too
    )
    missing: Missing | None = None
    file: FileOptions = Field(default_factory=FileOptions)
    marker: Annotated[str, StringConstraints(min_length=1)] = Field(
        default="*", description="the text that stands in the place of a hidden value"
    )
    search: Literal["disclosure", "coordinate", "genetic", "exact"] | None = Field(
        default=None,
        description="disclosure: from nothing to ever more, never suppresses a row (default for templates alone); "
        "coordinate: the best cut of one column at a time, suppresses rows (default with k or l); "
        "genetic: cuts crossed and mutated, as in Iyengar's paper, suppresses rows; "
        "exact: the best cut of all, proven, or how far it may be; suppresses rows",
    )
    search_on: Share | None = Field(
        default=None,
        description="search on this random share of the rows only, for huge tables; what is found is applied to all",
    )
    disclosure: Disclosure = Field(default_factory=Disclosure)
    genetic: Genetic = Field(default_factory=Genetic)
    recoding: Literal["global", "local"] = Field(
        default="global",
        description="global: a value is released alike in all rows; local: groups of rows have labels of their own, "
        f"which tells far more (for use {listed(detailed())})",
    )
    suppress: Suppress = Field(default_factory=Suppress)
    release: ReleaseOptions | None = None
    shuffle: bool = Field(default=False, description="the rows leave in an order drawn, so that it tells nothing")
    decide: Deciding = None
    blind_ks: BlindKs = None
    ledger: LedgerOptions | None = None

    _source: PolicySource = PrivateAttr(default_factory=PolicySource)

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            protect: Sequence[Requirement],
            use: Use | str | Mapping[str, object] | Sequence[Use | str | Mapping[str, object]] = ...,
            unit: PersonUnit | str | Mapping[str, object] | None = ...,
            columns: Mapping[str, Column | Mapping[str, object]] = ...,
            missing: Missing | Mapping[str, object] | None = ...,
            file: FileOptions | Mapping[str, object] = ...,
            marker: str = ...,
            search: Literal["disclosure", "coordinate", "genetic", "exact"] | None = ...,
            search_on: str | float | Fraction | None = ...,
            disclosure: Disclosure | Mapping[str, object] = ...,
            genetic: Genetic | Mapping[str, object] = ...,
            recoding: Literal["global", "local"] = ...,
            suppress: Suppress | Mapping[str, object] = ...,
            release: ReleaseOptions | Mapping[str, object] | None = ...,
            shuffle: bool = ...,
            decide: Literal["blind"] | None = ...,
            blind_ks: Sequence[int] | None = ...,
            ledger: LedgerOptions | Mapping[str, object] | None = ...,
        ) -> None: ...

    @field_validator("protect", mode="before")
    @classmethod
    def _something_to_protect(cls, value: object) -> object:
        if value is not None and not isinstance(value, (list, tuple)):
            raise ValueError("write a list of requirements")
        if not value:
            raise ValueError(
                "nothing to protect; add a requirement such as {k: 10, over: [...]} or "
                "{infer: ..., given: ..., at_most: 75%}, "
                "or let `discreet init TABLE --out POLICY` write a policy for your table"
            )
        return value

    @model_validator(mode="after")
    def _numbers_as_in_the_table(self) -> Policy:
        object.__setattr__(self, "columns", self._written(lambda _: self.file.decimal or "."))
        return self

    def _written(self, decimal: Callable[[str], str]) -> Mapping[str, Column]:
        """Return the columns with the sign that each has before its decimals."""
        return Frozen({name: column.written_with(decimal(name)) for name, column in self.columns.items()})

    @field_validator("search_on")
    @classmethod
    def _some_rows(cls, share: Fraction | None) -> Fraction | None:
        if share == 0:
            raise ValueError("a search needs rows; write more than 0%")
        return share

    @model_validator(mode="after")
    def _fits_together(self) -> Policy:
        if problem := misfit(self):
            raise ValueError(problem)
        return self

    @property
    def missing_values(self) -> tuple[str | None, ...]:
        """The values that are declared to mean that there is none; a cell without any value is missing besides."""
        return () if self.missing is None else self.missing.values

    def declares_missing(self, value: str | None) -> bool:
        """Whether the policy says what becomes of missing values, and this is one."""
        return self.missing is not None and self.missing.has(value)

    def is_unknown(self, value: str | None) -> bool:
        """Whether a sensitive cell with this value counts neither for nor against a property."""
        if value == self.marker:  # hidden; otherwise it occurs nowhere, or is declared
            return value in self.hidden_texts()
        return self.missing is not None and self.missing.rows == "unknown" and self.missing.has(value)

    def hidden_texts(self) -> tuple[str | None, ...]:
        """The texts of sensitive cells that tell nothing: the marker and missing values, unless they are values.

        Where single cells are hidden, the marker always is one that tells nothing.
        """
        if self.missing is None:
            return (self.marker,)
        if self.missing.rows == "value":
            edits = any(True for _ in self.cells())
            return () if self.missing.has(self.marker) and not edits else (self.marker,)
        return tuple(dict.fromkeys([self.marker, None, *self.missing.values]))

    @property
    def method(self) -> str:
        """How a plan is searched for: as said, or as fits what is asked."""
        if self.is_local:
            return "local"
        if self.search is not None:
            return self.search
        templates = all(promise.template and promise.among is None for promise in self.promises())
        return "disclosure" if templates and not beyond_disclosure(self.uses) else "coordinate"

    @property
    def is_local(self) -> bool:
        """Whether groups of rows have labels of their own."""
        return self.recoding == "local"

    @property
    def k_on_population(self) -> bool:
        """Whether k counts in the whole table although a sample of it is released."""
        return self.release is not None and self.release.k_on == "population"

    @property
    def removes(self) -> bool:
        """Whether rows that do not fit are left out of the release, rather than masked."""
        return self.suppress.rows == "remove"

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns that are left out of the release, but for one whose values are replaced by tokens."""
        said = [name for name, column in self.columns.items() if column.role == "identifier" and column.release is None]
        whose = () if self.unit is None or self.unit.id in self.columns else (self.unit.id,)
        return (*said, *whose)

    @property
    def token(self) -> str | None:
        """The column whose values are replaced by random tokens, if there is one."""
        return next((name for name, column in self.columns.items() if column.release == "token"), None)

    @property
    def uses(self) -> tuple[ReleaseUse, ...]:
        """What the release is for, always as a list."""
        return self.use if isinstance(self.use, tuple) else (self.use,)

    @property
    def goals(self) -> tuple[PredictingUse, ...]:
        """The uses that predict something."""
        return tuple(use for use in self.uses if isinstance(use, PredictingUse))

    @property
    def targets(self) -> frozenset[str]:
        """The columns that are to stay predictable."""
        return frozenset(goal.target for goal in self.goals)

    @property
    def target(self) -> str | None:
        """The first column that is to stay predictable, if any."""
        return next((goal.target for goal in self.goals), None)

    @property
    def inputs(self) -> tuple[str, ...] | None:
        """The columns that the first target is predicted from; None for all."""
        return self.goals[0].inputs if self.goals else None

    @property
    def sensitive(self) -> frozenset[str]:
        """The columns whose values must not be inferred."""
        return frozenset(made.sensitive for _, made in self.groups() if made.sensitive is not None)

    @property
    def populations(self) -> tuple[Population, ...]:
        """The people among whom those of the table are, each named once."""
        return tuple(dict.fromkeys(made.population for _, made in self.groups() if made.population is not None))

    def with_population(self, table: object) -> Policy:
        """Return the same policy with other people (a table, or its path) in the place of those that it names."""
        people = as_population(table)
        protect = [made if isinstance(made, Confidential) else made.with_population(people) for made in self.protect]
        return self.model_copy(update={"protect": tuple(protect)}) if self.populations else self

    def column(self, name: str) -> Column:
        """What the policy says of a column; nothing in particular when it is silent."""
        return self.columns.get(name) or PLAIN

    def groups(self) -> Iterator[tuple[int, GroupRequirement]]:
        """Yield the requirements about groups, each with its position in `protect`."""
        return ((index, made) for index, made in enumerate(self.protect) if not isinstance(made, Confidential))

    def cells(self) -> Iterator[tuple[int, Confidential]]:
        """Yield the requirements about single cells, each with its position in `protect`."""
        return ((index, made) for index, made in enumerate(self.protect) if isinstance(made, Confidential))

    @property
    def is_blind(self) -> bool:
        """Whether confidential cells are protected by nothing that an adversary cannot reckon himself."""
        return any(made.is_blind for _, made in self.cells())

    def promises(self, seen: SeenOf | None = None) -> Iterator[GroupPromise]:
        """Yield every promise of the group requirements; a list of values means one template each.

        What the table has `seen` of its columns matters for those about each value, or about groups beside the whole.
        """
        for index, _ in self.groups():
            yield from self.promises_of(index, seen)

    def promises_of(self, index: int, seen: SeenOf | None = None) -> Iterator[GroupPromise]:
        """Yield the promises of one requirement, by its position in `protect`."""
        requirement = self.protect[index]
        if not isinstance(requirement, Confidential):
            for promise in requirement.promises(index, seen):
                yield promise.in_whole_table() if self.k_on_population else promise

    def templates(self) -> list[Inference]:
        """Return the promises that nobody can be too sure of a certain value."""
        return [template for promise in self.promises() for template in promise.inferences()]

    def problem(self, path: tuple[str | int, ...], message: str) -> Problem:
        """Return a problem at `path` of this policy, with file and line where the policy came from one."""
        return self._source.problem(path, message)

    def with_source(self, source: PolicySource) -> Policy:
        """Return the same policy, knowing where it was written."""
        copy = self.model_copy()
        copy._source = source
        return copy

    def with_file(self, **changes: Any) -> Policy:
        """Return the same policy with other file options; None leaves an option as it is."""
        said = {name: value for name, value in changes.items() if value is not None}
        if not said:
            return self
        file = FileOptions(**{**self.file.model_dump(), **said})
        return self.model_copy(update={"file": file, "columns": self._written(lambda _: file.decimal or ".")})

    def with_file_of(self, other: Policy) -> Policy:
        """Return the same policy with the file options of another one."""
        columns = self._written(lambda name: other.column(name).decimal)
        return self.model_copy(update={"file": other.file, "columns": columns})

    def with_points(self, columns: Collection[str]) -> Policy:
        """Return the same policy, with a point before the decimals of some columns."""
        decimal = self.file.decimal or "."
        return self.model_copy(update={"columns": self._written(lambda name: "." if name in columns else decimal)})

    def numbers_of(self, target: str) -> Scale:
        """Return how the values of a target are read: as its type says, else as numbers."""
        return self.column(target).scale or Numbers(self.file.decimal or ".")

    def to_dict(self) -> dict[str, object]:
        """Return the policy as plain data that `Policy.from_dict` and a YAML file take, defaults spelled out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Policy:
        """Return the policy written down as plain data; raise `PolicyError` with every mistake in it."""
        return build_policy(cls, data, PolicySource())


_PARTS: dict[str, type[Part]] = {
    "columns": Column,
    "disclosure": Disclosure,
    "file": FileOptions,
    "genetic": Genetic,
    "ledger": LedgerOptions,
    "missing": Missing,
    "release": ReleaseOptions,
    "suppress": Suppress,
    "unit": PersonUnit,
}
PARTS[Policy] = _PARTS.get


def _anew() -> None:
    """Take up a kind of requirement or use that was registered."""
    Policy.model_rebuild(force=True)


for _kinds in (USES, REQUIREMENTS):
    _kinds.watch(_anew)
PARTS[Column] = lambda _: Column  # by the names of columns, which may be anything
