"""Which cells a policy means, and every way in which they may not fit the table."""

from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.errors import PolicyError
from discreet.fit.cells import (
    LOOKS_AT_SECRETS,
    absent,
    cell_problems,
    cell_warnings,
    confidential_places,
    predictors_of,
)
from discreet.policy import Confidential, KAnonymity, Policy, Template
from discreet.table.engine import Engine
from discreet.table.source import open_table

PEOPLE = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Flo"],
        "city": ["Oslo", "Rome", "Oslo", None, "Turku", "Rome"],
        "pain": ["yes", "no", "yes", "no", "yes", "no"],
        "ill": ["flu", "cold", "gout", "flu", "?", " "],
        "alive": ["yes"] * 6,
    }
)
CITIES = {"*": {"North": ["Oslo", "Turku"], "South": ["Rome"]}}
ILLS = {"any": {"Nose": ["flu", "cold"], "Foot": ["gout"], "Odd": ["?", " "]}}


def cells(**said: Any) -> Confidential:
    return Confidential(**{"column": "ill", "predictors": ["city", "pain"], **said})


def table(policy: Policy) -> Engine:
    return open_table(PEOPLE, policy)


def problems(*protect: Any, **options: Any) -> list[str]:
    policy = Policy(protect=list(protect), **options)
    return [str(problem) for problem in cell_problems(policy, table(policy))]


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ({"rows": [3, 1]}, [0, 2]),
        ({"ids": {"column": "name", "values": ["Eve", "Bob"]}}, [1, 4]),
        ({"where": {"city": "Rome"}}, [1, 5]),
        ({"where": {"city": ["Rome", "Oslo"], "pain": "yes"}}, [0, 2]),
        ({"where": {"city": None}}, [3]),
        ({"rows": [1, 99]}, [0]),
    ],
)
def test_places(said: dict[str, Any], places: list[int]) -> None:
    policy = Policy(protect=[cells(**said)])
    requirement = policy.protect[0]
    assert isinstance(requirement, Confidential)
    assert confidential_places(requirement, table(policy)).tolist() == places
    assert absent(requirement, table(policy)) == (99 in said.get("rows", []))


def test_rows_keep_their_numbers_when_others_are_dropped() -> None:
    policy = Policy(protect=[cells(rows=[4, 6])], missing={"values": ["?"], "rows": "drop"})
    requirement = policy.protect[0]
    assert isinstance(requirement, Confidential)
    kept = table(policy)
    places = confidential_places(requirement, kept)
    assert kept.numbers()[places].tolist() == [6]
    assert absent(requirement, kept) == 1


def test_predictors_are_all_other_released_columns() -> None:
    policy = Policy(protect=[cells(rows=[1], predictors=None)], columns={"name": {"role": "identifier"}})
    requirement = policy.protect[0]
    assert isinstance(requirement, Confidential)
    assert predictors_of(requirement, policy, PEOPLE.columns) == ("city", "pain", "alive")


def test_nothing_to_say() -> None:
    assert problems(cells(rows=[1, 2, 3])) == []
    assert problems(cells(ids={"column": "name", "values": ["Ann"]}), columns={"name": {"role": "identifier"}}) == []
    assert problems(Template(given=["city"], infer={"pain": "yes"}, at_most="90%"), cells(rows=[1])) == []


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"rows": [1, 7, 99]}, "protect[0].rows: the table has no rows 7, 99; rows are counted from 1"),
        ({"ids": {"column": "name", "values": ["Ann", "Zoe", "Max"]}}, "nobody has 2 of the 3 ids in 'name'"),
        ({"ids": {"column": "name", "values": ["Zoe"]}}, "protect[0].ids: nobody has the id in 'name'"),
        ({"where": {"city": "Paris"}}, "protect[0].where: no row meets this condition"),
        ({"where": {"city": "Rome", "pain": "yes"}}, "protect[0].where: no row meets this condition"),
        ({"rows": [1, 6]}, "protect[0].rows: the cell is already missing in row 6"),
        ({"column": "city", "predictors": ["pain"], "rows": [4]}, "the cell is already missing in row 4"),
        ({"column": "alive", "rows": [1]}, "protect[0].column: 'alive' has only one value"),
        ({"column": "pain", "predictors": ["city"], "rows": [1]}, "'pain' has only two values"),
        ({"rows": [1], "must_publish": [{"column": "city", "rows": [2, 8]}]}, "must_publish: the table has no row 8"),
        ({"rows": [1], "must_publish": [{"column": "ill", "rows": [1, 2]}]}, "the cell of row 1 is confidential"),
    ],
)
def test_what_does_not_fit(said: dict[str, Any], message: str) -> None:
    (problem,) = problems(cells(**said))
    assert message in problem
    assert not any(secret in problem for secret in ("Ann", "Zoe", "Max", "gout"))


