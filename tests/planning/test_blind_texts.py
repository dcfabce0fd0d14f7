"""Blind protection equals its slow version on random tables: domains, tau, what is told of each row, and who fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given

from discreet.plan.blind_statement import GROWING, LEAVING
from discreet.planning.blind_texts import tell_texts
from tests.profiles import MANY
from tests.reference.blind import BlindTable, Item, Told
from tests.reference.blind_tables import TOLD_AS_SETS, tables


def fast(of: BlindTable, *, exact: bool = False) -> Any:
    """Ask the fast version the same."""
    items = []
    for item in of.items:
        said = asdict(item)
        if item.predictors is None:
            del said["predictors"]
        items.append({**said, "rows": list(item.rows)})
    return tell_texts(
        names=list(of.names),
        rows=[list(row) for row in of.rows],
        items=items,
        blocks=of.blocks,
        references=list(of.references),
        order=list(of.order),
        numbers=list(of.numbers),
        trees={column: dict(tree) for column, tree in of.trees.items()},
        missing=list(of.missing),
        marker=of.marker,
        rule=GROWING if of.grows else LEAVING,
        exact=exact,
    )


def as_places(of: BlindTable, told: Told) -> Mapping[str, int | tuple[int, ...]]:
    """Return what is told by places in the domains."""
    values = {name: of.domains[name].index(element) for name, element in told.values.items()}
    blocks = {name: tuple(map(of.domains[name].index, block)) for name, block in told.blocks.items()}
    return {**values, **blocks}


def assert_same(of: BlindTable) -> None:
    answer = fast(of)
    for name, domain in answer.domains.items():
        assert list(domain) == of.domains[name], name
    told = {row: of.tell(row) for row in of.confidential}
    if "naive_bayes" in of.references:
        secret = {name for row in of.confidential for name in of.secrets(row)}
        assert {name: list(answer.tau[name]) for name in secret} == {name: of.tau(name) for name in secret}
    assert set(answer.failed) == {row for row, one in told.items() if one.failed}
    assert answer.told == {row: as_places(of, one) for row, one in told.items()}
    if of.blocks == "told":
        blocks = {
            row: {name: of.written(name, block) for name, block in one.blocks.items()} for row, one in told.items()
        }
        assert answer.written == blocks


@pytest.mark.slow
@MANY
@given(tables())
def test_it_equals_the_slow_version(of: BlindTable) -> None:
    # Where nobody in the rest knows the secret column there is nothing to learn, and the policy is refused.
    assume(all(of.knowing(secret) for row in of.confidential for secret in of.secrets(row)))
    assert_same(of)


@pytest.mark.parametrize("grows", [False, True])
def test_cells_of_two_items_are_told_as_sets(grows: bool) -> None:
    of = replace(TOLD_AS_SETS, grows=grows)
    assert of.released()[0] == ["*", "{x, y}", "not {y}", "x"]
    assert_same(of)


def correlated(number: int, seed: int, columns: int = 4) -> tuple[tuple[str, ...], ...]:
    """Rows of which each column tells the last a little."""
    rng, rows = Random(seed), []
    for _ in range(number):
        last = rng.choice("uvwx")
        others = [last if rng.random() < rng.choice((0.2, 0.5)) else rng.choice("uvwx*?") for _ in range(columns - 1)]
        rows.append((*others, last))
    return tuple(rows)


@pytest.mark.slow
@pytest.mark.parametrize("blocks", ["starred", "told", "none"])
@pytest.mark.parametrize("seed", [1, 2])
def test_it_equals_the_slow_version_on_larger_tables(seed: int, blocks: str) -> None:
    items = (Item("d", tuple(range(8))), Item("c", (6, 7, 8, 9)))
    assert_same(BlindTable(("a", "b", "c", "d"), correlated(60, seed), items, blocks, missing=("?",)))


def test_numbers_of_many_values() -> None:
    rng = Random(7)
    rows = []
    for _ in range(70):
        number = rng.gauss(0, 10)
        rows.append((f"{number:.2f}", rng.choice("xy"), "high" if number + rng.gauss(0, 8) > 0 else "low"))
    assert_same(BlindTable(("a", "b", "c"), tuple(rows), (Item("c", tuple(range(10))),), "told", numbers=("a",)))


@pytest.mark.slow
@pytest.mark.parametrize("references", [("naive_bayes", "count"), ("count", "naive_bayes"), ("kernel", "count")])
@pytest.mark.parametrize("labels", [False, True])
def test_values_that_are_alike_leave_a_block_in_order(references: tuple[Any, ...], labels: bool) -> None:
    rows = [(f"p{turn // 3:02}", "x" if turn % 3 else "y", "u" if turn % 3 else "v") for turn in range(36)]
    rows += [("told", "x", "v")] * 4
    trees = {"a": {f"p{place:02}": "low" if place < 6 else "high" for place in range(12)}} if labels else {}
    at_most = Fraction(7, 10)
    items = (Item("c", (0, 20), at_most), Item("c", (39,), at_most))
    of = BlindTable(("a", "b", "c"), tuple(rows), items, references=references, trees=trees)
    assert_same(of)
    blocks = [fact for told in fast(of).told.values() for fact in told.values() if isinstance(fact, tuple)]
    assert "kernel" in references or any(1 < len(block) < 12 for block in blocks)
    assert fast(of, exact=True) == fast(of)


def test_nothing_is_told_where_nothing_predicts() -> None:
    rows = (("x", "x"),) * 6
    of = BlindTable(("a", "b"), rows, (Item("b", (2,)), Item("a", (2,))))
    assert of.tell(2) == Told()
    assert_same(of)
