"""A policy on a table: unknown columns, clashing roles, who may change, who is warned about."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.policy.bind import bind


def policy(**more: object) -> d.Policy:
    template = d.Template(given=["Job", "Sex", "Race"], infer={"Ill": "yes"}, at_most="1/2")
    other = d.Template(given=["Job", "Ill"], infer={"Race": "x"}, at_most="1/2")
    return d.Policy(use=d.Classify("Sex"), protect=[template, other], **more)  # type: ignore[arg-type]


def test_sensitive_columns_and_the_target_never_change() -> None:
    bound = bind(policy(), ["Name", "Job", "Sex", "Race", "Ill"])
    assert bound.changeable == ("Job",)
    assert bound.fixed == ("Sex", "Race", "Ill")
    assert bound.counted == ("Job", "Sex", "Race", "Ill")


def test_unmentioned_columns_are_warned_about_and_roles_end_the_warning() -> None:
    columns = ["Name", "Job", "Sex", "Race", "Ill", "Remarks"]
    assert "'Name', 'Remarks'" in bind(policy(), columns).warnings[0]
    roles = {"Name": {"role": "identifier"}, "Remarks": {"role": "other"}}
    bound = bind(policy(columns=roles), columns)
    assert bound.warnings == ()
    assert bound.released == ("Job", "Sex", "Race", "Ill", "Remarks")


def test_unknown_columns_are_all_named_with_the_nearest() -> None:
    with pytest.raises(d.PolicyError) as error:
        bind(policy(columns={"nmae": {"role": "other"}}), ["Name", "Jobs", "sex", "Race", "Ill"])
    assert [str(problem) for problem in error.value.problems] == [
        "use.classify: no column 'Sex'; did you mean 'sex'?",
        "protect[0].given[0]: no column 'Job'; did you mean 'Jobs'?",
        "protect[0].given[1]: no column 'Sex'; did you mean 'sex'?",
        "protect[1].given[0]: no column 'Job'; did you mean 'Jobs'?",
        "columns.nmae: no column 'nmae'; did you mean 'Name'?",
    ]


@pytest.mark.parametrize("role", ["identifier", "other"])
@pytest.mark.parametrize("column", ["Job", "Ill", "Sex"])
def test_a_role_that_clashes_is_an_error(role: str, column: str) -> None:
    with pytest.raises(d.PolicyError, match=f"'{column}' has the role {role}"):
        bind(policy(columns={column: {"role": role}}), ["Job", "Sex", "Race", "Ill"])


@pytest.mark.parametrize(
    ("use", "said", "field"),
    [
        (d.Classify("pay"), {"type": "number"}, "type"),
        (d.Classify("pay"), {"type": "date", "date_format": "%d.%m.%Y"}, "type"),
        (d.Classify("pay"), {"taxonomy": {"*": ["1", "2"]}}, "taxonomy"),
        (d.Regress("pay"), {"taxonomy": {"*": ["1", "2"]}}, "taxonomy"),
        (d.Regress("pay"), {"type": "number", "ends": ["1"]}, "ends"),
        (d.Regress("pay"), {"type": "number", "form": "median"}, "form"),
        (d.Regress("pay"), {"type": "number", "open_ends": False}, "open_ends"),
    ],
)
def test_what_is_said_of_the_target_without_effect_is_an_error(
    use: d.Classify | d.Regress, said: dict[str, object], field: str
) -> None:
    template = d.Template(given=["job"], infer={"ill": "yes"}, at_most="1/2")
    rules = d.Policy(use=use, protect=[template], columns={"pay": said})
    with pytest.raises(d.PolicyError, match=rf"columns.pay.{field}: 'pay' is never changed \(it is the target\)"):
        bind(rules, ["job", "ill", "pay"])


@pytest.mark.parametrize("said", [{"type": "number"}, {"type": "date", "date_format": "%d.%m.%Y"}])
def test_how_the_target_of_a_regression_is_read_may_be_said(said: dict[str, object]) -> None:
    template = d.Template(given=["job"], infer={"ill": "yes"}, at_most="1/2")
    assert bind(d.Policy(use=d.Regress("pay"), protect=[template], columns={"pay": said}), ["job", "ill", "pay"])


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"type": "number", "ends": [1]}, "type"),
        ({"type": "date"}, "type"),
        ({"taxonomy": {"*": ["a", "b"]}}, "taxonomy"),
    ],
)
def test_what_is_said_of_a_column_that_no_requirement_knows_is_warned_about(said: dict[str, object], what: str) -> None:
    """Types of all columns may be said once and for all; the column goes out as it is, and is verified so."""
    wanted = f"no requirement knows 'Race', so it is never made coarser: its {what} has no effect"
    table = pl.DataFrame({name: ["a", "b", "b"] for name in ("Job", "Sex", "Race", "Ill")})
    promise = d.Template(given=["Job"], infer={"Ill": "a"}, at_most="1")
    rules = d.Policy(protect=[promise], columns={"Race": said})
    release = d.protect(table, rules)
    assert wanted in release.audit.warnings
    table_out: Any = release.table
    assert table_out["Race"].to_list() == ["a", "b", "b"]
    assert d.verify(release.table, rules, original=table).holds
    changed = table.with_columns(Race=pl.lit("*"))
    assert not d.verify(changed, rules, original=table).holds


def cells(**said: object) -> d.Confidential:
    options: dict[str, Any] = {"column": "Ill", "rows": [1], "predictors": ["Job", "Sex"], "against": ["naive_bayes"]}
    return d.Confidential(**options | said)


def test_numbers_that_only_guesses_know_need_ends() -> None:
    columns = ["Job", "Sex", "Race", "Ill"]
    with pytest.raises(d.PolicyError, match=r"columns.Job.ends: only whoever guesses .* such as ends: \[18, 40, 65\]"):
        bind(d.Policy(protect=[cells()], columns={"Job": {"type": "number"}}), columns)
    with pytest.raises(d.PolicyError, match="columns.Ill.type: 'Ill' has confidential cells, which are hidden"):
        bind(d.Policy(protect=[cells()], columns={"Ill": {"type": "number", "ends": [1]}}), columns)
    bound = bind(d.Policy(protect=[cells()], columns={"Job": {"type": "number", "ends": [1]}}), columns)
    assert (bound.binned, bound.changeable) == (("Job",), ())
    known = d.Policy(protect=[cells(), d.KAnonymity(k=2, over=["Job"])], columns={"Job": {"type": "number"}})
    assert (bind(known, columns).binned, bind(known, columns).changeable) == ((), ("Job",))
    published = d.Policy(
        protect=[cells(must_publish=[{"column": "Job"}])], columns={"Job": {"type": "number", "ends": [1]}}
    )
    assert bind(published, columns).binned == ()
