"""Compile the kernels once, by small jobs in two processes, before the processes of tests each would.

`python -m tests.warm_up` compiles what the tests of `make test` need most; the loops of other methods run as they stand
there, which is quicker than compiling them. `python -m tests.warm_up all` compiles the loops of every method.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import polars as pl

import discreet as d
from discreet.common.compiled import always

KNOWN = ["job", "town", "age"]


def _table() -> pl.DataFrame:
    rows = range(24)
    return pl.DataFrame({
        "job": ["pqr"[row % 3] for row in rows],
        "town": ["rome", "bari", "oslo", "turku"] * 6,
        "age": [str(20 + 7 * row % 5) for row in rows],
        "ill": ["yes" if row % 5 == 0 else "no" if row % 2 else "perhaps" for row in rows],
        "class": ["12"[row % 2] for row in rows],
        "pay": [str(row * row % 17) for row in rows],
    })  # fmt: skip


COLUMNS: dict[str, Any] = {
    "town": {"taxonomy": {"any": {"north": ["oslo", "turku"], "south": ["rome", "bari"]}}},
    "age": {"type": "number"},
}
K: dict[str, Any] = {"k": 3, "over": KNOWN}
L: dict[str, Any] = {"l": 2, "of": "ill", "over": KNOWN}
TEMPLATE: dict[str, Any] = {"infer": {"ill": "yes"}, "given": KNOWN, "at_most": "50%"}


def _groups() -> Iterator[dict[str, Any]]:
    """Policies about groups."""
    for use in ({"classify": "class"}, {"regress": "pay"}, {"regress": "pay", "by": "median"}, "counts", "general"):
        yield {"use": use, "protect": [TEMPLATE], "columns": COLUMNS}
        for search in ("coordinate", "genetic", "exact"):
            genetic = {"genetic": {"population": 20, "iterations": 50}} if search == "genetic" else {}
            yield {"use": use, "protect": [K, TEMPLATE], "columns": COLUMNS, "search": search, **genetic}
    yield {"use": "general", "protect": [L], "columns": COLUMNS, "search": "disclosure"}
    yield {"use": "general", "protect": [L], "columns": COLUMNS, "search": "coordinate"}


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
    yield {"protect": [L], "columns": COLUMNS, "recoding": "local"}
    uses: list[Any] = [{"classify": "class"}, [{"regress": "pay"}, "general"]]
    for use in uses:
        yield {"use": use, "protect": [K], "columns": COLUMNS, "recoding": "local"}


def few() -> dict[str, list[dict[str, Any]]]:
    """Return the jobs whose loops most tests need."""
    known: dict[str, Any] = {"protect": [K, TEMPLATE], "columns": COLUMNS}
    uses: list[Any] = [{"classify": "class"}, "general"]
    return {
        "groups": [{"use": use, **known, "search": search} for search in ("disclosure", "coordinate") for use in uses],
        "others": [{**known, "recoding": "local"}],
    }


def compile_by(policies: list[dict[str, Any]]) -> None:
    """Run jobs; what comes of them is not what this is about.

    Those that need what few jobs need come last: the others are compiled without it.
    """
    with always("compiled"):
        for policy in policies:
            outcome(policy)


def jobs() -> dict[str, list[dict[str, Any]]]:
    """Return small jobs of every kind."""
    return {"groups": list(_groups()), "others": list(_others())}


def outcome(policy: dict[str, Any]) -> tuple[Any, ...]:
    """Return what comes of a job: release and plan, or the reason why there is none."""
    try:
        release = d.protect(_table(), d.Policy.from_dict(policy), seed=1)
    except (d.ImpossiblePromise, d.BrokenPromise) as error:
        return (str(error),)
    assert isinstance(release.table, pl.DataFrame)
    return release.table.rows(), release.plan.to_json()


def main() -> None:
    """Compile what is asked for."""
    wanted = jobs() if "all" in sys.argv[1:] else few()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(compile_by, wanted.values()))


if __name__ == "__main__":
    main()
