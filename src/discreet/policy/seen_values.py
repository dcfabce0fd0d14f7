"""What a table shows of a sensitive column, as requirements are told it."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.policy.model import Policy
from discreet.policy.requirements.seen import SeenColumn


def seen_values(policy: Policy, column: str, values: Sequence[str | None], rows: Sequence[int]) -> SeenColumn:
    """Return the values of a column that tell something and that some row has, and the rows with each."""
    pairs = [(v, n) for v, n in zip(values, rows, strict=True) if n and not policy.is_unknown(v)]
    return SeenColumn(
        tuple(value for value, _ in pairs),
        tuple(number for _, number in pairs),
        sum(rows),
        policy.column(column),
        frozenset(value for value, _ in pairs if policy.declares_missing(value)),
    )
