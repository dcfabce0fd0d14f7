"""Compile the kernels once, by small jobs of every kind in two processes, before the processes of tests each would."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import polars as pl

import discreet as d

KNOWN = ["job", "town", "age"]


def _table() -> pl.DataFrame:
    rows = range(24)
    return pl.DataFrame({
        "job": ["pqr"[row % 3] for row in rows],
        "town": ["rome", "bari", "oslo", "turku"] * 6,
        "age": [str(20 + 7 * row % 13) for row in rows],
        "ill": ["yes" if row % 5 == 0 else "no" if row % 2 else "perhaps" for row in rows],
        "class": ["12"[row % 2] for row in rows],
        "pay": [str(row * row % 17) for row in rows],
    })  # fmt: skip


COLUMNS: dict[str, Any] = {
    "town": {"taxonomy": {"any": {"north": ["oslo", "turku"], "south": ["rome", "bari"]}}},
    "age": {"type": "number"},
}
K: dict[str, Any] = {"k": 3, "over": KNOWN}
TEMPLATE: dict[str, Any] = {"infer": {"ill": "yes"}, "given": KNOWN, "at_most": "50%"}


def _groups() -> Iterator[dict[str, Any]]:
    """Policies about groups."""
    for use in ({"classify": "class"}, {"regress": "pay"}, {"regress": "pay", "by": "median"}, "counts", "general"):
        yield {"use": use, "protect": [TEMPLATE], "columns": COLUMNS}
        for search in ("coordinate", "genetic", "exact"):
            genetic = {"genetic": {"population": 20, "iterations": 50}} if search == "genetic" else {}
            yield {"use": use, "protect": [K, TEMPLATE], "columns": COLUMNS, "search": search, **genetic}


def _others() -> Iterator[dict[str, Any]]:
    """Policies about cells, and local recoding."""
    yield {"protect": [K], "columns": COLUMNS, "recoding": "local"}
    yield {"protect": [K, TEMPLATE], "columns": COLUMNS, "recoding": "local"}
    cell = {"column": "ill", "rows": [1, 2], "predictors": ["job", "town", "class"], "on_failure": "remove"}
    values = {"job": ["p", "q", "r"], "ill": ["yes", "no", "perhaps"], "class": ["1", "2"]}
    flat = {
        name: {"taxonomy": {"any": {"some": some[:2], "others": some[2:] or None}}} for name, some in values.items()
    }
    trees = {"columns": {"town": COLUMNS["town"], **flat}}
    for adversary, methods in {"naive_bayes": ["dropp", "decp", "incp"], "id3": ["hid3"]}.items():
        for method in methods:
            for change in ("delete", "generalise"):
                item = {**cell, "against": [adversary], "method": method, "change": change}
                yield {"protect": [item], **(trees if change == "generalise" else {})}
    yield {"protect": [{**cell, "against": ["naive_bayes", "id3"]}]}
    rules = {"rules": {"min_confidence": "60%", "conditions": ["job", "town", "class"]}}
    yield {"protect": [{"column": "ill", "rows": [1, 2], "against": [rules]}]}


def compile_by(kind: str) -> None:
    """Run the jobs of a kind; what comes of them is not what this is about."""
    for policy in _groups() if kind == "groups" else _others():
        try:
            d.protect(_table(), d.Policy.from_dict(policy), seed=1)
        except (d.ImpossiblePromise, d.BrokenPromise):
            continue


def main() -> None:
    """Compile all."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(compile_by, ("groups", "others")))


if __name__ == "__main__":
    main()
