"""Plans survive JSON, say that they are private, and serve again on new rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given

import discreet as d
from tests.conftest import ROOT
from tests.jobs import Job, bank, bank_policy, jobs


def test_json_says_at_once_that_it_is_private() -> None:
    plan = d.protect(bank(), bank_policy()).plan
    text = plan.to_json()
    assert "PRIVATE" in text.splitlines()[0]
    document = json.loads(text)
    assert document["discreet"] == d.__version__
    assert document["policy"] == bank_policy().to_dict()
    assert document["steps"][0] == {
        "column": "Job",
        "value": "Cook",
        "kind": "disclose",
        "score": pytest.approx(0.267234, abs=1e-6),
        "gain": pytest.approx(0.278369, abs=1e-6),
        "loss": pytest.approx(1 / 24),
        "cut": None,
    }


@given(jobs())
def test_json_and_back(job: Job) -> None:
    try:
        plan = d.protect(job.frame, job.policy).plan
    except d.ImpossiblePromise:
        return
    assert d.Plan.from_json(plan.to_json()) == plan


def test_what_is_kept_to_be_quick_is_not_written() -> None:
    """Recodings of numbers have been asked for their texts by then; a plan has its fields and nothing else."""
    frame = pl.DataFrame({"age": [str(20 + row % 7) for row in range(40)]})
    policy = d.Policy(protect=[d.KAnonymity(k=8, over=["age"])], columns={"age": d.Column(type="number")})
    plan = d.protect(frame, policy, seed=1).plan
    written = plan.to_json()
    plan.apply(frame)
    (recoding,) = plan.recodings
    vars(recoding)["kept"] = ("21", "22")
    assert plan.to_json() == written == d.Plan.from_json(written).to_json()
    assert set(json.loads(written)["recodings"][0]) == {"column", "to", "intervals"}


def test_rows_and_edits_survive_json() -> None:
    recoding = d.Recoding("a", ((None, None), ("x", "x"), ("y", "*")))
    plan = d.Plan(bank_policy(), ("a",), (recoding,), suppressed=(3,), edits=(d.Edit(1, "a", "*"),))
    assert d.Plan.from_json(plan.to_json()) == plan


@given(jobs())
def test_applying_a_plan_to_its_own_table_gives_the_release(job: Job) -> None:
    try:
        release = d.protect(job.frame, job.policy)
    except d.ImpossiblePromise:
        return
    again: Any = release.plan.apply(job.frame)
    assert again.table.equals(release.table)


def test_new_rows_with_unseen_values_are_suppressed() -> None:
    plan = d.protect(bank(), bank_policy()).plan
    new = pl.concat([bank(), bank()[:2].with_columns(pl.lit("Pilot").alias("Job"))])
    out: Any = plan.apply(new).table
    assert out[-1, "Job"] == "*"
    assert out[-1, "Country"] == "*"  # the whole row is masked, not only the unseen value
    assert out[-1, "Child"] == "No"


def test_new_rows_that_break_the_promise_are_not_released() -> None:
    plan = d.protect(bank(), bank_policy()).plan
    cooks = bank()[:4].with_columns(pl.lit("Discharged").alias("Bankruptcy"))
    with pytest.raises(d.BrokenPromise, match="protect\\[0\\].*broken, worst 4 of 4 rows"):
        plan.apply(cooks)


def test_new_rows_must_hold_the_same_kinds_of_values(tmp_path: Path) -> None:
    """True in a text file and true in a dataframe have different texts: a plan for one is not for the other."""
    (tmp_path / "old.csv").write_text("job,ill\na,True\na,False\nb,False\n")
    policy = d.Policy(protect=[d.Template(given=["job"], infer={"ill": "True"}, at_most="50%")])
    plan = d.protect(tmp_path / "old.csv", policy).plan
    with pytest.raises(d.InputError, match="column 'ill' holds Boolean, but text when the plan was made"):
        plan.apply(pl.DataFrame({"job": ["a", "a"], "ill": [True, True]}))
    assert plan.apply(pl.DataFrame({"job": ["a", "a"], "ill": ["False", "False"]}))  # none of them ill: fine


@pytest.mark.parametrize(
    "change",
    [
        {"columns": "Job"},
        {"columns": ["Job", None]},
        {"recodings": [{"column": "Nope", "to": []}]},
        {"recodings": [{"column": "Job", "to": [["a"]]}]},
        {"recodings": [{"column": "Job", "to": "abc"}]},
        {"recodings": [{"column": "Job", "to": [[1, "*"]]}]},
        {"recodings": [{"column": "Job", "to": []}] * 2},
        {"recodings": [5]},
        {"redundant": [5]},
        {"kinds": []},
        {"edits": [{"row": 1, "column": "Nope", "text": "x"}]},
        {"suppressed": ["x"]},
        {"steps": [{"colour": 1}]},
    ],
)
def test_damaged_plans_are_refused(change: dict[str, object]) -> None:
    document = json.loads(d.protect(bank(), bank_policy()).plan.to_json())
    with pytest.raises(d.InputError, match="not a whole plan"):
        d.Plan.from_json(json.dumps(document | change))


def test_new_rows_must_have_the_same_columns() -> None:
    plan = d.protect(bank(), bank_policy()).plan
    with pytest.raises(d.InputError, match="does not have the columns"):
        plan.apply(bank().drop("Child"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("[]", "not a plan written by discreet"),
        ('{"form": 99}', "has form 99"),
        ('{"form": 2}', "not a whole plan"),
        ('{"form": 2, "policy": {"protect": []}}', "nothing to protect"),
    ],
)
def test_what_is_not_a_plan(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(d.InputError, match=f"plan.json: .*{message}"):
        d.read_plan(path)


def test_no_plan_at_all(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(d.InputError, match=str(path)):
            d.read_plan(path)
    (tmp_path / "latin.json").write_bytes(b"\xe9")
    with pytest.raises(d.InputError, match="not UTF-8"):
        d.read_plan(tmp_path / "latin.json")


PEOPLE = """name,town,age,ill
Ann,Oslo,21,no
Bob,Oslo,24,yes
Cid,Oslo,27,no
Dee,Rome,52,no
Eve,Rome,55,yes
Fay,Rome,58,no
"""
TABLES = {"same": PEOPLE, "alone": PEOPLE + "Gus,Rome,23,no\n", "ill": PEOPLE.replace("Rome,52,no", "Rome,52,yes")}
"""The rows of the plan; one more that looks like nobody; one more who is ill in Rome."""


def owners_policy() -> d.Policy:
    return d.Policy(
        columns={"name": d.Column(role="identifier"), "age": d.Column(type="number", form="median")},
        protect=[
            d.KAnonymity(k=3, over=["town", "age"]),
            d.Template(given=["town"], infer={"ill": "yes"}, at_most="50%"),
        ],
    )


Edit = Callable[[dict[str, Any]], object]
EDITS: dict[str, tuple[Edit, str]] = {
    "another role": (lambda plan: plan["policy"]["columns"]["name"].update(role="other"), "same"),
    "no role": (lambda plan: plan["policy"]["columns"].pop("name"), "same"),
    "smaller k": (lambda plan: plan["policy"]["protect"][0].update(k=1), "alone"),
    "no template": (lambda plan: plan["policy"]["protect"].pop(), "ill"),
    "a larger share": (lambda plan: plan["policy"]["protect"][1].update(at_most="100%"), "ill"),
    "town goes out unchanged": (
        lambda plan: (plan["policy"].update(protect=[{"k": 3, "over": ["age"]}]), plan["recodings"].pop(0)),
        "alone",
    ),
    "another median": (lambda plan: plan["recodings"][1]["intervals"][0].update(text="99"), "same"),
    "no median": (lambda plan: plan["recodings"][1]["intervals"][0].update(text="<52"), "same"),
    "another marker": (lambda plan: plan["policy"].update(marker="Oslo"), "alone"),
    "a sample": (lambda plan: plan["policy"].update(release={"sample": "50%"}), "same"),
    "rows are left out": (lambda plan: plan["policy"].update(suppress={"rows": "remove"}), "alone"),
}
"""What somebody may do to a plan, and the rows on which it shows."""


def plan_files(folder: Path, edit: Edit, *, owner: d.Policy | None = None) -> d.Plan:
    """Write the tables; return the plan of the first one as somebody has edited it."""
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_text(text)
    document = json.loads(d.protect(folder / "same.csv", owner or owners_policy(), seed=1).plan.to_json())
    edit(document)
    return d.Plan.from_json(json.dumps(document))


@pytest.mark.parametrize(("edit", "rows"), EDITS.values(), ids=EDITS)
def test_an_edited_plan_does_not_pass_the_owner_s_policy(edit: Edit, rows: str, tmp_path: Path) -> None:
    plan = plan_files(tmp_path, edit)
    with pytest.raises(d.BrokenPromise):
        plan.apply(tmp_path / f"{rows}.csv", policy=owners_policy())
    honest: Any = plan_files(tmp_path, lambda _: None).apply(tmp_path / f"{rows}.csv", policy=owners_policy())
    assert honest.table.columns == ["town", "age", "ill"]
    assert not any("the policy that the plan carries" in warning for warning in honest.audit.warnings)
    assert honest.plan.policy == owners_policy()


def test_a_plan_without_the_owner_s_policy_is_warned_of(tmp_path: Path) -> None:
    released: Any = plan_files(tmp_path, EDITS["another role"][0]).apply(tmp_path / "same.csv")
    assert any("the policy that the plan carries" in warning for warning in released.audit.warnings)
    assert released.table["name"].to_list()[0] == "Ann"  # its own policy wants it so


def test_a_plan_that_releases_identifiers_says_so(tmp_path: Path) -> None:
    plan = plan_files(tmp_path, EDITS["another role"][0])
    with pytest.raises(d.BrokenPromise, match="'name' should have been left out") as broken:
        plan.apply(tmp_path / "same.csv", policy=owners_policy())
    assert "another one; make a new plan with `protect`" in str(broken.value)
    assert "Ann" not in str(broken.value)


def test_recodings_that_tell_more_are_broken(tmp_path: Path) -> None:
    def told(plan: dict[str, Any]) -> None:
        plan["recodings"][1]["to"] = [[age, age] for age in ("21", "24", "27", "52", "55", "58")]
        plan["policy"]["protect"] = [{"k": 1, "over": ["town", "age"]}]

    plan = plan_files(tmp_path, told)
    with pytest.raises(d.BrokenPromise):
        plan.apply(tmp_path / "same.csv", policy=owners_policy())


def test_how_the_file_is_read_is_said_by_the_owner(tmp_path: Path) -> None:
    plan = plan_files(tmp_path, lambda plan: plan["policy"].update(file={"skip": 1, "header": False}))
    released: Any = plan.apply(tmp_path / "same.csv", policy=owners_policy())
    assert released.table.height == 6


def test_missing_values_are_those_of_the_owner(tmp_path: Path) -> None:
    owner = owners_policy().model_copy(update={"missing": d.Missing(values=["?"], rows="drop")})
    plan = plan_files(tmp_path, lambda plan: plan["policy"].pop("missing"), owner=owner)
    (tmp_path / "more.csv").write_text(PEOPLE + "Gil,?,59,no\n")
    released: Any = plan.apply(tmp_path / "more.csv", policy=owner)
    assert released.table.height == 6


def test_kinds_of_values_are_not_taken_from_the_plan() -> None:
    """A plan that says nothing of kinds would let the value true pass for one that is not True."""
    policy = d.Policy(protect=[d.Template(given=["job"], infer={"ill": "True"}, at_most="50%")])
    document = json.loads(
        d.protect(pl.DataFrame({"job": [*"aab"], "ill": ["True", "False", "False"]}), policy).plan.to_json()
    )
    plan = d.Plan.from_json(json.dumps({**document, "kinds": {}}))
    table = pl.DataFrame({"job": ["a", "a"], "ill": [True, True]})
    with pytest.raises(d.BrokenPromise, match="not checkable"):
        plan.apply(table, policy=policy)


def test_a_confidential_cell_is_the_owner_s(tmp_path: Path) -> None:
    plan = plan_files(tmp_path, lambda _: None)
    cell = d.Confidential(column="ill", rows=[1], predictors=["town"], against=["id3"])
    asked = owners_policy().model_copy(update={"protect": (*owners_policy().protect[:1], cell)})
    with pytest.raises(d.BrokenPromise):
        plan.apply(tmp_path / "same.csv", policy=d.Policy.from_dict(asked.to_dict()))


def named_and_counted(release: d.Release) -> None:
    """Check that a plan names just the rows that its audit counts, and makes the same release of them again."""
    plan, audit = release.plan, release.audit
    removes = plan.policy.suppress.rows == "remove"
    told = plan.suppressed if plan.sampled is None else tuple(sorted({*plan.suppressed} & {*plan.sampled}))
    assert len(told) == (audit.removed - len(plan.removed) if removes else audit.suppressed)
    again = release.source.apply(plan)
    assert (again.suppressed, again.removed, again.unseen) == (audit.suppressed, audit.removed, audit.unseen)
    assert again.native().equals(release.table)  # type: ignore[attr-defined]
    assert d.Plan.from_json(plan.to_json()) == plan
    if removes:
        assert {*release.engine.numbers().tolist()} == {*(plan.sampled or release.source.numbers().tolist())} - {
            *plan.suppressed,
            *plan.removed,
        }
    else:
        rows = dict(zip(release.engine.numbers().tolist(), release.engine.native().rows(named=True), strict=True))  # type: ignore[attr-defined]
        assert all(rows[number][column] == "*" for number in told for column in plan.recoded)


IN_SAMPLE, IN_POPULATION = ({"sample": "50%", "k_on": where} for where in ("sample", "population"))


@pytest.mark.parametrize(
    ("options", "release"),
    [
        *(({"search": "coordinate", "suppress": {"rows": rows}}, release)
          for rows in ("mask", "remove") for release in (None, IN_SAMPLE, IN_POPULATION)),
        *(({"recoding": "local", "suppress": {"rows": rows}}, release)
          for rows in ("mask", "remove") for release in (None, IN_SAMPLE)),
        ({"search": "disclosure"}, None),
    ],
)  # fmt: skip
def test_a_plan_names_all_rows_that_are_suppressed(options: dict[str, Any], release: dict[str, str] | None) -> None:
    """Those without company, those in groups that tell nothing, and on new rows those with unseen values."""
    table = pl.DataFrame({"a": list("ppppppppqqqqqqqqxyzu"), "b": list("11112222111122223333")})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["a", "b"])], release=release, **options)
    made = d.protect(table, policy, seed=1)
    named_and_counted(made)
    new = pl.DataFrame({"a": list("ppppppppppqqqqqqvp"), "b": list("111122222111112219")})
    applied = made.plan.apply(new)
    named_and_counted(applied)
    assert applied.audit.unseen or release


@pytest.mark.parametrize(("rows", "gone"), [("mask", (1, 4)), ("remove", (1, 4))])
def test_rows_of_groups_that_tell_nothing_are_named(rows: Any, gone: tuple[int, ...]) -> None:
    table = pl.DataFrame({"a": ["x", "p", "p", "y", "p"]})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["a"])], recoding="local", suppress=d.Suppress(rows=rows))
    release = d.protect(table, policy)
    assert release.plan.suppressed == gone
    assert (release.audit.suppressed, release.audit.removed) == ((2, 0) if rows == "mask" else (0, 2))


@pytest.mark.parametrize(
    "part",
    [
        '"form": ' + "9" * 5_000,
        '"detail": ' + "9" * 1_000,
        '"suppressed": [1e999]',
        '"suppressed": ["' + "9" * 5_000 + '"]',
        '"steps": ' + "[" * 100_000 + "]" * 100_000,
    ],
    ids=["form", "detail", "infinite row", "row", "deep"],
)
def test_plans_with_numbers_or_depths_out_of_reach_are_no_plans(part: str, tmp_path: Path) -> None:
    whole = d.protect(bank(), bank_policy()).plan.to_json().rstrip().removesuffix("}")
    plan = tmp_path / "plan.json"
    plan.write_text(f"{whole}, {part}}}", encoding="utf-8")
    with pytest.raises(d.InputError, match="not a (whole )?plan"):
        d.read_plan(plan)


def test_a_plan_of_an_earlier_version_is_carried_out_as_it_was(folder: Path) -> None:
    """Written by commit 6b839af (version 0.1.0, plans of form 5), before the modules were moved into rooms, from the
    table and policy of its demo, and left byte for byte as it was: the same rows come out.
    """
    plan = d.read_plan(ROOT / "tests" / "golden" / "plan_form5_bank.json")
    release = plan.apply(folder / "bank.csv", policy=folder / "bank.yaml")
    release.write(folder / "then.csv")
    d.protect(folder / "bank.csv", folder / "bank.yaml").write(folder / "now.csv")
    assert (folder / "then.csv").read_bytes() == (folder / "now.csv").read_bytes()
    assert d.Plan.from_json(plan.to_json()) == plan
