"""How many random examples a test tries: a profile decides, not a number in the test.

`HYPOTHESIS_PROFILE` names it: `quick` (while one works; `make test`), `ci` (`make test-all`) or `nightly`. `ci` tries
the same examples each time, so that it is the change that is judged and not luck; the others try new ones.
A test whose examples are dear is marked `@FEW`, one whose examples cost next to nothing `@MANY`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

EXAMPLES = {"quick": 5, "ci": 10, "nightly": 2_000}

# The machine's speed decides nothing: no example is refused for the time it took.
for _name, _examples in EXAMPLES.items():
    settings.register_profile(
        _name,
        max_examples=_examples,
        derandomize=_name == "ci",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "quick")
settings.load_profile(PROFILE)

_usual = settings().max_examples
FEW = settings(max_examples=max(_usual // 4, 3))
MANY = settings(max_examples=_usual * 5)
VERY_MANY = settings(max_examples=_usual * 20)
NIGHTLY = PROFILE == "nightly"
KILLS = 100 if NIGHTLY else 6
"""How often a test kills a program that it starts."""


def in_short(cases: Iterable[Any], shown: int = 1) -> list[Any]:
    """Return the cases of a parameter, the first of them as they are and the others for nights."""
    return [case if at < shown else _at_night(case) for at, case in enumerate(cases)]


def _at_night(case: Any) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.nightly)


def size(usual: int, nightly: int) -> int:
    """Return how large a table is whose size is not what a test is about, but might bring something to light."""
    return nightly if NIGHTLY else usual
