"""What can be told at each of several thresholds."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.common.private import MORE, private_json
from discreet.common.shares import percent
from discreet.policy.requirements import PROMISES
from discreet.policy.requirements.base import Unit


@dataclass(frozen=True)
class Point:
    """What can be told at one threshold.

    `largest` is the largest share that the planned release would have (for k-anonymity 1/smallest group), `detail`
    the share of the detail of the changeable columns that it shows (1 - LM), `target` the share of what those
    columns tell of the target that they still tell and `steps` the disclosures (both None where they are not
    known: the use has no target, or cuts were searched for). Where no release can keep the promises, `least` is
    the smallest threshold that could be kept (None where it is another promise that cannot) and the rest is None.
    """

    threshold: Fraction
    possible: bool
    largest: Fraction | None = None
    detail: float | None = None
    target: float | None = None
    steps: int | None = None
    least: Fraction | None = None

    def to_dict(self, *, unit: Unit | None) -> dict[str, object]:
        """Return plain data; shares as exact fractions, thresholds of k-anonymity as k."""
        shares = {"threshold": self.threshold, "largest": self.largest, "least": self.least}
        if unit is not None:
            told: dict[str, object] = {
                unit.letter: self.threshold.denominator,
                unit.field: None if self.largest is None else self.largest.denominator,
                "most_possible": None if self.least is None else self.least.denominator,
            }
        else:
            told = {name: None if share is None else str(share) for name, share in shares.items()}
        return {**told, "possible": self.possible, "detail": self.detail, "target": self.target, "steps": self.steps}


@dataclass(frozen=True)
class Binding:
    """A promise that binds where the thresholds of others change nothing: without it more could be told there."""

    first: Fraction
    last: Fraction
    """The laxest and the strictest of the thresholds that change nothing."""
    promise: str
    detail: float
    """The share of the detail that could be told without it."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        said = {"from": str(self.first), "to": str(self.last), "promise": self.promise}
        return {**said, "detail_without": self.detail}


@dataclass(frozen=True, repr=False)
class Frontier:
    """Privacy against utility: the points from the loosest threshold to the strictest."""

    points: tuple[Point, ...]
    sizes: bool
    """Whether the thresholds are least numbers, as k: 1/k."""
    own: Fraction
    """The threshold that the policy has."""
    swept: tuple[str, ...]
    """The promises whose threshold was changed."""
    target: str | None
    unit: Unit | None = None
    """What there must be enough of, where the thresholds are least numbers."""
    kind: str = "template"
    """The kind of promise whose threshold was changed."""
    asked: tuple[Fraction, ...] = ()
    """All thresholds; more than there are points while these still come."""
    binding: tuple[Binding, ...] = ()
    """What binds where thresholds change nothing, once all points are there."""

    def __repr__(self) -> str:
        return f"<Frontier: {len(self.points)} thresholds; private>"

    def _repr_html_(self) -> str:
        from discreet.assist.shown import frontier_as_html

        return frontier_as_html(self)

    def name_of(self, threshold: Fraction) -> str:
        """Return a threshold as people write it."""
        if self.unit is None:
            return PROMISES[self.kind].limit_text(threshold)
        return f"{self.unit.letter} = {threshold.denominator}"

    @property
    def worst_name(self) -> str:
        """What the figure of the worst group is called."""
        if self.unit is not None:
            return self.unit.worst
        return "largest share" if PROMISES[self.kind].threshold == "share" else PROMISES[self.kind].words.figure.lower()

    def figure_of(self, largest: Fraction) -> str:
        """Return the figure of the worst group as people read it."""
        if self.unit is not None:
            return f"{largest.denominator}"
        kind = PROMISES[self.kind]
        return percent(largest) if kind.threshold in ("share", "t") else kind.shown(largest)

    def reason(self, point: Point) -> str:
        """Return in words that a threshold cannot be kept, and which could be."""
        if point.least:
            return f"cannot be kept; at {'most' if self.sizes else 'least'} {self.name_of(point.least)}"
        return "cannot be kept; another promise cannot, or too many rows do not fit"

    @property
    def idle(self) -> tuple[tuple[Point, Point], ...]:
        """Where thresholds change nothing: the laxest and the strictest of each run with one and the same release.

        There other promises bind, or the values leave no step between.
        """
        found: list[tuple[Point, Point]] = []
        for before, point in itertools.pairwise(self.points):
            if point.possible and (before.largest, before.detail) == (point.largest, point.detail):
                first = found.pop()[0] if found and found[-1][1] is before else before
                found.append((first, point))
        return tuple(found)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "swept": list(self.swept),
            "target": self.target,
            "points": [point.to_dict(unit=self.unit) for point in self.points],
            "binding": [each.to_dict() for each in self.binding],
        }

    def to_json(self) -> str:
        """Return the points as JSON; its first line says that it is private."""
        return private_json(MORE, self.to_dict())

    def plot(self) -> Any:
        """Return an Altair chart of what is kept against the threshold (needs discreet[report])."""
        from discreet.assist.charts import frontier_chart

        return frontier_chart(self)

    def to_html(self) -> str:
        """Return chart and figures as one HTML page, private as the owner's report (needs discreet[report])."""
        from discreet.assist.charts import frontier_html

        return frontier_html(self)
