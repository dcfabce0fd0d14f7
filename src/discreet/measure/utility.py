"""What a release is still good for, in figures and side by side with the original; for reports, not decisions.

A released text that covers several values counts as each of them, evenly; one that tells nothing is left out and
counted apart.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass


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
class Learned:
    """How well a target is learned, by one learner, scored on rows that did not train.

    `original` from the original table, `released` from the release, `without` from the release without the columns
    that are sensitive, confidential or changed (what is left if they had simply been cut out). Errors for a class
    (lower is better), the share of the variance explained for a number (`score`; higher is better). `nothing` knows no
    column at all.
    """

    target: str
    learner: str
    score: str
    original: float
    released: float
    without: float | None
    nothing: float
    rows: int
    without_columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Utility:
    """What a release is still good for."""

    loss: float
    """The mean of the losses of the columns that may change."""
    columns: tuple[ColumnKept, ...]
    pairs: tuple[PairKept, ...] = ()
    of_pairs: int = 0
    learned: tuple[Learned, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return asdict(self)
