"""What a release is still good for, in figures and side by side with the original; for reports, not decisions.

A released text that covers several values counts as each of them, evenly; one that tells nothing is left out and
counted apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from itertools import combinations

import numpy as np

from discreet.compare.beside import Beside
from discreet.compare.meanings import Floats
from discreet.compare.natural import natural_order
from discreet.compare.scene import Scene
from discreet.errors import InputError
from discreet.measure.learning import LearnedTarget, learn
from discreet.policy.bind import bind
from discreet.policy.columns import Column

BARS = 12
"""Values or ranges that a distribution is shown by."""
PAIRS = 105
"""Pairs of columns that are looked at in a quick audit: those of 15 columns."""
_DENSE = 2**22
"""Pairs of texts up to which each has a counter of its own."""
_CHUNK = 2**16


@dataclass(frozen=True)
class Bar:
    """A value (or a range of numbers) with its share of the known cells, before and after."""

    label: str | None
    original: float
    released: float


@dataclass(frozen=True)
class Shown:
    """A text of the release with its share of all cells of its column."""

    label: str | None
    share: float


@dataclass(frozen=True)
class ColumnKept:
    """What is kept of one column.

    Parameters
    ----------
    cells, unchanged, coarser, hidden
        The cells of the release, and how many tell the original, something that covers it, and nothing.
    values, texts
        How many different values the original has, and how many different texts the release.
    loss
        The mean loss of a cell, from 0 (all told) to 1 (nothing): values it may be, less one, beside all values less
        one; for numbers the same by the widths of intervals.
    distance
        Half the sum of the differences between the shares of each value: 0 is the same distribution, 1 is no overlap.
    bars
        The distribution: the commonest values (or ranges of numbers), the rest as one with the label None.
    shown
        The commonest texts of the release itself, the rest as one with the label None: what everybody can count, and
        all that a public report shows of distributions.
    """

    name: str
    cells: int
    unchanged: int
    coarser: int
    hidden: int
    values: int
    texts: int
    loss: float
    distance: float | None
    bars: tuple[Bar, ...] = ()
    shown: tuple[Shown, ...] = ()


@dataclass(frozen=True)
class PairKept:
    """What two columns tell of each other: their mutual information in bits, before and after."""

    one: str
    other: str
    original: float
    released: float


@dataclass(frozen=True)
class Utility:
    """What a release is still good for."""

    loss: float
    """The mean of the losses of the columns that may change."""
    columns: tuple[ColumnKept, ...]
    pairs: tuple[PairKept, ...] = ()
    of_pairs: int = 0
    learned: tuple[LearnedTarget, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return asdict(self)


def utility(scene: Scene) -> Utility:
    """Return what a release is still good for; nothing here depends on how it was made.

    Columns without a text form are left out. Targets are those of the policy's use; learning them needs scikit-learn.
    """

    names = [name for name in scene.released.columns if name in scene.original.columns]
    seen, unread = {}, []
    for name in names:
        try:
            seen[name] = Beside(scene, name)
        except InputError:
            unread.append(name)
    may_change = _may_change(scene)
    columns = tuple(_kept(column) for column in seen.values())
    losses = [column.loss for column in columns if column.name in may_change]
    binned = [name for name, column in seen.items() if column.shares.shape[1]]
    ordered = sorted(binned, key=lambda name: _dull(scene, name, may_change))
    chosen = list(combinations(ordered, 2)) if scene.thorough else _first_pairs(ordered)
    learned, notes = learn(scene, tuple(seen))
    return Utility(
        loss=float(np.mean(losses)) if losses else 0.0,
        columns=columns,
        pairs=tuple(_pair(seen[one], seen[other]) for one, other in chosen),
        of_pairs=len(seen) * (len(seen) - 1) // 2,
        learned=learned,
        notes=(*_notes(seen, unread), *notes),
    )


def _may_change(scene: Scene) -> set[str]:
    bound = bind(scene.policy, scene.original.columns)
    return {*bound.changeable, *bound.edited}


def _dull(scene: Scene, name: str, may_change: set[str]) -> int:
    """Return how late a column is looked at: targets and what is protected first, then what may change."""
    confidential = {requirement.column for _, requirement in scene.policy.cells()}
    if name in scene.policy.targets | scene.policy.sensitive | confidential:
        return 0
    return 1 if name in may_change else 2


def _first_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of the first columns, as many as there is time for."""
    pairs = sorted(combinations(range(len(names)), 2), key=lambda pair: pair[1])
    return [(names[one], names[other]) for one, other in pairs[:PAIRS]]


def _notes(seen: dict[str, Beside], unread: Sequence[str]) -> Iterator[str]:
    for name in unread:
        yield f"column {name!r} has no text form and is left out"
    for name, column in seen.items():
        if cells := column.strange:
            yield f"column {name!r}: {cells} cells have a text that covers no value; they count as lost"


