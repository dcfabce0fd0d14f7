"""Minimality: the attack of who knows that a recoding shows whatever it may.

A search that shows all it may does not show more only because that would break a promise. So each refinement that a
release does not make (one more value, node or end) tells that in at least one group it would have brought the property
above its limit. The adversary knows the known columns of everybody, and takes all ways to deal the property to the
rows of a group for equally probable; among those in which the refinement is refused, some people are surer to have it.

What is assumed: that the refinement was refused for a template. It may also have been of no use, or not have been
looked at: nobody but the owner knows. Refinements are taken one at a time; several together may tell more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.adversary.base import Floats
from discreet.attack.base import Attack, AttackTask
from discreet.attack.refinements import ShownColumn, shown
from discreet.common.rates import Rate
from discreet.common.shares import percent
from discreet.compare.scene import Scene
from discreet.encoded import Ints, keys
from discreet.policy import Inference
from discreet.policy.bind import bind, known_to_groups
from discreet.table.engine import Engine

LEAST = 1e-6
"""A refinement that is refused with less than this chance was not made for another reason."""
_MARGIN = 1e-9


def minimality_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attack on the recodings of a release, if it has templates."""
    if not scene.policy.templates() or scene.places is None or scene.policy.decide is not None:
        return  # see `attack/deciding.py` for blind decisions
    values = sum(
        len(scene.original.domain(name)) for name in known_to_groups(scene.policy) if name in scene.original.columns
    )
    seconds = 0.2 + values * (0.002 + scene.released.rows * 1e-7)
    yield AttackTask("aware, minimality of the recoding", seconds, lambda: attack_recoding(scene))