def test_missing_values_of_the_policy() -> None:
    (problem,) = problems(cells(rows=[1, 5]), missing={"values": ["?"], "rows": "unknown"})
    assert "already missing in row 5:" in problem
    assert problems(cells(rows=[1, 5, 6]), missing={"values": ["?"], "rows": "value"}) == []
    (problem,) = problems(cells(rows=[1, 5]), missing={"values": ["?"], "rows": "drop"})
    assert "the table has no row 5 (rows with a missing value were dropped)" in problem


def test_two_values_by_lot() -> None:
    two = cells(column="pain", predictors=["city"], rows=[1])
    (problem,) = problems(two)
    assert "no method here protects that" in problem
    assert "two_values: lot leaves each cell to chance" in problem
    assert problems(cells(column="pain", predictors=["city"], rows=[1], two_values="lot")) == []


def test_an_identifier_predicts_nothing() -> None:
    (problem,) = problems(cells(rows=[1], predictors=["pain", "name"]), columns={"name": {"role": "identifier"}})
    assert problem.startswith("protect[0].predictors[1]: 'name' is an identifier")
    left_out = {name: {"role": "identifier"} for name in ("name", "city", "pain", "alive")}
    (problem,) = problems(cells(rows=[1], predictors=None), columns=left_out)
    assert "no other released column" in problem


@pytest.mark.parametrize(
    "group",
    [KAnonymity(k=2, over=["ill", "city"]), Template(given=["ill"], infer={"pain": "yes"}, at_most="90%")],
)
def test_cells_of_columns_that_make_groups(group: Any) -> None:
    (problem,) = problems(group, cells(rows=[1]))
    assert problem.startswith("protect[1].column: 'ill' is known to a group requirement")


def test_the_marker_must_be_free() -> None:
    (problem,) = problems(cells(rows=[1]), marker="yes")
    assert problem.startswith("marker: the marker 'yes' occurs in column 'pain'")
    (problem,) = problems(cells(rows=[1]), marker="cold")
    assert "in column 'ill'" in problem
    for rows in ("unknown", "value"):
        assert problems(cells(rows=[1]), marker="?", missing={"values": ["?"], "rows": rows}) == []


@pytest.mark.parametrize("rows", ["drop", "value", "unknown"])
def test_a_declared_marker_is_accepted_for_groups_and_cells_alike(rows: str) -> None:
    table = pl.DataFrame({"pain": [*"yyyynnnn*y"], "age": [*"ooyyooyy*y"], "ill": [*"abcabcabca"]})
    told = {"marker": "*", "missing": {"values": ["*"], "rows": rows}}
    asked = (
        KAnonymity(k=1, over=["pain"]),
        Confidential(column="ill", rows=[1], predictors=["age"], against=["naive_bayes"], method="dropp"),
    )
    for protect in (asked[:1], asked[1:], asked):
        policy = Policy.from_dict({**Policy(protect=list(protect)).to_dict(), **told})
        released: Any = d.protect(table, policy, seed=1)
        assert d.verify(released.table, policy, table).holds
    unsaid = Policy(protect=list(asked))
    with pytest.raises(PolicyError) as both:
        d.protect(table, unsaid)
    assert [problem.field for problem in both.value.problems] == ["marker", "marker"]


def test_hidden_cells_are_not_counted_as_values() -> None:
    """The marker is declared as a value, but confidential cells are hidden by it: 2 of 3 known rows are ill."""
    table = pl.DataFrame({"job": ["a"] * 4, "ill": ["yes", "yes", "no", "*"]})
    template = Template(given=["job"], infer={"ill": "yes"}, at_most="60%")
    cell = Confidential(column="ill", rows=[4], predictors=["job"], against=["id3"])
    as_value = d.Missing(values=["*"], rows="value")
    assert d.verify(table, Policy(protect=[template], missing=as_value)).requirements[0].answer is d.Answer.HOLDS
    found = d.verify(table, Policy(protect=[template, cell], missing=as_value)).requirements[0]
    assert found.answer is d.Answer.BROKEN


