"""To be hidden means something: the attack of who takes a hidden cell for what hidden cells are.

`hidden_means` looks at nothing but the column. Either a value is missing in the release, so it is what is hidden; or
the adversary knows (from people whose value he learned, or by guessing how cells were chosen) what most hidden cells
are, and takes every one for that. Each cell is guessed by the others, so that a cell does not tell itself. All hidden
cells of a column are guessed, not only confidential ones: nobody can tell these from the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from discreet.attack.base import Attack, AttackTask
from discreet.common.rates import Rate
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.policy import Policy
from discreet.policy.bind import known_to_groups
from discreet.verification.telling import UNKNOWN, HiddenCells, hidden_cells

TITLE = "takes a hidden cell for the value that the release lacks, or for that which most hidden cells have"
NOTE = (
    "all hidden cells of the column are guessed, each by the others; the better of the two guesses is shown, beside "
    "how many of all cells have the commonest value"
)


def hiding_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attack on each column to be guessed, confidential or sensitive, of which single cells may be hidden."""
    if scene.places is None:
        return  # whose row is whose is not known: no guess could be judged
    of_column = {made.column: index for index, made in reversed(list(scene.policy.cells()))}
    both = [name for name in scene.released.columns if name in scene.original.columns]
    recoded = known_to_groups(scene.policy)
    for name in both:
        if (name in of_column or name in scene.guessed) and name not in recoded:
            seconds = 0.05 + scene.released.rows * 2e-7
            yield AttackTask(f"hidden_means on {name}", seconds, _attack_on(scene, name, of_column.get(name)))


def _attack_on(scene: Scene, column: str, requirement: int | None) -> Callable[[], Iterator[Attack]]:
    def run() -> Iterator[Attack]:
        begin = time.monotonic()
        assert scene.places is not None
        hidden = hidden_cells(scene.released, scene.original, scene.places, scene.policy, column)
        cells = int((hidden.values != UNKNOWN).sum())
        if not cells:
            return
        lacking, mostly = _right(hidden, scene.policy)
        released = Rate(max(lacking, mostly), cells)
        yield Attack(
            "aware",
            "hidden_means",
            TITLE,
            column,
            (),
            released,
            cells,
            baseline=hidden.common,
            requirement=requirement,
            warnings=tuple(_warnings(column, released, hidden.common)),
            notes=(NOTE,),
            figures={"lacking_right": lacking, "mostly_right": mostly, "lacking": len(_lacking(hidden))},
            seconds=time.monotonic() - begin,
        )

    return run


def _warnings(column: str, released: Rate, common: Rate) -> Iterator[str]:
    if released.beyond(common):
        yield (
            f"to be hidden tells the value: whoever {TITLE} is right about {released.right:.0f} of the "
            f"{released.tries} hidden cells of {column!r}, and would be about {100 * (common.share or 0):.0f}% by the "
            "commonest value"
        )


def _right(hidden: HiddenCells, policy: Policy) -> tuple[float, float]:
    """Return how many hidden cells are guessed by what is lacking, and by what most of the others are."""
    lacking, mostly = 0.0, 0.0
    for text, places in hidden.groups():
        values = hidden.values[places]
        values = values[values != UNKNOWN]
        if len(values):
            missing = _among(hidden, policy, hidden.labels[text])
            lacking += np.isin(values, missing).sum() / max(len(missing), 1)
            mostly += _by_others(np.unique(values, return_counts=True)[1])
    return float(lacking), mostly


def _lacking(hidden: HiddenCells) -> Ints:
    """Return the values that no released row has any more."""
    return np.flatnonzero((hidden.everybody > 0) & (hidden.kept == 0))


def _among(hidden: HiddenCells, policy: Policy, label: str | None) -> Ints:
    """Return the lacking values that a released text may stand for: those of its group, if it is one."""
    lacking, taxonomy = _lacking(hidden), policy.column(hidden.column).taxonomy
    nodes = () if taxonomy is None else taxonomy.nodes[1:]
    node = next((node for node in nodes if label in node.labels), None)
    if taxonomy is None or node is None:
        return lacking
    below = set(taxonomy.leaves[node.first : node.stop])
    return np.array([place for place in lacking.tolist() if hidden.domain[place] in below], dtype=np.int64)


def _by_others(counts: Ints) -> float:
    """Return how many cells (so many of each value) are guessed by the commonest value of the others.

    >>> _by_others(np.array([3])), _by_others(np.array([2, 1])), _by_others(np.array([2, 2])), _by_others(np.array([1]))
    (3.0, 1.0, 0.0, 0.0)
    """
    top = int(counts.max())
    second = int(np.sort(counts)[-2]) if len(counts) > 1 else 0
    if top - 1 < max(second, 1):
        return 0.0
    as_common = int((counts == second).sum()) if second == top - 1 else 0
    return top / (1 + as_common)
