"""Compile the kernels once, by small jobs in two processes, before the processes of tests each would.

`python -m tests.warm_up` compiles what the tests of `make test` need most; the loops of other methods run as they stand
there, which is quicker than compiling them. `python -m tests.warm_up all` compiles the loops of every method, and of
attacks (`tests/test_warm_up.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from typing import Any

import polars as pl

import discreet as d
from discreet.common.compiled import always, as_begun
from tests import blind_tables

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
    for adversary, methods in {"naive_bayes": ["dropp", "decp", "incp", "e-dropp", "e-decp"], "id3": ["hid3"]}.items():
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


def _many() -> pl.DataFrame:
    """Return a table with more classes than are counted in columns of their own, and with more numbers and names."""
    rows = range(96)
    return pl.concat([_table()] * 4).with_columns(
        pl.Series("number", [str(row * 7 % 16) for row in rows]),
        pl.Series("name", ["abcdefghijklmn"[row * 5 % 14] for row in rows]),
        pl.Series("person", [str(row) for row in rows]),
    )


def _even() -> pl.DataFrame:
    """Return a table with values that all tell the same, which disclosure shows in one go."""
    rows = range(240)
    return pl.DataFrame({
        "town": [f"v{row % 40}" for row in rows],
        "class": ["12"[row % 2] for row in rows],
        "ill": [("yes", "no", "perhaps")[row // 40 % 3] for row in rows],
    })  # fmt: skip


def _of_many() -> Iterator[dict[str, Any]]:
    """Policies about `_many`: classes by pairs, many sets of columns, several groupings, exact search by cells."""
    class_of, number = {"classify": "class"}, {**COLUMNS, "number": {"type": "number"}}
    yield {"use": {"classify": "person"}, "protect": [K], "columns": COLUMNS, "search": "coordinate"}
    every = {"k": 2, "over": {"any": 2, "of": [*KNOWN, "class"]}}
    yield {"protect": [every], "columns": COLUMNS, "search": "coordinate"}
    two = [{"k": 3, "over": ["job", "town"]}, {"k": 2, "over": ["town", "age"]}]
    yield {"use": class_of, "protect": two, "columns": COLUMNS, "search": "coordinate"}
    for last, k in (("number", 8), ("name", 2)):
        known = {"k": k, "over": ["job", "town", last]}
        yield {"use": class_of, "protect": [known], "columns": number, "search": "exact"}


def _rules() -> Iterator[dict[str, Any]]:
    """Policies about cells that rules tell, by methods that only they have."""
    rules = {"rules": {"min_confidence": "60%", "conditions": ["job", "town", "class"]}}
    cell = {"column": "ill", "rows": [1, 2], "against": [rules]}
    yield {"protect": [{**cell, "decoys": True}]}
    yield {"protect": [{**cell, "method": "hitting-set"}]}


def few() -> dict[str, list[dict[str, Any]]]:
    """Return the jobs whose loops most tests need."""
    known: dict[str, Any] = {"protect": [K, TEMPLATE], "columns": COLUMNS}
    uses: list[Any] = [{"classify": "class"}, "general"]
    return {
        "groups": [{"use": use, **known, "search": search} for search in ("disclosure", "coordinate") for use in uses],
        "others": [{**known, "recoding": "local"}],
    }


def jobs() -> dict[str, list[dict[str, Any]]]:
    """Return small jobs of every kind."""
    return {"groups": list(_groups()), "others": [*_rules(), *_others()]}


def further() -> dict[str, Callable[[], object]]:
    """Return what else is to be done for the loops that none of the jobs needs: on other tables, and attacks."""
    of_many = {f"many {n}": partial(outcome, policy, _many()) for n, policy in enumerate(_of_many())}
    even = {"use": "general", "protect": [{"infer": {"ill": "yes"}, "given": ["town"], "at_most": "60%"}]}
    return {"attacks": attacked, "blind": blind, "even": partial(outcome, even, _even()), **of_many}


def compile_by(work: list[Callable[[], object]]) -> None:
    """Run jobs; what comes of them is not what this is about.

    Those that need what few jobs need come last: the others are compiled without it.
    """
    as_begun()
    with always("compiled"):
        for each in work:
            each()


def outcome(policy: dict[str, Any], table: pl.DataFrame | None = None) -> tuple[Any, ...]:
    """Return what comes of a job: release and plan, or the reason why there is none."""
    try:
        release = d.protect(_table() if table is None else table, d.Policy.from_dict(policy), seed=1)
    except (d.ImpossiblePromise, d.BrokenPromise) as error:
        return (str(error),)
    assert isinstance(release.table, pl.DataFrame)
    return release.table.rows(), release.plan.to_json()


def blind() -> tuple[Any, ...]:
    """Return what comes of cells that are protected blindly."""
    return outcome(blind_tables.policy(rows=(3, 11)).to_dict(), blind_tables.table())


def attacked() -> str:
    """Return what attacks find, which have loops of their own."""
    rows = range(60)
    table = pl.DataFrame({
        "job": ["pqr"[row % 3] for row in rows],
        "age": [str(20 + row * row % 11) for row in rows],
        "ill": ["yes" if row % 7 == 0 else "no" if row % 2 else "perhaps" for row in rows],
    })  # fmt: skip
    template = d.Template(given=["job", "age"], infer={"ill": "yes"}, at_most="30%")
    policy = d.Policy(protect=[template], columns={"age": d.Column(type="number")}, search="coordinate")
    release = d.protect(table, policy, seed=1)
    audit = d.audit_release(release.table, policy, table, seed=1)
    assert audit.attacks is not None
    return str([replace(attack, seconds=0.0) for attack in audit.attacks.found])


def main() -> None:
    """Compile what is asked for."""
    every = "all" in sys.argv[1:]
    wanted: list[list[Callable[[], object]]]
    wanted = [[partial(outcome, policy) for policy in kind] for kind in (jobs() if every else few()).values()]
    if every:
        wanted.append(list(further().values()))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(compile_by, wanted))


if __name__ == "__main__":
    main()