def test_generalising_needs_taxonomies() -> None:
    both = {"city": {"taxonomy": CITIES}, "ill": {"taxonomy": ILLS}}
    wanted = {"rows": [1], "change": "generalise"}
    found = problems(cells(**wanted))
    assert [problem.split(" has")[0] for problem in found] == [
        f"protect[0].change: {name!r}" for name in ("ill", "city", "pain")
    ]
    assert problems(cells(**wanted, predictors=["city"]), columns=both) == []
    # what is never changed needs none
    assert problems(cells(**wanted, must_publish=["pain"]), columns=both) == []
    assert problems(KAnonymity(k=1, over=["pain"]), cells(**wanted), columns=both) == []
    (problem,) = problems(cells(**wanted, predictors=["city"]), columns={"ill": {"taxonomy": ILLS}})
    assert "'city' has no taxonomy" in problem
    few = {"*": ["flu", "cold", "gout"]}
    (problem,) = problems(cells(**wanted, predictors=["city"]), columns={**both, "ill": {"taxonomy": few}})
    assert problem.startswith("columns.ill.taxonomy: 2 of the 5 values of 'ill' are not in its taxonomy")


RULES: dict[str, Any] = {"min_confidence": "60%"}


def rules(**said: Any) -> Confidential:
    return cells(**{"rows": [1], "against": [{"rules": {**RULES, **said.pop("rules", {})}}], **said})


def test_rules_judge_two_values_by_confidence() -> None:
    assert problems(rules(column="pain", predictors=["city"])) == []
    (problem,) = problems(
        rules(column="pain", predictors=["city"], against=[{"rules": RULES}, "naive_bayes"])
    )  # fmt: skip
    assert "'pain' has only two values" in problem


def test_conditions_that_do_not_fit() -> None:
    (problem,) = problems(rules(rules={"conditions": ["name", "city"]}), columns={"name": {"role": "identifier"}})
    assert "protect[0].against[0].rules.conditions: 'name' is an identifier" in problem
    with pytest.raises(PolicyError, match="'ill' is what is to be inferred"):
        rules(rules={"conditions": ["ill"]})
    found = problems(rules(rules={"conditions": ["alive"]}), marker="yes")
    assert len(found) == 1
    assert "the marker 'yes' occurs in column 'alive'" in found[0]


@pytest.mark.parametrize("columns", [20, 21])
def test_twenty_conditions_and_no_more(columns: int) -> None:
    wide = PEOPLE.with_columns(**{f"c{place}": pl.lit("a") for place in range(columns - 4)})
    policy = Policy(protect=[rules(predictors=None)])
    found = [str(problem) for problem in cell_problems(policy, open_table(wide, policy))]
    assert [f"{columns} conditions make 2^{columns} - 1 rules" in problem for problem in found] == [True] * (
        columns - 20
    )
    named = Policy(protect=[rules(predictors=None, rules={"conditions": ["city"]})])
    assert cell_problems(named, open_table(wide, named)) == []


def test_a_value_that_needs_no_rule_is_warned_about() -> None:
    # flu is 2 of the 6 cells
    def warned(limit: str, **said: Any) -> list[str]:
        policy = Policy(protect=[rules(rows=[1, 2], rules={"min_confidence": limit}, **said)], missing=None)
        return [text for text in cell_warnings(policy, table(policy)) if text != LOOKS_AT_SECRETS.format(0)]

    assert warned("1/3") == []
    (warning,) = warned("0.33")
    assert "1 of the 2 confidential cells have a value that more than 33% of the known cells of 'ill' have" in warning
    assert "flu" not in warning
    assert warned("0.33", against=["naive_bayes"]) == []
    missing = Policy(protect=[rules(rules={"min_confidence": "1/3"})], missing={"values": ["?"], "rows": "unknown"})
    assert len(cell_warnings(missing, table(missing))) == 2
