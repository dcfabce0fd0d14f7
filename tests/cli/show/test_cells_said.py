"""What is said of confidential cells where things do not go as hoped: nothing is called safe that is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from discreet.cli.stopping import Stopper
from tests.conftest import ROOT

BOB = ROOT / "examples" / "bob.csv"
SYMPTOMS = ["Indigestion", "Chest Pain", "Palpitation"]


def bob(*beside: Any, columns: dict[str, Any] | None = None, **said: Any) -> d.Policy:
    cells = d.Confidential(**{"column": "Diagnosis", "where": {"Name": "Bob"}, "predictors": SYMPTOMS, **said})
    roles = {"Name": {"role": "identifier"}, **({"Zip": {"role": "other"}} if columns is None else columns)}
    return d.Policy.from_dict({"columns": roles, "protect": [*beside, cells]})


def test_cells_left_to_the_lot_are_not_said_to_hold(tmp_path: Path) -> None:
    """Chance is injected by a seed under which the coin leaves the cell as it is."""
    policy, release = tmp_path / "lot.yaml", tmp_path / "release.csv"
    policy.write_text(
        "columns: {Name: {role: identifier}, Zip: {role: other}, Diagnosis: {role: other}}\n"
        "protect:\n"
        "  - {column: Palpitation, where: {Name: Bob}, predictors: [Indigestion, Chest Pain], two_values: lot}\n"
    )
    made = ["protect", str(BOB), "-p", str(policy), "-o", str(release), "--seed", "1"]
    assert CliRunner().invoke(app, made).exit_code == 0
    result = CliRunner().invoke(app, ["verify", str(release), "-p", str(policy), "--original", str(BOB)])
    assert result.exit_code == 0
    assert "every promise holds" not in result.output
    assert "cells are left to the lot" in result.output
    assert "guessed, and left so by lot: row 2" in result.output


def test_a_predictor_that_must_be_published_is_mentioned() -> None:
    release = d.protect(BOB, bob(must_publish=["Chest Pain"]))
    assert [warning for warning in release.audit.warnings if "at_most" not in warning] == []


def test_columns_that_no_item_names_are_warned_about() -> None:
    release = d.protect(BOB, bob(columns={}))
    assert [warning.partition(":")[0] for warning in release.audit.warnings] == ["nobody mentions 'Zip'", "protect[0]"]


@pytest.mark.parametrize(
    ("said", "told"), [({}, False), ({"on_failure": "remove"}, True), ({"method": "nrd"}, True)], ids=str
)
def test_that_rows_may_be_left_out_is_told(said: dict[str, Any], told: bool) -> None:
    left_open = d.protect(BOB, bob(**said)).audit.not_covered
    assert any(sentence.startswith("who was removed") for sentence in left_open) is told


def test_a_row_left_out_that_breaks_another_promise() -> None:
    """Fay is alone in her postal code without Bob: her group is masked, and so are others until they are k."""
    crowd = d.KAnonymity(k=2, over=["Zip"])
    asked = bob(crowd, columns={}, method="nrd")
    release = d.protect(BOB, asked)
    assert release.audit.verification.holds
    assert release.plan.removed == (2,)
    assert release.audit.suppressed >= 1
    assert release.audit.detail is not None
    assert release.audit.detail < 1
    zips = list(release.table["Zip"])  # type: ignore[index]
    assert all(zips.count(text) >= 2 for text in zips)
    with pytest.raises(d.TooManySuppressed):
        d.protect(BOB, asked.model_copy(update={"suppress": d.Suppress(limit="0%")}))


def test_a_plan_of_another_form() -> None:
    with pytest.raises(d.InputError, match="reads forms 2, 3, 4 and 5"):
        d.Plan.from_json('{"form": 9}')


def test_no_time_to_protect_a_cell() -> None:
    with pytest.raises(d.UnprotectedCells, match="row 2 not protected .*: the search was stopped before; allow more"):
        d.protect(BOB, bob(), time_limit=0)
    with pytest.raises(d.UnprotectedCells, match="the search was stopped"):
        d.protect(BOB, bob(), progress=lambda progress: progress.stage != "cells")


def test_ctrl_c_while_planning_does_not_stop_the_cells() -> None:
    """The search so far is safe as it is; cells that are not protected would not be."""
    stopper = Stopper()
    heard = stopper.watch(None)
    stopper.asked = True
    assert [heard(d.Progress(stage)) for stage in ("plan", "apply", "cells", "plan")] == [False, True, True, False]


def test_a_target_whose_cells_are_hidden() -> None:
    """A row whose class is not told costs its use as much as one that was left out."""
    shown, hidden = (
        d.protect(BOB, d.Policy.from_dict(policy.to_dict() | {"use": {"classify": "Diagnosis"}})).audit
        for policy in (bob(method="nrd"), bob())
    )
    assert shown.usefulness.targets == hidden.usefulness.targets
    assert hidden.usefulness.targets[0].released == 6 / 9  # 3 of the other 8 have the commonest class


def test_what_edits_cost_is_told_with_and_without_other_changes(tmp_path: Path) -> None:
    """The detail of recoded columns stands with these, not below the single cells."""
    for number, policy in enumerate((bob(), bob(d.KAnonymity(k=3, over=["Zip"]), columns={}))):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(policy.to_dict()))
        made = ["protect", str(BOB), "-p", str(path), "-o", str(tmp_path / f"{number}.csv")]
        told = CliRunner().invoke(app, made).output
        assert "Cells changed: 3." in told
        assert told.index("Single cells changed") < told.index("Cells changed: 3.")
        assert told.find("of the detail of these columns") < told.index("Single cells changed")
