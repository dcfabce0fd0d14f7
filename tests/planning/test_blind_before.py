"""Blind protection of rows of which earlier releases told something equals its slow version on random tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import islice, product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.method.cells.blind_before import ToldBefore
from discreet.planning.blind_texts import tell_texts
from tests.profiles import MANY
from tests.reference.blind import BlindTable, Element, Fact
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


# The promises, counted by what is told alone


def known_to_somebody(
    told: dict[str, Fact], stars: dict[str, int], past: list[Release]
) -> Iterator[dict[str, tuple[Element, ...]]]:
    """Yield what each reader goes by: `told` now, of which `stars` deny what an earlier release told."""
    ages = range(len(past))
    orders: list[list[int]] = [[-1], [-1, *reversed(ages)]]
    orders += [pair for one in ages for pair in ([-1, one], [one, -1])]
    orders += [[one, -1, *(other for other in reversed(ages) if other != one)] for one in ages]
    for order, aware in product(orders, (True, False)):
        known: dict[str, tuple[Element, ...]] = {}
        for release in reversed(order):  # what is believed first is written last
            if release == -1:
                known |= {name: fact for name, fact in told.items() if name not in stars}
                known |= {name: told[name] for name, by in stars.items() if aware and by in order}
            else:
                known |= {name: each.fact for name, each in past[release].items() if aware or not each.star}
        if known:
            yield known


@pytest.mark.slow
@MANY
@given(pasts())
def test_rows_are_told_the_same_exactly_if_they_agree_and_nobody_is_surer_than_the_limit(
    drawn: tuple[BlindTable, dict[int, list[Release]]],
) -> None:
    """P2 and P3: of a row with one past everything is tried that it may say, with any secret (P1)."""
    table, past = drawn
    assume(past)
    row, releases = next(iter(past.items()))
    names, own = table.predictors(row), [item for item in table.items if row in item.rows]
    texts = [[*sorted({line[table.names.index(name)] for line in table.rows}), "new"] for name in names]
    lines = []
    for number, chosen in enumerate(islice(product(*texts), 60)):
        line = dict(zip(table.names, table.rows[row], strict=True)) | dict(zip(names, chosen, strict=True))
        line |= {secret: "new" if number % 2 else line[secret] for secret in table.secrets(row)}
        lines.append(tuple(line.values()))
    tried = tuple(range(len(table.rows), len(table.rows) + len(lines)))
    items = tuple(replace(item, rows=(*item.rows, *tried)) if item in own else item for item in table.items)
    many = replace(table, rows=(*table.rows, *lines), items=items)
    answer = fast(many, {**past, **dict.fromkeys(tried, releases)})
    releases = [{name: told for name, told in one.items() if name in names} for one in releases]
    for one in tried:
        said = answer.told[one]
        domains = {name: many.domains[name] for name in said}
        told = {
            name: tuple(domains[name][at] for at in ((f,) if isinstance(f, int) else f)) for name, f in said.items()
        }
        for other in tried:
            agrees = all(many.elements[other][name] in fact for name, fact in told.items())
            assert agrees is (answer.told[other] == said)
            assert not agrees or (other in answer.failed) is (one in answer.failed)
        stars = {
            name: max(age for age, each in enumerate(releases) if name in each)
            for name, fact in said.items()
            if not isinstance(fact, int)
        }
        for known in known_to_somebody(told, stars, releases) if one not in answer.failed else ():
            for secret, reference in product(many.secrets(one), many.references):
                chances = many.reckon(reference, secret, known)
                assert all(chance <= many.limit(one, secret, value) for value, chance in chances.items())
