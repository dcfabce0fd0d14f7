"""Blind protection of rows of which earlier releases told something equals its slow version on random tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.method.cells.blind_before import ToldBefore
from discreet.planning.blind_texts import tell_texts
from tests.profiles import MANY
from tests.reference.blind import BlindTable
from tests.reference.blind_before import Release, Telling, ToldAgain, tell_before
from tests.reference.blind_tables import tables


@st.composite
def pasts(draw: st.DrawFn) -> tuple[BlindTable, dict[int, list[Release]]]:
    """Draw a table, and what up to three earlier releases told of its rows with confidential cells."""
    table = draw(tables())
    assume("kernel" not in table.references)
    assume(all(table.knowing(secret) for row in table.confidential for secret in table.secrets(row)))
    found: dict[int, list[Release]] = {}
    for row in table.confidential:
        for _ in range(draw(st.integers(0, 3))):
            told: dict[str, Telling] = {}
            for name in table.predictors(row):
                domain = table.domains[name]
                how = draw(st.sampled_from(("nothing", "value", "same", "star", "set")))
                if how in ("star", "set") and len(domain) > 1:
                    some = draw(st.lists(st.sampled_from(range(len(domain))), min_size=1, max_size=2, unique=True))
                    told[name] = Telling(tuple(domain[at] for at in sorted(some)), how == "star")
                elif how in ("value", "same"):
                    own = table.elements[row][name]
                    told[name] = Telling((own if how == "same" else draw(st.sampled_from(domain)),))
            if told:
                found.setdefault(row, []).append(told)
    return table, found


def fast(table: BlindTable, past: dict[int, list[Release]]) -> Any:
    """Ask the fast version the same."""
    items = []
    for item in table.items:
        said = {name: value for name, value in asdict(item).items() if value is not None}
        items.append({**said, "rows": list(item.rows)})
    before = {
        row: tuple(
            tuple(
                ToldBefore(table.names.index(name), tuple(map(table.domains[name].index, told.fact)), told.star)
                for name, told in one.items()
            )
            for one in releases
        )
        for row, releases in past.items()
    }
    return tell_texts(
        list(table.names), [list(row) for row in table.rows], items, blocks=table.blocks,
        references=list(table.references), order=list(table.order), numbers=list(table.numbers),
        trees={column: dict(tree) for column, tree in table.trees.items()}, missing=list(table.missing),
        marker=table.marker, before=before,
    )  # fmt: skip


def as_places(table: BlindTable, told: ToldAgain) -> dict[str, int | tuple[int, ...]]:
    """Return what is told by places in the domains."""
    found: dict[str, int | tuple[int, ...]] = {
        name: table.domains[name].index(element) for name, element in told.values.items()
    }
    for name, (element, _) in told.denied.items():
        found[name] = tuple(at for at, each in enumerate(table.domains[name]) if each != element)
    return found


@pytest.mark.slow
@MANY
@given(pasts())
def test_it_equals_the_slow_version(drawn: tuple[BlindTable, dict[int, list[Release]]]) -> None:
    table, past = drawn
    answer = fast(table, past)
    for row, releases in past.items():
        slow = tell_before(table, row, releases)
        assert (row in answer.failed) == slow.failed
        assert answer.told[row] == as_places(table, slow)
