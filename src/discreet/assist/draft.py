"""A first policy for a table, which passes `discreet check` as it is: guesses, each with its reason.

What looks like a secret is promised to be one, and what may be known is made coarser: the owner changes what is wrong.
No value of the table is written into a draft, but for the usual signs of a missing value and values that the owner
himself names; the trees beside it have values, and are as private as the table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from discreet.assist.check import CheckedPolicy, check_job
from discreet.assist.drafting.choices import DraftChoices, DraftParts, parts_of
from discreet.assist.drafting.columns import Said, said_of_scale, said_of_tree, width_of
from discreet.assist.drafting.looks import ColumnLook, decimal_of, look_at
from discreet.assist.drafting.names import names_people
from discreet.assist.drafting.promises import DraftedPromise, promises_of
from discreet.assist.drafting.writing import Sketch, file_names, taxonomy_command
from discreet.assist.proposing.column import MISSING
from discreet.columns.taxonomy import Taxonomy
from discreet.errors import InputError, PolicyError
from discreet.fit.persons import repeated
from discreet.planning.prepared import prepare_rows
from discreet.policy import FileOptions
from discreet.policy.read import policy_of_text
from discreet.table.formats.place import place_of
from discreet.table.local import LocalEngine
from discreet.table.source import read_file

__all__ = ["ColumnLook", "DraftChoices", "DraftJob", "PolicyDraft", "draft_policy", "taxonomy_command"]

SAMPLE = 100_000
"""Rows looked at."""
MARKERS = ("[hidden]", "(hidden)", "<hidden>", "hidden ***")
MOST_ROUNDS = 40
"""How often a draft is mended; each time it says less, or promises less."""
ROWS_OF_ONE, FEWEST = 50, 20
"""A unit is said where nobody has more rows than this on average, and there are so many of them."""


@dataclass(frozen=True)
class PolicyDraft:
    """A drafted policy and what it was guessed from."""

    text: str
    looks: tuple[ColumnLook, ...]
    known: tuple[str, ...]
    unique: float
    """Share of rows that the known columns single out."""
    warnings: tuple[str, ...] = ()
    """What promises about groups would not mean on this table."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """The columns that nobody may infer, each with its reason."""
    identifiers: Mapping[str, str] = field(default_factory=dict)
    """The columns that are left out, each with its reason."""
    trees: Mapping[str, Taxonomy] = field(default_factory=dict)
    """The taxonomies that it names, by the names of their files beside it."""
    promises: tuple[str, ...] = ()
    """What it promises, in words."""


def draft_policy(
    table: str | Path,
    options: FileOptions | None = None,
    choices: DraftChoices | None = None,
    *,
    beside: str | None = None,
) -> PolicyDraft:
    """Return a commented policy to start from, for the table in a file, which fits it and can be kept.

    Parameters
    ----------
    table, options
        The path of the table, and how its text is written as far as that is known.
    choices
        What the owner has chosen; the rest is guessed.
    beside
        The name of the policy's file without its ending: groups are then drafted too, for files beside it.

    Raises
    ------
    InputError
        When the table cannot be read, or a choice does not fit it.
    """
    return DraftJob(table, options).draft(choices or DraftChoices(), beside=beside)


class DraftJob:
    """A table that was read (`source`, where that was done before) and looked over, to draft a policy for it."""

    def __init__(
        self, table: str | Path, options: FileOptions | None = None, source: LocalEngine | None = None
    ) -> None:
        self._name = place_of(table).name
        self._source = read_file(place_of(table), options or FileOptions()) if source is None else source
        self._looked = look_over(self._source)

    @property
    def looks(self) -> tuple[ColumnLook, ...]:
        """What its columns look like."""
        return self._looked.looks

    def parts(self, choices: DraftChoices) -> DraftParts:
        """Return which column is what; raise `InputError` where a choice does not fit the table."""
        parts = parts_of(self._looked.frame, self.looks, choices)
        _refuse_absent(self._source, parts)
        return parts

    def draft(self, choices: DraftChoices, *, beside: str | None = None) -> PolicyDraft:
        """Return a policy that fits the table and can be kept; see `draft_policy`."""
        sketch, found = _fitting(_sketch(self._source, self._name, self._looked, self.parts(choices), beside))
        parts = sketch.parts
        return PolicyDraft(
            sketch.text(),
            self.looks,
            parts.known,
            parts.unique,
            tuple(repeated(*each) for each in sketch.shared if sketch.unit is None),
            {name: parts.reasons[name] for name in parts.secrets},
            parts.identifiers,
            sketch.trees,
            tuple(promise.said(promise.made.in_words()) for promise in found.promises),
        )


@dataclass(frozen=True)
class LookedOver:
    """The texts of a table (some rows of a large one), and what its columns look like."""

    frame: pl.DataFrame
    looks: tuple[ColumnLook, ...]
    decimal: str


def look_over(source: LocalEngine) -> LookedOver:
    """Return what the columns of a table look like."""
    frame = pl.DataFrame([source.texts(column).alias(column) for column in source.columns if source.has_text(column)])
    if not source.rows or frame.is_empty():
        raise InputError("the table has no rows, so there is nothing to draft a policy from")
    frame = frame.sample(SAMPLE, seed=0) if frame.height > SAMPLE else frame
    decimal = source.form.options.decimal or decimal_of(source, frame)
    return LookedOver(frame, tuple(look_at(column, decimal) for column in frame.iter_columns()), decimal)


def _refuse_absent(source: LocalEngine, parts: DraftParts) -> None:
    """Refuse values that the owner names and no row has."""
    for name, values in parts.secrets.items():
        domain = set(source.domain(name)) if values else set()
        for value in values:
            if value not in domain:
                raise InputError(
                    f"--secret: no row has {name!r} = {value!r}; check the spelling, or name the column alone: then "
                    "nobody may be sure of any of its values"
                )


def _sketch(source: LocalEngine, name: str, looked: LookedOver, parts: DraftParts, beside: str | None) -> Sketch:
    """Return a draft as it is first thought."""
    by_name = {look.name: look for look in looked.looks}
    said: dict[str, Said] = {}
    for column in parts.known:
        look = by_name[column]
        found = _known(source, looked, look, parts.orders.get(column))
        if found is not None:
            said[column] = found
    widths = {}
    for column, values in parts.secrets.items():
        look = by_name[column]
        width = None if values or look.type is None else width_of(look, looked.frame[column], looked.decimal)
        if width is not None:
            widths[column] = width
            form = "" if look.date_format is None else f', date_format: "{look.date_format}"'
            said[column] = Said(f"{{type: {look.type}{form}}}", f"nobody may get nearer than {width}", secret=True)
    preset = parts.preset
    shared = tuple(_shared(source, parts.identifiers))
    return Sketch(
        name=name,
        source=source,
        looks=looked.looks,
        parts=parts,
        promises=tuple(promises_of(preset.k, preset.at_most, parts.secrets, parts.reasons, widths)),
        said=said,
        shared=shared,
        unit=_unit(source, shared, parts.identifiers, by_name),
        rows_known=True,
        decimal=looked.decimal,
        files=None if beside is None else file_names(beside, [each for each in said if said[each].tree is not None]),
    )


def _known(source: LocalEngine, looked: LookedOver, look: ColumnLook, order: Sequence[str] | None) -> Said | None:
    """Return what is said of a column that is known: where intervals begin, or groups."""
    if order is None and look.type is not None:
        return said_of_scale(look, looked.frame[look.name], looked.decimal)
    return said_of_tree(look, source.texts(look.name), order, look.missing)


def _shared(source: LocalEngine, identifiers: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """Yield each identifier that several rows share, with the rows that have one, and how many there are."""
    for name in identifiers:
        found = source.named(name, MISSING)
        if found is not None and found[1] < found[0]:
            yield name, *found


def _unit(
    source: LocalEngine,
    shared: Sequence[tuple[str, int, int]],
    identifiers: Mapping[str, str],
    looks: Mapping[str, ColumnLook],
) -> str | None:
    """Return whose rows are whose: the first identifier, by its name, that several rows share and all have."""
    for name, rows, different in shared:
        named = identifiers[name] == "as you say" or names_people(name, looks[name].distinct, rows)
        if named and rows == source.rows and different >= FEWEST and rows <= ROWS_OF_ONE * different:
            return name
    return None


def _fitting(sketch: Sketch) -> tuple[Sketch, CheckedPolicy]:
    """Return a draft that fits its table and whose promises can be kept, with what `check` finds.

    What does not fit is left out, and what cannot be kept is promised as far as it can be.
    """
    for _ in range(MOST_ROUNDS):
        try:
            policy = policy_of_text(sketch.text(), sketch.trees)
            rows = sketch.source.without_missing(policy.missing)
            found = check_job(policy, prepare_rows(rows, policy, sketch.name))
        except PolicyError as error:
            sketch = _without(sketch, error)
            continue
        if found.possible:
            return sketch, found
        sketch = _loosened(sketch, found)
    raise InputError("no policy was found that this table can keep; write one by hand (docs: policies)")


def _loosened(sketch: Sketch, found: CheckedPolicy) -> Sketch:
    """Return a draft whose promises can be kept, as far as is known.

    Where few persons have as many rows as one, it is first supposed that nobody knows how many somebody has.
    """
    if sketch.unit is not None and sketch.rows_known:
        return replace(sketch, rows_known=False)
    least = {
        promise.made.index: promise.least.share for promise in found.promises if promise.least and not promise.possible
    }
    kept = [
        promise.allowing(least[index]) if index in least else promise for index, promise in enumerate(sketch.promises)
    ]
    return _promising(sketch, [promise for promise in kept if promise is not None])


def _promising(sketch: Sketch, kept: Sequence[DraftedPromise]) -> Sketch:
    """Return a draft with some of its promises only; secrets of which nothing is promised are none."""
    if not kept:
        raise InputError(
            "nothing can be promised of this table: it has too few rows, or all rows have the same values; "
            "name what others may know with --known COLUMN and what is secret with --secret COLUMN=VALUE"
        )
    secrets = {promise.secret for promise in kept}
    parts = replace(
        sketch.parts, secrets={name: said for name, said in sketch.parts.secrets.items() if name in secrets}
    )
    said = {name: each for name, each in sketch.said.items() if not each.secret or name in secrets}
    return replace(sketch, promises=tuple(kept), parts=parts, said=said)


def _without(sketch: Sketch, error: PolicyError) -> Sketch:
    """Return a draft without what a table does not fit: the types or trees of columns, a promise, the unit."""
    fields = [problem.field for problem in error.problems]
    if any(
        field.startswith("marker") or "marker" in problem.message
        for field, problem in zip(fields, error.problems, strict=True)
    ):
        tried = MARKERS.index(sketch.marker) + 1 if sketch.marker in MARKERS else 0
        if tried < len(MARKERS):
            return replace(sketch, marker=MARKERS[tried])
    unfit = [name for name in sketch.said if any(_is_about(field, name) for field in fields)]
    if unfit:
        return _unsaid(sketch, unfit)
    if sketch.unit is not None and any("unit" in field or not field for field in fields):
        return replace(sketch, unit=None)
    broken = [index for index in range(len(sketch.promises)) if any(f.startswith(f"protect[{index}]") for f in fields)]
    if broken:
        return _promising(sketch, [each for index, each in enumerate(sketch.promises) if index not in broken])
    if sketch.said:
        return _unsaid(sketch, list(sketch.said))
    if sketch.unit is not None:
        return replace(sketch, unit=None)
    raise error


def _is_about(field: str, column: str) -> bool:
    return field == f"columns.{column}" or field.startswith(f"columns.{column}.")


def _unsaid(sketch: Sketch, columns: Sequence[str]) -> Sketch:
    """Return a draft that says nothing of how some columns are made coarser; of a secret any value is one then."""
    said = {name: each for name, each in sketch.said.items() if name not in columns}
    promises = [
        replace(each, inferred="{any: true}")
        if each.secret is not None and each.secret in columns and sketch.said[each.secret].secret
        else each
        for each in sketch.promises
    ]
    return replace(sketch, said=said, promises=tuple(promises))