def _kept(column: Beside) -> ColumnKept:
    """Return what is kept of a column."""
    cells = len(column.sense.codes)
    hidden = column.blank[column.sense.codes] & ~column.unchanged
    before, after = column.distributions
    losses = np.where(column.unchanged, 0.0, column.losses[column.sense.codes])
    return ColumnKept(
        name=column.name,
        cells=cells,
        unchanged=int(column.unchanged.sum()),
        coarser=cells - int(column.unchanged.sum()) - int(hidden.sum()),
        hidden=int(hidden.sum()),
        values=int(column.here.sum()),
        texts=len(column.sense.texts),
        loss=float(losses.mean()) if cells else 0.0,
        distance=float(np.abs(before - after).sum() / 2) if before.any() and after.any() else None,
        bars=tuple(_bars(column)),
        shown=tuple(shown(dict(zip(column.sense.texts, column.rows.tolist(), strict=True)), column.column)),
    )


def _label(text: str | None) -> str:
    return "(missing)" if text is None else text


def shown(cells: Mapping[str | None, int], kind: Column | None) -> Iterator[Shown]:
    """Yield the commonest texts of a released column, given the cells that have each and what the policy says of it.

    Numbers, dates and intervals come in their order, other texts the commonest first, among equals by their text.
    """
    ranked = sorted(((-count, _label(text)) for text, count in cells.items() if count))
    whole = sum(cells.values())
    common = ranked[:BARS]
    if order := natural_order([text for _, text in ranked], kind):
        common.sort(key=lambda one: order(one[1]))
    for count, text in common:
        yield Shown(text, -count / whole)
    if rest := ranked[BARS:]:
        yield Shown(None, -sum(count for count, _ in rest) / whole)


def _bars(column: Beside) -> Iterator[Bar]:
    """Yield the commonest values, or ranges of numbers."""
    before, after = column.distributions
    numbers = column.numbers
    if numbers is not None and int(column.here.sum()) > BARS:
        yield from _ranges(column, numbers)
        return
    order = np.argsort(-before, kind="stable")
    order = order[column.here[order]]
    shown = np.sort(order[:BARS]) if numbers is not None else order[:BARS]
    for place in shown.tolist():
        yield Bar(_label(column.sense.values[place]), float(before[place]), float(after[place]))
    rest = order[BARS:]
    if len(rest):
        yield Bar(None, float(before[rest].sum()), float(after[rest].sum()))


def _ranges(column: Beside, numbers: Floats) -> Iterator[Bar]:
    """Yield ranges of equal width; what is no number as the rest."""
    before, after = column.distributions
    known = np.isfinite(numbers) & column.here
    low, high = float(numbers[known].min()), float(numbers[known].max())
    whole = bool((numbers[known] == np.rint(numbers[known])).all())
    ends = np.unique(np.floor(np.linspace(low, high + 1, BARS + 1))) if whole else np.linspace(low, high, BARS + 1)
    at = np.minimum(np.searchsorted(ends, np.where(known, numbers, low), side="right") - 1, len(ends) - 2)
    for place in range(len(ends) - 1):
        here = known & (at == place)
        last = ends[place + 1] - 1 if whole else ends[place + 1]
        label = f"{_written(column, ends[place])} to {_written(column, last)}"
        yield Bar(label, float(before[here].sum()), float(after[here].sum()))
    if (column.here & ~known).any():
        yield Bar(None, float(before[column.here & ~known].sum()), float(after[column.here & ~known].sum()))


def _written(column: Beside, number: float) -> str:
    scale = None if column.column is None else column.column.scale
    if scale is not None and scale.always_whole:
        return scale.write(Decimal(round(number)))
    return f"{number:.0f}" if number == round(number) else f"{number:.4g}"


def _pair(one: Beside, other: Beside) -> PairKept:
    """Return the mutual information of two columns, before and after."""
    left, right = one.bins[one.original], other.bins[other.original]
    sizes = one.shares.shape[1], other.shares.shape[1]
    both = (left >= 0) & (right >= 0)
    before = np.bincount(left[both] * sizes[1] + right[both], minlength=sizes[0] * sizes[1]).reshape(sizes)
    return PairKept(one.name, other.name, _information(before.astype(np.float64)), _information(_together(one, other)))


def _together(one: Beside, other: Beside) -> Floats:
    """Return how many released cells have each pair of bins."""
    texts = len(other.sense.texts)
    key = one.sense.codes * texts + other.sense.codes
    if len(one.sense.texts) * texts <= _DENSE:
        counts = np.bincount(key, minlength=len(one.sense.texts) * texts).reshape(-1, texts)
        found: Floats = one.shares.T @ counts @ other.shares
        return found
    pairs, rows = np.unique(key, return_counts=True)
    found = np.zeros((one.shares.shape[1], other.shares.shape[1]))
    for start in range(0, len(pairs), _CHUNK):
        some, weight = pairs[start : start + _CHUNK], rows[start : start + _CHUNK]
        found += (one.shares[some // texts] * weight[:, None]).T @ other.shares[some % texts]
    return found


def _information(counts: Floats) -> float:
    """Return the mutual information of a table of counts, in bits."""
    total = counts.sum()
    if total <= 0:
        return 0.0
    p = counts / total
    expected = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    some = p > 0
    return max(float((p[some] * np.log2(p[some] / expected[some])).sum()), 0.0)
