"""Blind protection on arrays: floats, decimals and compiled loops come to the same."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.common.compiled import always
from discreet.planning.blind_texts import tell_texts


def job(seed: int) -> dict[str, Any]:
    """Return a small random table with confidential cells."""
    draw = random.Random(seed)
    number = draw.randint(12, 50)
    names = [f"c{place}" for place in range(draw.randint(2, 4))]
    sizes = [draw.randint(2, 4) for _ in names]
    rows = []
    for _ in range(number):
        kind = draw.randrange(4)
        rows.append([_cell(draw, kind, size) for size in sizes])
    items = [_item(draw, "c0", number, Fraction(1, 2), Fraction(1, 20))]
    if draw.random() < 0.4:
        items.append(_item(draw, "c1", number, Fraction(2, 5), Fraction(1, 10)))
    every = [["naive_bayes", "count"], ["count"], ["naive_bayes"], ["count", "naive_bayes"], ["kernel"]]
    every += [["naive_bayes", "count", "kernel"], ["kernel", "count"]]
    return {
        "names": names,
        "rows": rows,
        "items": items,
        "blocks": draw.choice(["starred", "starred", "none"]),
        "references": draw.choice(every),
        "missing": ["?"],
        "numbers": ["c1"] if draw.random() < 0.3 else [],
        "order": ["c1"] if draw.random() < 0.2 else [],
        "trees": {"c1": {"0": "2", "1": "2"}} if draw.random() < 0.3 else {},
        "marker": draw.choice(["*", "0"]),
    }


def _cell(draw: random.Random, kind: int, size: int) -> str:
    if draw.random() < 0.05:
        return "?"
    return str((kind if draw.random() < 0.6 else draw.randrange(9)) % size)


def _item(draw: random.Random, column: str, rows: int, at_most: Fraction, margin: Fraction) -> dict[str, Any]:
    some = sorted(draw.sample(range(rows), draw.randint(1, 5)))
    return {"column": column, "rows": some, "at_most": at_most, "margin": margin}


@given(st.integers(0, 10**6))
def test_floats_decide_as_decimals_do(seed: int) -> None:
    asked = job(seed)
    assert tell_texts(**asked) == tell_texts(**asked, exact=True)


@pytest.mark.parametrize("references", [["count"], ["naive_bayes", "count"]])
def test_limits_of_very_many_digits_decide_exactly(references: list[str]) -> None:
    """A limit a hair's breadth below or above one of few digits, whose products do not fit into 64 bits."""
    hair = Fraction(1, 10**17)
    for seed in (1, 2, 3):
        asked = {**job(seed), "references": references}
        items = [
            {**item, "at_most": item["at_most"] + hair, "margin": item["margin"] + hair} for item in asked["items"]
        ]
        assert tell_texts(**{**asked, "items": items}) == tell_texts(**{**asked, "items": items}, exact=True)
        assert tell_texts(**{**asked, "items": items}).told.keys() == tell_texts(**asked).told.keys()


@pytest.mark.slow
def test_compiled_loops_come_to_the_same() -> None:
    for seed in range(20):
        asked = job(seed)
        with always("plain"):
            plain = tell_texts(**asked)
        with always("compiled"):
            assert tell_texts(**asked) == plain


def test_rows_do_not_depend_on_each_other_nor_on_their_order() -> None:
    asked = job(7)
    found = tell_texts(**asked)
    for row in asked["items"][0]["rows"]:
        changed = [list(each) for each in asked["rows"]]
        for other in asked["items"][0]["rows"]:
            if other != row:
                changed[other] = ["never seen"] * len(changed[other])
        assert tell_texts(**{**asked, "rows": changed}).told[row] == found.told[row]


def test_a_table_that_repeats_itself_does_not_hide_what_a_column_tells() -> None:
    """Every other row has other jobs: halves by turns would teach nothing of each other."""
    rows = [["acbd"[t % 4], "xy"[t % 4 // 2] if t % 5 else "yx"[t % 4 // 2]] for t in range(400)]
    item = {"column": "ill", "rows": [0], "at_most": Fraction(1, 2), "margin": Fraction(1, 20)}
    answer = tell_texts(names=["job", "ill"], rows=[["a", "x"], *rows], items=[item])
    assert answer.tau["ill"][0] > 10
    assert answer.told[0].get("job") != 0
