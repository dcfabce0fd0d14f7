"""A use that only this module knows works from the policy to the audit: nothing else must be touched for a new one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import jsonschema
import numpy as np
import polars as pl
import pytest
from pydantic import Field, model_serializer

import discreet as d
from discreet.assist.check import check_policy
from discreet.encoded import Combinations
from discreet.method.base import targets
from discreet.method.base.gain import Floats, Pieces
from discreet.planning.uses import PLANNED, Collapsing, PlannedUse
from discreet.policy.bind import Bound
from discreet.policy.schema import policy_schema
from discreet.policy.uses.base import PredictingUse, WeightedUse, register, unregister

TABLE = pl.DataFrame(
    {
        "Job": ["cook", "cook", "clerk", "clerk", "judge", "judge"] * 4,
        "Town": ["Oslo", "Rome"] * 12,
        "Rating": ["good", "bad", "good", "good", "bad", "bad"] * 4,
        "Ill": ["no", "yes", "no", "no", "no", "yes"] * 4,
    }
)
TEMPLATE = {"infer": {"Ill": "yes"}, "given": ["Job", "Town"], "at_most": "50%"}
CROWD: dict[str, Any] = {"k": 8, "over": ["Job", "Town"]}


def written(table: pl.DataFrame, folder: Path) -> Path:
    table.write_csv(folder / "table.csv")
    return folder / "table.csv"


class Spot(PredictingUse):
    """The release is for telling whether `target` has one value."""

    name: ClassVar[str] = "spot"
    target: str = Field(alias="spot", description="the column")
    value: str = Field(description="the value that is looked for")

    def values_named(self) -> dict[str, frozenset[str]]:
        return {"value": frozenset({self.value})}


def _has(bound: Bound, goal: Spot, counted: Combinations) -> Any:
    has = np.array([value == goal.value for value in counted.domain(goal.target)])[counted.code(goal.target)]
    return np.stack([np.where(has, counted.counts, 0), np.where(has, 0, counted.counts)], axis=1)


def _told(whole: Pieces, parts: Pieces, total: int) -> Floats:
    """Rows that would be taken for what they are."""
    return np.asarray(parts.tallies.max(axis=-1).sum(axis=-1) - whole.tallies.max(axis=-1), dtype=np.float64)


def _kept(columns: Sequence[tuple[Any, Any]]) -> float:
    shares = [released.max(axis=-1).sum() / original.max(axis=-1).sum() for original, released in columns]
    return float(sum(shares) / len(shares))


def _mistakes(rows: Collapsing, goal: Spot) -> targets.CutTarget:
    found = rows.collapse(_has(rows.bound, goal, rows.counted))
    return targets.classes(found, rows.seen, None, suppressed="one", largest=rows.largest)


class Wide(WeightedUse):
    """The release is for whoever wants many different values."""

    name: ClassVar[str] = "wide"
    is_word: ClassVar[bool] = True
    has_fields: ClassVar[bool] = False
    weighs_columns: ClassVar[bool] = True

    @model_serializer
    def _to_word(self) -> str:
        return self.name

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        return {"const": cls.name}


def _more(whole: Pieces, parts: Pieces, total: int) -> Floats:
    return np.ones(parts.rows.shape[:-1])


@contextmanager
def known() -> Iterator[None]:
    """The two uses, as a module of the package would add them."""
    register(Spot)
    register(Wide)
    PLANNED.add(Spot, PlannedUse(_told, _has, _kept, _mistakes))
    PLANNED.add(Wide, PlannedUse(_more))
    try:
        yield
    finally:
        for kind in (Spot, Wide):
            unregister(kind)
            PLANNED.remove(kind)


@pytest.fixture
def uses() -> Iterator[None]:
    with known():
        yield


SPOT = {"spot": "Rating", "value": "good"}


@pytest.mark.usefixtures("uses")
@pytest.mark.parametrize("use", [SPOT, "wide", [SPOT, {"general": True, "weight": 2}]])
@pytest.mark.parametrize("promise", [TEMPLATE, CROWD])
def test_a_new_use_is_served(use: Any, promise: dict[str, Any], tmp_path: Path) -> None:
    policy = d.Policy.from_dict({"use": use, "protect": [promise]})
    assert d.Policy.from_dict(policy.to_dict()) == policy
    assert check_policy(policy, written(TABLE, tmp_path)).rows == TABLE.height
    release = d.protect(TABLE, policy, seed=1)
    assert release.audit.verification.holds
    assert [told.measure for told in release.audit.usefulness.targets] == ([] if use == "wide" else ["CM"])


@pytest.mark.usefixtures("uses")
def test_a_new_use_is_audited() -> None:
    policy = d.Policy.from_dict({"use": SPOT, "protect": [CROWD]})
    audit = d.audit_release(TABLE, policy, TABLE, time_limit=1)
    assert audit.about is not None
    assert audit.about.use == "predicting Rating"


@pytest.mark.usefixtures("uses")
def test_thresholds_are_compared_for_a_new_use() -> None:
    policy = d.Policy.from_dict({"use": SPOT, "protect": [TEMPLATE]})
    assert all(point.target is not None for point in d.frontier(TABLE, policy, ["50%", "80%"]).points)


@pytest.mark.usefixtures("uses")
def test_mistakes_about_a_new_use_are_told() -> None:
    for use, told in (
        ("fun", "use: write {classify: COLUMN}, {regress: COLUMN}, counts, general, {spot: COLUMN} or wide"),
        ({"spot": "Rating"}, "use.value: is missing; add it"),
        ({**SPOT, "inputs": ["Rating"]}, "use.inputs: 'Rating' is what is to be predicted; take it out"),
        ({**SPOT, "values": 1}, "use.values: unknown field 'values'; did you mean 'value'?"),
    ):
        with pytest.raises(d.PolicyError) as refused:
            d.Policy.from_dict({"use": use, "protect": [TEMPLATE]})
        assert told in str(refused.value)
    with pytest.raises(d.PolicyError, match="no row has 'Rating' = 'great'"):
        d.protect(TABLE, d.Policy.from_dict({"use": {**SPOT, "value": "great"}, "protect": [TEMPLATE]}))
    with pytest.raises(d.PolicyError, match="no column 'Ratting'"):
        d.protect(TABLE, d.Policy.from_dict({"use": {**SPOT, "spot": "Ratting"}, "protect": [TEMPLATE]}))


@pytest.mark.slow
def test_the_schema_knows_a_new_use_as_long_as_it_is_there() -> None:
    document = {"use": SPOT, "protect": [TEMPLATE]}
    before = policy_schema()
    with known():
        jsonschema.validate(document, policy_schema())
        jsonschema.validate({**document, "use": "wide"}, policy_schema())
    assert policy_schema() == before
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, before)
    with pytest.raises(d.PolicyError, match="write {classify: COLUMN}, {regress: COLUMN}, counts or general"):
        d.Policy.from_dict(document)
