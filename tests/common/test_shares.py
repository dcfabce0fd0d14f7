"""Thresholds are exactly what the owner wrote; what is not a share is refused with the fix."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.common.shares import parse_share, percent


@pytest.mark.parametrize(
    "text", ["75%", "75 %", "75.0%", "0.75", ".75", "3/4", "6/8", 0.75, Decimal("0.75"), Fraction(3, 4)]
)
def test_ways_to_write_three_quarters(text: object) -> None:
    assert parse_share(text) == Fraction(3, 4)


@pytest.mark.parametrize(
    ("text", "share"),
    [("0", 0), ("1", 1), (0, 0), (1, 1), ("100%", 1), ("12.5%", Fraction(1, 8)), (1e-7, Fraction(1, 10**7))],
)
def test_ends_and_odd_ones(text: object, share: Fraction) -> None:
    assert parse_share(text) == share


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("75", "write 75% or 0.75"),
        (75, "write 75% or 0.75"),
        ("7.5", "write 7.5% or 0.075"),
        ("750", "write a share like 75%"),
        ("150%", "not between 0 and 1"),
        ("4/3", "not between 0 and 1"),
        ("-1%", "not a share"),
        ("3/0", "divides by zero"),
        ("many", "not a share"),
        ("", "not a share"),
        ("0,75", "not a share"),
        (True, "not a share"),
        (None, "not a share"),
        (float("nan"), "not a share"),
        (float("inf"), "not a share"),
    ],
)
def test_what_is_not_a_share(text: object, fix: str) -> None:
    with pytest.raises(ValueError, match=fix):
        parse_share(text)


@given(st.decimals(0, 1, allow_nan=False, places=17))
def test_every_digit_counts(number: Decimal) -> None:
    assert parse_share(f"{number:f}") == Fraction(number)
    assert parse_share(f"{number * 100:f}%") == Fraction(number)


def test_percent_says_when_it_is_rounded() -> None:
    assert [percent(Fraction(s)) for s in ("1/3", "1/8", "1")] == ["~33.33%", "12.5%", "100%"]
