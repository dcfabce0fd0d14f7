"""The methods that protect confidential cells: what each must be allowed to change, and whom it is against."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, WithJsonSchema

Method: TypeAlias = Literal[
    "decp", "incp", "dropp", "hid3", "e-decp", "e-dropp", "nrd", "greedy",
    "smc", "max-descendant", "random-max", "random", "hitting-set", "cr", "exact", "blind",
]  # fmt: skip
Hideable: TypeAlias = Literal["own.conditions", "others.conditions", "others.sensitive"]

NEEDS: dict[str, frozenset[Hideable]] = {
    "decp": frozenset({"others.conditions"}),
    "e-decp": frozenset({"others.conditions"}),
    "incp": frozenset({"others.sensitive"}),
    "dropp": frozenset({"own.conditions"}),
    "e-dropp": frozenset({"own.conditions"}),
    "hid3": frozenset({"own.conditions"}),
    "greedy": frozenset({"own.conditions"}),
    "nrd": frozenset(),
    "smc": frozenset({"others.sensitive"}),
    "max-descendant": frozenset({"others.conditions"}),
    "random-max": frozenset({"others.conditions"}),
    "random": frozenset({"others.conditions"}),
    "hitting-set": frozenset({"own.conditions"}),
    "cr": frozenset(),
    "exact": frozenset(),
    "best": frozenset(),
}
"""What each method must be allowed to change."""
USUAL: dict[str, frozenset[Hideable]] = {
    **NEEDS,
    "incp": frozenset({"others.sensitive", "others.conditions"}),
    "cr": frozenset({"others.sensitive"}),
    "exact": frozenset({"others.sensitive"}),
    "best": frozenset({"others.sensitive"}),
}
"""What each method may change when the policy does not say."""
AGAINST_BAYES = ("decp", "incp", "dropp", "e-decp", "e-dropp")
AGAINST_TREES = ("hid3",)
AGAINST_RULES = ("smc", "max-descendant", "random-max", "random", "hitting-set", "cr", "exact")
"""Beside `greedy` (the cell that helps most, again and again) and `best` (what fits what may be hidden)."""
FOR_ALL = ("greedy", "nrd")
"""Methods that work against everybody."""
IN_TURN = ("best", *AGAINST_RULES, *AGAINST_TREES, *AGAINST_BAYES, *FOR_ALL)
"""The order in which methods against several adversaries take turns."""
CASES: dict[str, tuple[Hideable, ...]] = {
    "a": ("others.sensitive",),
    "b": ("others.conditions",),
    "c": ("own.conditions",),
    "d": ("others.conditions", "own.conditions"),
    "e": ("others.sensitive", "own.conditions"),
    "f": ("others.conditions", "others.sensitive", "own.conditions"),
    "g": ("others.conditions", "others.sensitive"),
    "h": (),
}
"""The paper's names for what may be hidden."""


def _as_regions(value: object) -> object:
    return CASES[value] if isinstance(value, str) and value in CASES else value


Regions = Annotated[
    tuple[Hideable, ...] | None,
    BeforeValidator(_as_regions),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "array", "items": {"enum": list(CASES["f"])}},
                {"enum": [*CASES, None]},
            ]
        }
    ),
]
"""What may be hidden, item by item or by the paper's names; None where the policy does not say."""
