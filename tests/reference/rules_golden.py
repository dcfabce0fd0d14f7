"""The golden tables of the rules as tasks of the reference."""

from fractions import Fraction
from typing import Any

from tests.conftest import load_golden
from tests.reference.rules_model import CASES, Cell, Task

FIG2 = load_golden("safe_fig2.json")
TRAPS = load_golden("safe_traps.json")
TINY = load_golden("safe_random_tiny.json")


def golden_task(golden: Any, case: str) -> Task:
    """A golden's table, without its + marks."""
    table = golden["table"]
    place = {name: j for j, name in enumerate(table["attrs"])}
    return Task(
        table["rows"],
        {place[s]: [place[c] for c in table["cond"][s]] for s in table["sens"]},
        {Cell(i, j) for i, j, mark in table["marks"] if mark == "-"},
        Fraction(golden["minconf"]),
        golden["minsupp"],
        CASES[case],
    )


def trap_task(name: str, case: str, min_confidence: str | None = None) -> Task:
    trap = TRAPS[name]
    columns = trap.get("columns", ["A", "B", "C", "S"])
    conditions = trap.get("conditions", columns[:-1])
    if isinstance(conditions, list):
        conditions = {columns[-1]: conditions}
    sensitive = {columns.index(s): [columns.index(c) for c in cs] for s, cs in conditions.items()}
    minus = {Cell(*pair) for pair in trap["minus"]}
    return Task(trap["rows"], sensitive, minus, Fraction(min_confidence or trap["minconf"]), 0, CASES[case])
