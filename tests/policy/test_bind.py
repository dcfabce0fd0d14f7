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
