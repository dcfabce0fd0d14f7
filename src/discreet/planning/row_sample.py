"""Drawing a sample of the rows: evenly, without replacement, by chance of the operating system.

Which rows are drawn depends on nothing that they hold. A seed is for tests: whoever knows it can draw again.
"""

from __future__ import annotations

from discreet.chance import chance_from, some_of
from discreet.common.shares import percent
from discreet.encoded import Ints
from discreet.errors import PolicyError
from discreet.policy import Policy
from discreet.table.engine import Engine


def drawn_rows(source: Engine, policy: Policy, seed: int | None = None) -> Ints | None:
    """Return the places of the rows that are drawn, ascending; None where all are released."""
    if policy.release is None:
        return None
    size = policy.release.size(source.rows)
    if not size:
        message = f"{percent(policy.release.sample)} of {source.rows} rows is less than one row; draw more"
        raise PolicyError([policy.problem(("release", "sample"), message)])
    return some_of(source.rows, size, chance_from(seed, stream=1))  # another stream than that of the lot
