"""Every audit has l, t and β of every secret, whatever was promised: counted by hand here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import jsonschema
import polars as pl
import pytest

import discreet as d
from discreet.audit.schema import audit_schema
from discreet.audit.secrets import secret_risks
from discreet.policy.bind import bind
from discreet.table.local import LocalEngine
from discreet.table.source import open_table

TABLE = pl.DataFrame({
    "job": ["p"] * 4 + ["q"] * 4,
    "ill": ["flu", "flu", "flu", "cold", "cold", "cold", "ulcer", "ulcer"],
    "age": [str(number) for number in range(8)],
})  # fmt: skip


@pytest.mark.slow
def test_an_audit_tells_l_t_and_beta_of_every_secret() -> None:
    policy = d.Policy.from_dict({
        "protect": [{"k": 2, "over": ["job"]}, {"infer": {"ill": "ulcer"}, "given": ["job"], "at_most": "50%"}]
    })  # fmt: skip
    audit = d.audit_release(TABLE, policy, TABLE)
    (found,) = audit.secrets
    assert (found.known, found.column, found.distance) == (("job",), "ill", "equal")
    assert found.before == found.after
    assert found.after.l == 2
    # p has 3 flu and 1 cold of 4, all rows 3, 3, 2 of 8: (3/4 - 3/8) too much flu must go elsewhere.
    assert found.after.t == Fraction(3, 8)
    # All flus are in p, all ulcers in q: twice as common as in the table.
    assert found.after.beta == 1
    # 4^4 / 3^3 to the power of 1/4: as uncertain as so many equally common values.
    assert found.after.entropy_l == round((4**4 / 3**3) ** 0.25, 4)
    told = json.loads(audit.to_json())
    jsonschema.Draft202012Validator(audit_schema()).validate(told)
    assert told["secrets"][0]["after"] == {"l": 2, "entropy_l": found.after.entropy_l, "t": "3/8", "beta": "1"}
    assert "β" in audit.to_html()


def test_the_groups_of_a_secret_are_counted_once_for_all_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = d.Policy.from_dict({"protect": [{"infer": {"ill": "ulcer"}, "given": ["job"], "at_most": "50%"}]})
    asked: list[tuple[str, ...]] = []
    recount = LocalEngine.recount

    def listening(self: LocalEngine, given: Sequence[str], *said: Any) -> Any:
        asked.append(tuple(given))
        return recount(self, given, *said)

    monkeypatch.setattr(LocalEngine, "recount", listening)
    source = open_table(TABLE, policy)
    assert secret_risks(source, source, bind(policy, TABLE.columns).policy)
    assert asked == [("job", "ill")] * 2  # before and after