@dataclass(frozen=True)
class Grouped:
    """The rows of a release by the groups of one template.

    `group` is that of each row, `rows` and `hits` count them; `limit` is the largest share allowed.
    """

    promise: Inference
    group: Ints
    rows: Ints
    hits: Ints

    def split(self, rows: Ints, parts: Ints) -> Split:
        """Return the groups of some rows, each split into parts; all rows of a group are among them."""
        width = int(parts.max(initial=0)) + 1
        keys, inverse, sizes = np.unique(
            self.group[rows] * width + parts, return_inverse=True, return_counts=True
        )  # groups stand together
        groups, starts, number = np.unique(keys // width, return_index=True, return_counts=True)
        return Split(self, groups, np.append(starts, len(keys)), sizes, inverse.reshape(-1), number)


@dataclass(frozen=True)
class Split:
    """Groups split into parts: where the parts of each begin, their sizes, and which part each row is in."""

    grouped: Grouped
    groups: Ints
    starts: Ints
    sizes: Ints
    part: Ints
    number: Ints

    @cached_property
    def chances(self) -> tuple[Floats, Floats]:
        """How probable it is that each group keeps the limit in all parts; and that together with a hit, by part."""
        from discreet.attack.possible_worlds import within  # compiled: only loaded when needed

        limit = self.grouped.promise.at_most
        most = np.array([size * limit.numerator // limit.denominator for size in self.sizes.tolist()], dtype=np.int64)
        return within(self.starts, self.sizes, most, self.grouped.hits[self.groups])

    @property
    def prior(self) -> Floats:
        """The share of the property in each group."""
        shares: Floats = self.grouped.hits[self.groups] / self.grouped.rows[self.groups]
        return shares

    def posterior(self, log_kept: float) -> Floats:
        """Return how probable a hit is for the rows of each part, if some group breaks its limit.

        `log_kept`: the logarithm of the chance that none does.
        """
        chance, together = self.chances
        which = np.repeat(np.arange(len(self.groups)), self.number)
        logs = _log(chance)
        zero = ~np.isfinite(logs)
        rest = np.where(np.isfinite(log_kept), log_kept - np.where(zero, 0.0, logs), -np.inf)
        # where this group alone never keeps it, the joint chance is 0 whatever the rest is
        others = np.exp(rest)[which]
        refused = -np.expm1(log_kept)
        found: Floats = (self.prior[which] - together * others) / refused
        return np.clip(found, 0.0, 1.0)


def _log(chance: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        found: Floats = np.log(np.minimum(chance, 1.0))
    return found


def groups_of(table: Engine, names: Sequence[str], rows: Ints | None = None) -> Ints:
    """Return numbers that are the same where rows (all when absent) look alike on some columns."""
    columns = [table.encoded(name) for name in names]
    codes = [column.codes if rows is None else column.codes[rows] for column in columns]
    key, _ = keys(codes, [len(column.domain) for column in columns], table.rows if rows is None else len(rows))
    return np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)


class _RecodedColumns:
    """The recoded columns of a release beside the known values of its people."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        assert scene.places is not None
        policy, released = scene.policy, scene.released
        bound = bind(policy, scene.original.columns)
        both = [name for name in bound.changeable if name in released.columns]
        self.columns: list[ShownColumn] = [
            shown(
                name, policy.columns.get(name), policy.marker, scene.original.encoded(name), scene.places,
                released.encoded(name),
            )
            for name in both
        ]  # fmt: skip
        self.text_of = {column.name: column.text_of for column in self.columns}
        masked = np.zeros(released.rows, dtype=np.bool_)
        for column in self.columns:
            text_of = self.text_of[column.name]
            if text_of is not None:
                masked |= column.masked(text_of)
        self.kept = np.flatnonzero(~masked)
        """The rows that are not masked."""

    @property
    def is_global(self) -> bool:
        """Whether each value of a column has one text."""
        return not self.scene.policy.is_local and all(text_of is not None for text_of in self.text_of.values())

    def grouped(self, promise: Inference) -> Grouped:
        """Return the groups of a template; masked rows are left out."""
        group = self._groups(promise.given)
        encoded = self.scene.released.encoded(promise.column)
        having = np.array([text == promise.value for text in encoded.domain], dtype=np.bool_)[encoded.codes]
        size = int(group.max(initial=-1)) + 1
        hits = np.bincount(group, weights=having[self.kept], minlength=size).astype(np.int64)
        return Grouped(promise, group, np.bincount(group, minlength=size).astype(np.int64), hits)

    def _groups(self, given: Sequence[str]) -> Ints:
        return groups_of(self.scene.released, given, self.kept)

    def refinements(self) -> Iterator[tuple[str, Ints, Ints]]:
        """Yield each refinement: its column, the rows (of those kept) that it concerns, and their parts.

        Those are left out that are refused for a reason that everybody sees: too few rows, or nothing to tell apart.
        """
        crowds = [
            (promise, self._groups(promise.given))
            for made in self.scene.policy.promises()
            for promise in made.over_each()
            if promise.least_rows > 1 and not promise.whole
        ]
        for column in self.columns:
            text_of = self.text_of[column.name]
            assert text_of is not None
            values, released = column.values[self.kept], column.released[self.kept]
            for text, parts in column.refinements(text_of):
                rows = np.flatnonzero(released == text)
                part = parts[values[rows]]
                part[part < 0] = part.max(initial=0) + 1  # a missing value stays what it is
                if len(np.unique(part)) < 2 or not self._of_use(rows):
                    continue
                if not any(column.name in crowd.given and _too_few(group[rows], part, crowd.least_rows)
                           for crowd, group in crowds):  # fmt: skip
                    yield column.name, rows, part

    def _of_use(self, rows: Ints) -> bool:
        """Whether a refinement is one that the search looks at: not if it tells no class from another."""
        policy = self.scene.policy
        target = next(iter(policy.targets), None)
        if policy.disclosure.disclose == "always" or target is None or target not in self.scene.released.columns:
            return True
        codes = self.scene.released.encoded(target).codes[self.kept[rows]]
        return len(np.unique(codes)) > 1


def _too_few(group: Ints, part: Ints, k: int) -> bool:
    width = int(part.max()) + 1
    return bool(np.unique(group * width + part, return_counts=True)[1].min() < k)


def attack_recoding(scene: Scene) -> Iterator[Attack]:
    """Yield for each template what its missing refinements tell."""
    promises = scene.policy.templates()
    recoding = _RecodedColumns(scene)
    if not recoding.is_global:
        for promise in promises:
            note = "not attacked: it is for recodings that treat all rows alike, and this one does not"
            yield _attack(scene, promise, None, np.zeros(0), 0, note)
        return
    grouped = [recoding.grouped(promise) for promise in promises]
    surest = [np.zeros(len(recoding.kept)) for _ in promises]
    refused = np.zeros(len(promises), dtype=np.int64)
    late = False
    for name, rows, part in recoding.refinements():
        late = scene.late
        if late:
            break
        concerned = [place for place, promise in enumerate(promises) if name in promise.given]
        splits = [grouped[place].split(rows, part) for place in concerned]
        log_kept = float(sum(_log(split.chances[0]).sum() for split in splits))
        if -np.expm1(log_kept) < LEAST:
            continue
        for place, split in zip(concerned, splits, strict=True):
            refused[place] += 1
            found = split.posterior(log_kept)[split.part]
            surest[place][rows] = np.maximum(surest[place][rows], found)
    for place, promise in enumerate(promises):
        note = "stopped for want of time: not all refinements were looked at" if late else ""
        yield _attack(scene, promise, (recoding, grouped[place]), surest[place], int(refused[place]), note)


def _attack(
    scene: Scene,
    promise: Inference,
    found: tuple[_RecodedColumns, Grouped] | None,
    surest: Floats,
    refined: int,
    note: str,
) -> Attack:
    above = np.flatnonzero(surest > float(promise.at_most) + _MARGIN)
    number, top = len(above), float(surest.max(initial=0.0))
    right, before = (0, 0.0) if found is None else _beside(scene, promise, *found, above)
    attack = Attack(
        "aware",
        "minimality",
        "asks why the recoding does not show more",
        promise.column,
        tuple(promise.given),
        Rate(right, number),
        number,
        baseline=Rate(before, number),
        requirement=promise.index,
        notes=tuple(([note] if note else []) + ([] if found is None else _notes(scene))),
        figures={
            "refinements": refined,
            "highest": top if refined else None,
            "limit": float(promise.at_most),
            "rows": scene.released.rows,
        },
    )
    return replace(attack, warnings=(_warning(promise, number, right, top),)) if number else attack


def _beside(
    scene: Scene, promise: Inference, recoding: _RecodedColumns, grouped: Grouped, above: Ints
) -> tuple[int, float]:
    """Return how many of some rows (of those kept) have the property, and how many are to be expected."""
    assert scene.places is not None
    encoded = scene.original.encoded(promise.column)
    having = np.array([text == promise.value for text in encoded.domain], dtype=np.bool_)
    groups = grouped.group[above]
    expected = float((grouped.hits[groups] / grouped.rows[groups]).sum())
    return int(having[encoded.codes[scene.places[recoding.kept[above]]]].sum()), min(expected, float(len(above)))


def _notes(scene: Scene) -> list[str]:
    """Return how to read the figures."""
    tried = (
        "tried are the people who are surer to have the property than the limit allows if one refinement (the one that "
        "tells most about them) was refused for a template; baseline: its share in their groups"
    )
    assumed = (
        "assumed: the adversary knows the known columns of everybody, and that the search shows whatever it may; a "
        "refinement may also have been of no use, or not have been looked at"
    )
    notes = [tried, assumed]
    if scene.policy.method != "disclosure":
        notes.append(f"the {scene.policy.method} search looks for the best cut, and need not show all that it may")
    return notes


def _warning(promise: Inference, rows: int, right: int, top: float) -> str:
    return (
        f"whoever knows the {', '.join(promise.given)} of everybody, and that the recoding shows whatever it may, is "
        f"surer than {percent(promise.at_most)} of a protected value of {promise.column!r} for {rows} "
        f"{'row' if rows == 1 else 'rows'} (up to {100 * top:.1f}%), because more is not shown; {right} of them have it"
    )
