"""A requirement that is registered at run time is served everywhere; it promises something for each value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest

import discreet as d
from discreet.assist.check import check_policy
from discreet.policy.requirements import REQUIREMENTS, GroupPromise, GroupRequirement, Inference, register, unregister
from tests.conftest import ROOT
from tests.table.engines import frame_of

TABLE = pl.DataFrame({"job": list("aabbbccc"), "ill": ["flu", "cold", "flu", "flu", "cold", "cold", "cold", "flu"]})


@pytest.fixture
def policy() -> Iterator[d.Policy]:
    """The policy of the page that says how to add a requirement, with what is added there."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)^register\(", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    names: dict[str, Any] = {}
    exec(compile(found[1], "architecture.md", "exec", dont_inherit=True), names)
    register(names["NoCommonValue"])
    yield d.Policy.from_dict({"protect": [{"most": "60%", "of": "ill", "over": ["job"]}]})
    unregister(names["NoCommonValue"])


@pytest.mark.slow
def test_it_is_planned_verified_audited_and_used_again(policy: d.Policy) -> None:
    release = d.protect(TABLE, policy)
    told = frame_of(release.table)["job"].to_list()
    assert told == ["a", "a", *"******"]
    assert d.verify(frame_of(release.table), policy).holds
    assert not d.verify(TABLE, policy).holds
    assert frame_of(release.plan.apply(TABLE).table)["job"].to_list() == told
    assert {risk.promise for risk in release.attack().risk} == {finding.promise for finding in release.audit.promises}
    assert [point.possible for point in d.frontier(TABLE, policy, ["60%", "40%"]).points] == [True, False]


def test_what_cannot_be_counted_is_never_said_to_hold(policy: d.Policy, tmp_path: Path) -> None:
    found = d.verify(TABLE.select("job"), policy)
    assert [finding.answer for finding in found.requirements] == ["not checkable"]
    assert not found.holds
    assert d.verify(TABLE.with_columns(ill=pl.lit("*")), policy).holds  # nothing is told
    TABLE.write_csv(tmp_path / "t.csv")
    assert check_policy(policy, tmp_path / "t.csv").possible


def test_a_promise_is_not_counted_as_another_one() -> None:
    class Other(Inference):
        pass

    class OtherRequirement(GroupRequirement):
        tag: ClassVar[str] = "other"
        hint: ClassVar[str] = "alone"
        made: ClassVar[type[GroupPromise]] = Other

    with pytest.raises(ValueError, match="another kind of promise 'template'"):
        register(OtherRequirement)
    assert "other" not in REQUIREMENTS

    class Again(GroupRequirement):
        tag: ClassVar[str] = "k"
        hint: ClassVar[str] = "alone"
        made: ClassVar[type[GroupPromise]] = Inference

    with pytest.raises(ValueError, match="there is a requirement 'k' already"):
        register(Again)
    assert d.Policy.from_dict({"protect": [{"k": 2, "over": ["job"]}]}).protect == (d.KAnonymity(k=2, over=["job"]),)
