"""Confidential cells: single cells that stay unknown, also to whoever trains a classifier on the release.

An item of `protect` with `column` says of which rows the cell is confidential (`rows`, `ids` or `where`), from which
columns an adversary may predict it (`predictors`), by what (`against`), and what may be changed to prevent that
(`method`, `change`, `may_hide`, `must_publish`). With `at_most`, or `method: blind`, it promises how sure of a value
one can be at most, and nothing is decided by looking at it (`policy/blind.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from pydantic import Field, field_validator, model_validator

from discreet.common.shares import Share, percent
from discreet.policy.adversaries import Adversary, NaiveBayes
from discreet.policy.adversaries.base import ADVERSARIES, whom
from discreet.policy.adversaries.field import AdversaryField, who_tries
from discreet.policy.blind import AT_MOST, MARGIN, REFERENCES, Blocks, Margin, Reference, blind_misfit, bounded
from discreet.policy.cell_methods import IN_TURN, NEEDS, USUAL, Hideable, Method, Regions
from discreet.policy.decoys import Decoys
from discreet.policy.part import Part, Whole
from discreet.policy.places import Path
from discreet.policy.which_cells import ColumnNames, Condition, Ids, Published, PublishedCells, RowNumbers


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
        Who tries: `naive_bayes`, `id3`, `c45`, learners of scikit-learn by name, `Rules(...)`, `NaiveBayes(...)`.
    method
        How the cells are protected; by the adversary when absent: `dropp`, `hid3`, `greedy`, the best against rules.
    at_most, margin
        Blind protection: no reference is surer of a value than `at_most` (50% when only `method: blind` is said) or,
        where the value is more common, than its share and `margin` (5%) more, halfway to certainty at most.
    blocks, references, known, order
        Of blind protection: whether hidden cells are `starred` by blocks of values, blocks are `told`, or there are
        `none`; who must not be surer (`naive_bayes`, `count`, `kernel`); predictors that the adversary knows from
        elsewhere; which predictors are told first, if they may.
    rehearse
        Of blind protection: whether learners that know the method try rows without confidential cells, and their rates
        stand beside the limits in plan and audit (True when absent).
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
    tag: ClassVar[str] = "column"
    """The field that tells it from other requirements."""
    written: ClassVar[str] = ""
    hint: ClassVar[str] = "with 'rows', 'ids' or 'where'"

    column: str = Field(description="the column with the confidential cells")
    rows: RowNumbers = Field(default=None, description="row numbers of the input, from 1")
    ids: Ids | None = None
    where: Condition = Field(
        default=None,
        description="columns and the value (or values) that they have in these rows",
    )
    predictors: ColumnNames = Field(
        default=None, description="the columns it could be predicted from; all other released ones when absent"
    )
    against: tuple[AdversaryField, ...] = Field(default=(), description=who_tries())
    method: Method | None = Field(default=None, description="how the cells are protected; by the adversary when absent")
    at_most: Share | None = Field(
        default=None, description="blind protection: how sure of a value a reference may be at most (default 50%)"
    )
    margin: Margin | None = Field(
        default=None,
        description="blind: how much surer than a value's own share at most (default 5%); rehearsed: a rehearsal on "
        "the other rows chooses",
    )
    blocks: Blocks | None = Field(
        default=None,
        description="blind: starred (default): to who knows the method a star tells a block of values; told: the block "
        "is released; none: a star tells nothing",
    )
    references: tuple[Reference, ...] | None = Field(
        default=None, description="blind: who must not be surer of a value than its limit (default naive_bayes, count)"
    )
    known: ColumnNames = Field(
        default=None, description="blind: predictors that the adversary knows from elsewhere; they are never hidden"
    )
    order: ColumnNames = Field(
        default=None, description="blind: predictors that are told first, if they may; by chance when absent"
    )
    rehearse: bool | None = Field(
        default=None, description="blind: false: protect tries no learners on other rows, to be quick (default true)"
    )
    change: Literal["delete", "generalise"] = Field(
        default="delete", description="delete: hide a value; generalise: release a group of its taxonomy"
    )
    may_hide: Regions = Field(
        default=None,
        description="what may be changed: own.conditions (the row's own predictors), others.conditions (other rows' "
        "predictors), others.sensitive (other rows' cells of the column)",
    )
    must_publish: PublishedCells = Field(
        default=(),
        description="columns, or cells ({column: ..., rows: [...]}, or {file: cells.csv} with one row,column to a line "
        "and perhaps that header), that are released as they are",
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
            at_most: str | float | Fraction | None = ...,
            margin: str | float | Fraction | None = ...,
            blocks: Blocks | None = ...,
            references: Sequence[Reference] | None = ...,
            known: Sequence[str] | None = ...,
            order: Sequence[str] | None = ...,
            rehearse: bool | None = ...,
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

    @field_validator("references")
    @classmethod
    def _some_references(cls, references: tuple[Reference, ...] | None) -> tuple[Reference, ...] | None:
        if references is not None and len(set(references)) != len(references or ("none",)):
            raise ValueError("name at least one reference, each once: naive_bayes, count, kernel")
        return references

    @model_validator(mode="after")
    def _method_fits(self) -> Confidential:
        if len({adversary.name for adversary in self.against}) < len(self.against):
            raise ValueError("against: an adversary is listed twice")
        if problem := blind_misfit(self) or (None if self.is_blind else self._misfit()):
            raise ValueError(problem)
        return self

    def _misfit(self) -> str | None:
        """What is wrong with the method for these adversaries and what may be changed."""
        methods = [method for _, method in self.defences]
        for kind in ADVERSARIES:
            if self.method in kind.methods and self.method not in methods:
                return f"method: {self.method} is against {whom(self.method)} in against, or choose another method"
        if self.change == "generalise" and any(adversary.mines_rules for adversary in self.against):
            return "change: rules take a coarser value for another one; write change: delete"
        if self.decoys is True and not any(adversary.mines_rules for adversary in self.against):
            return "decoys: true is against rules; name them in against, or write a share such as decoys: 50%"
        if self.decoys and self.method == "nrd":
            return "decoys: nrd leaves rows out and hides nothing; choose another method, or leave decoys out"
        if self.column in {name for each in self.against for name in each.own_columns or ()}:
            return f"against: {self.column!r} is what is to be inferred; take it out of conditions"
        if self.change == "generalise" and {"greedy", "nrd"} & set(methods):
            return "change: generalise is for naive_bayes and trees with their own methods; write change: delete"
        if self.decoys is True and not self.may("others.sensitive"):
            return "decoys: are other rows' cells of the column; allow others.sensitive, or leave decoys out"
        for adversary, method in self.defences:
            needs = NEEDS[adversary.counts_as(method)]
            if self.may_hide is not None and not needs <= set(self.may_hide):
                needed = ", ".join(sorted(needs))
                return f"may_hide: {method} against {adversary.name} needs {needed}"
        return None

    @classmethod
    def is_meant(cls, said: Mapping[str, Any]) -> bool:
        """Whether an item of `protect` is one of these."""
        return cls.tag in said

    @property
    def adversaries(self) -> tuple[Adversary, ...]:
        """Who tries to predict the cells, with nothing left unsaid."""
        met = (kind for kind in ADVERSARIES if self.method in kind.methods and not kind.needs_options())
        usual = next(met, NaiveBayes)
        return tuple(adversary.resolved(self.change) for adversary in self.against or (usual(),))

    @property
    def defences(self) -> tuple[tuple[Adversary, str], ...]:
        """Each adversary with the method that works against it, in the order in which they take turns."""
        found = [(adversary, adversary.defence(self.method, self.may_hide)) for adversary in self.adversaries]
        return tuple(sorted(found, key=lambda pair: IN_TURN.index(pair[1])))

    @property
    def is_blind(self) -> bool:
        """Whether nothing is decided by looking at the cells: the promise is how sure of a value one can be."""
        return self.at_most is not None or self.method == "blind"

    @property
    def limits(self) -> tuple[Fraction, Fraction]:
        """How sure of a value a reference may be, and how much surer than its share, with nothing left unsaid."""
        margin = self.margin if isinstance(self.margin, Fraction) else MARGIN
        return AT_MOST if self.at_most is None else self.at_most, margin

    @property
    def told_blocks(self) -> Blocks:
        """What becomes of cells in a block, with nothing left unsaid."""
        return self.blocks or "starred"

    @property
    def references_used(self) -> tuple[Reference, ...]:
        """Who must not be surer of a value than its limit, with nothing left unsaid."""
        named = [cast("Reference", each.reference) for each in self.against if each.reference is not None]
        return tuple(dict.fromkeys([*(self.references or REFERENCES), *named]))

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
            return min(each.confidence for each in self.adversaries if each.confidence is not None)
        return None

    @property
    def removes(self) -> bool:
        """Whether rows may be left out of the release."""
        return self.on_failure == "remove" or self.method == "nrd"

    def may(self, what: Hideable) -> bool:
        """Whether cells of this kind may be changed."""
        if self.may_hide is not None:
            return what in self.may_hide
        return any(what in USUAL[adversary.counts_as(method)] for adversary, method in self.defences)

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column of the release that it names, with its place."""
        yield ("column",), self.column
        for place, column in enumerate(self.predictors or ()):
            yield ("predictors", place), column
        for column in dict.fromkeys(item.column for item in self.must_publish):
            yield ("must_publish",), column
        for field in ("known", "order"):
            for place, column in enumerate(getattr(self, field) or ()):
                yield (field, place), column
        for place, adversary in enumerate(self.against):
            for column in adversary.own_columns or ():
                yield ("against", place, adversary.name, "conditions"), column

    def looks_up(self) -> Iterator[tuple[Path, str]]:
        """Yield each column by which rows are found; these may be left out of the release."""
        if self.ids is not None:
            yield ("ids", "column"), self.ids.column
        for column in self.where or ():
            yield ("where", column), column

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        given = "any other released columns" if self.predictors is None else ", ".join(self.predictors)
        if self.is_blind:
            return f"The {self.column} of {self._which()} is hidden: {bounded(self, given)}"
        kept = [f"The {self.column} of {self._which()} is hidden"]
        told = [each.sentence(given) for each in self.adversaries]
        names = [each.name.replace("_", " ") for each, said in zip(self.adversaries, told, strict=True) if said is None]
        if names:
            who = " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
            more = "another value more probable" if self.strict else "another value as probable"
            kept.append(f"whoever trains {who} on {given} of the release finds {more} for it")
        kept += [said for said in told if said is not None]
        if self.decoy_share is not None:
            kept.append(f"at least {percent(self.decoy_share)} of the hidden cells of {self.column} have another value")
        return ", and ".join(kept) + "."

    def in_public(self) -> str:
        """Return the promise without saying whose cells, or how many."""
        if self.is_blind:
            return (
                f"Cells of {self.column} whose owners wanted it are hidden: {bounded(self, 'what is told of the row')}"
            )
        names = ", ".join(each.name.replace("_", " ") for each in self.adversaries)
        others = "" if self.decoy_share is None else f", cells of others beside them ({percent(self.decoy_share)})"
        return (
            f"Cells of {self.column} whose owners wanted it are hidden{others}, and further cells as far as needed "
            f"against guesses by {names}."
        )

    def __str__(self) -> str:
        if self.is_blind:
            return f"{self.column} of {self._which()}, blind, at most {percent(self.limits[0])}"
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
