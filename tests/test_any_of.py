"""Any so many of many columns: the promise for every set of them, by every search, quickly or set by set."""

from __future__ import annotations

import json
import pickle
from itertools import combinations
from typing import Any

import jsonschema
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.method.cuts import evaluation
from discreet.policy.requirements.any_of import AnyOf
from tests import vector_promises as slow
from tests.commands import run
from tests.table.engines import frame_of

COLUMNS = ["a", "b", "c", "d"]
SEARCHES = ["disclosure", "coordinate", "genetic", "exact", "local"]


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    cells = {**dict.fromkeys(COLUMNS, st.sampled_from("xyz")), "ill": st.sampled_from(["low", "mid", "high"])}
    rows = draw(st.lists(st.fixed_dictionaries(cells), min_size=2, max_size=16))
    return pl.DataFrame(rows, schema=dict.fromkeys(cells, pl.String))


def sets_of(item: dict[str, Any]) -> list[dict[str, Any]]:
    """The same promise over each set of columns."""
    field = "given" if "given" in item else "over"
    return [{**item, field: list(some)} for some in combinations(item[field]["of"], item[field]["any"])]


@pytest.mark.parametrize(
    "search",
    [pytest.param(each, marks=pytest.mark.slow) if each != "disclosure" else each for each in SEARCHES],
)
@given(st.data())
def test_every_set_of_columns_keeps_it(search: str, data: st.DataObject) -> None:
    table, any_of = data.draw(tables()), {"any": data.draw(st.integers(1, 4)), "of": COLUMNS}
    item: dict[str, Any] = data.draw(
        st.sampled_from(
            [
                {"k": 2, "over": any_of},
                {"k": 3, "over": any_of},
                {"l": 2, "of": "ill", "over": any_of},
                {"infer": {"ill": {"any": True}}, "given": any_of, "at_most": "2/3"},
                {"t": "1/3", "of": "ill", "over": any_of, "distance": "equal"},
            ]
        )
    )
    said: dict[str, Any] = {"protect": [item], **({"recoding": "local"} if search == "local" else {"search": search})}
    if search == "genetic":
        said["genetic"] = {"population": 10, "iterations": 30}
    hidden = [{**row, **dict.fromkeys(COLUMNS, "*")} for row in table.to_dicts()]
    try:
        release = d.protect(table, d.Policy.from_dict(said))
    except d.PromiseError as error:
        assert slow.broken(hidden, sets_of(item), {"*"}) or search == "local", error
        return
    assert not slow.broken(frame_of(release.table).to_dicts(), sets_of(item), {"*"})
    (finding,) = release.audit.promises
    assert finding.worst is not None
    assert len(finding.worst.group) == any_of["any"]  # the worst set is told


@pytest.mark.slow
@given(tables(), st.integers(1, 3), st.integers(2, 4))
def test_all_sets_together_leave_out_what_each_by_itself_does(table: pl.DataFrame, many: int, k: int) -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=k, over=d.AnyOf(many, COLUMNS))], search="coordinate")
    try:
        together = d.protect(table, policy, seed=1)
    except d.ImpossiblePromise:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "serves", lambda _: False)
        one_by_one = d.protect(table, policy, seed=1)
    assert frame_of(together.table).equals(frame_of(one_by_one.table))


def test_it_is_written_alike_everywhere() -> None:
    item = {"k": 3, "over": {"any": 2, "of": ["a", "b", "c"]}}
    policy = d.Policy.from_dict({"protect": [item]})
    assert policy == d.Policy(protect=[d.KAnonymity(k=3, over=d.AnyOf(2, ["a", "b", "c"]))])
    assert policy != d.Policy(protect=[d.KAnonymity(k=3, over=["a", "b", "c"])])
    assert d.Policy.from_dict(json.loads(json.dumps(policy.to_dict()))) == policy
    assert pickle.loads(pickle.dumps(policy)) == policy
    schema = jsonschema.Draft202012Validator(json.loads(run("schema").stdout))
    assert schema.is_valid({"protect": [item]})
    (promise,) = policy.promises()
    assert str(promise) == "any 2 of a, b, c: at least 3 rows alike"
    assert "any 2 of a, b and c" in promise.in_words()
    assert [one.given for one in promise.over_each()] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert AnyOf(2, "abc") != ("a", "b", "c")


@pytest.mark.parametrize(
    ("over", "says"),
    [
        ({"any": 0, "of": ["a", "b"]}, "from 1 to 2"),
        ({"any": 3, "of": ["a", "b"]}, "from 1 to 2"),
        ({"any": "x", "of": ["a", "b"]}, "whole number"),
        ({"any": 2}, "any: 3, of"),
        ({"any": 1, "of": ["a", "a"]}, "twice"),
        ({"any": 9, "of": [str(number) for number in range(18)]}, "48,620 sets.*any: 4 fits"),
    ],
)
def test_mistakes_are_named(over: dict[str, Any], says: str) -> None:
    with pytest.raises(d.PolicyError, match=says):
        d.Policy.from_dict({"protect": [{"k": 2, "over": over}]})
