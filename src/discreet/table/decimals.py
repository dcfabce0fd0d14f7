"""Which sign stands before the decimals of a table's numbers: as the policy says, or as the table shows."""

from __future__ import annotations

import re

from discreet.policy import Policy
from discreet.table.engine import Engine

_WITH_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*", re.ASCII)
_WITH_POINT = re.compile(r"\s*[+-]?\d*\.\d+\s*", re.ASCII)


def as_written(policy: Policy, table: Engine) -> Policy:
    """Return the policy with the decimal sign of a table.

    When nothing is said, a comma is found out only where it cannot be anything else: in a text file with semicolons
    between its fields, in columns that the policy says are numbers, of which none has a point. Columns that are no
    texts but numbers have points, whatever is said of files.
    """
    names = [name for name in _numbers(policy) if name in table.columns]
    texts = [name for name in names if table.kind(name) == "text"]
    if policy.file.decimal is None and texts and _has_commas(table, texts):
        policy = policy.with_file(decimal=",")
    if policy.file.decimal != ",":
        return policy
    return policy.with_points([name for name in names if name not in texts])


def _numbers(policy: Policy) -> list[str]:
    """Return the columns that the policy says are numbers."""
    typed = [name for name, column in policy.columns.items() if column.type == "number"]
    targets = [goal.target for goal in policy.goals if goal.reads_numbers]
    return [*typed, *(name for name in targets if name not in policy.columns)]


def _has_commas(table: Engine, names: list[str]) -> bool:
    dialect = table.form.dialect
    if dialect is None or dialect.separator != ";":
        return False
    values = [value for name in names for value in table.count([name]).domain(name) if value is not None]
    return any(map(_WITH_COMMA.fullmatch, values)) and not any(map(_WITH_POINT.fullmatch, values))
