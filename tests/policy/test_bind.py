"""A policy on a table: unknown columns, clashing roles, who may change, who is warned about."""

from __future__ import annotations

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
