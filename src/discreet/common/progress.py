"""How far a job is, for whoever wants to hear of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """How far a job is: the stage, and within planning what is disclosed.

    `disclosed` values, nodes and cuts are shown (in a search for cuts: starts or iterations are made), `left` are to
    be tried, `detail` is the share of the detail of the changeable columns that is shown so far, `seconds` the time
    since the job began. While single cells are protected (`cells`), `disclosed` are done. While an exact search looks
    for a proof, `bound` is the share of what the best cut so far costs that no cut goes below. While a release is
    attacked (`attack`), `disclosed` attacks are made; all of them take about `expected` seconds.
    """

    stage: str
    disclosed: int = 0
    left: int = 0
    detail: float = 0.0
    seconds: float = 0.0
    bound: float | None = None
    expected: float | None = None


def silent(_: Progress) -> None:
    """Tell nobody."""
