"""How many cells of each column were hidden, and how many tell something coarser."""

from __future__ import annotations

import numpy as np

from discreet.policy.bind import Bound
from discreet.policy.blind import tells_blocks
from discreet.table.engine import Engine


def changes(released: Engine, source: Engine, bound: Bound) -> tuple[dict[str, int], dict[str, int]]:
    """Return for each changeable column how many cells are hidden, and how many tell something coarser."""
    policy = bound.policy
    if released.rows != source.rows:
        source = released.beside(source) or source.only(np.searchsorted(source.numbers(), released.numbers()))
    hidden, coarser = {}, {}
    for name in dict.fromkeys([*bound.changeable, *bound.edited]):
        column = policy.column(name)
        changed = released.mismatches(source, name, policy.marker) if column.coarsens or tells_blocks(policy) else None
        hidden[name] = released.occurrences(name, policy.marker)
        coarser[name] = changed.cells if changed is not None else 0
        root = column.taxonomy.nodes[0].labels[-1] if column.taxonomy is not None else policy.marker
        if root != policy.marker:  # it tells as little
            nothing = released.occurrences(name, root)
            hidden[name] += nothing
            coarser[name] -= nothing
    return hidden, coarser
