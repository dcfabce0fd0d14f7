"""The frontier is what `protect` would plan at each threshold, whatever work is shared."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from discreet.method.disclosure import sweep
from discreet.planning.cutting import CutPlanner
from discreet.policy import Inference
from discreet.policy.requirements import Requirement
from tests.jobs import Job, bank, bank_policy, mixed_jobs, two_templates
from tests.planning.test_local import local_jobs
from tests.profiles import FEW

SHARES = [Fraction(n, 6) for n in range(7)]


@pytest.mark.slow
@given(mixed_jobs(), st.sampled_from([sweep.MOST_ROWS_COPIED, 0]))
def test_every_point_is_what_protect_would_plan(job: Job, copied: int) -> None:
    sizes = all(isinstance(requirement, d.KAnonymity) for requirement in job.policy.protect)
    thresholds: list[Fraction | int] = [1, 2, 3, 5] if sizes else list(SHARES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "MOST_ROWS_COPIED", copied)
        found = d.frontier(job.frame, job.policy, thresholds)
    assert [point.threshold for point in found.points] == sorted(point.threshold for point in found.points)[::-1]
    for point in found.points:
        protect: list[Requirement] = []
        for requirement in job.policy.protect:
            if isinstance(requirement, d.Template):
                protect.append(requirement.model_copy(update={"at_most": point.threshold}))
            elif sizes:
                protect.append(requirement.model_copy(update={"k": point.threshold.denominator}))
            else:
                protect.append(requirement)
        policy = job.policy.model_copy(update={"protect": tuple(protect)})
        try:
            release = d.protect(job.frame, policy)
        except d.ImpossiblePromise as impossible:
            assert not point.possible
            own = [share for made, share in impossible.least if sizes or isinstance(made, Inference)]
            assert point.least == max(own, default=None)
            continue
        assert point.possible
        assert point.steps == len(release.plan.steps)
        assert point.detail == pytest.approx(release.plan.detail)
        kind = "k-anonymity" if sizes else "template"
        shares = [f.worst.share for f in release.audit.promises if f.worst is not None and f.kind == kind]
        assert point.largest is not None
        assert point.largest <= max(shares)  # redundant promises are not looked at


def test_thresholds_are_chosen_between_what_is_possible_and_what_the_table_is() -> None:
    found = d.frontier(bank(), bank_policy())
    assert [point.possible for point in found.points] == [True] * len(found.points)
    assert found.points[0].threshold == Fraction(4, 5)  # the surest group now
    assert found.points[-1].threshold == Fraction(1, 4)  # 5 of 24 with everything hidden
    assert found.own in [point.threshold for point in found.points]
    details = [point.detail for point in found.points]
    assert details == sorted(details, key=lambda detail: -(detail or 0))


def test_one_promise_of_several_is_swept() -> None:
    found = d.frontier(bank(), two_templates(), ["60%", "40%", "10%"], promise=2)
    assert len(found.swept) == 1
    assert "Job, Child" in found.swept[0]
    assert [point.possible for point in found.points] == [True, True, False]


def test_k_is_swept_when_there_is_no_template() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["Job", "Country"])])
    found = d.frontier(bank(), policy)
    assert found.sizes
    assert found.points[-1].threshold == Fraction(1, 20)  # 24 rows
    assert all(point.possible for point in found.points)
    assert json.loads(d.frontier(bank(), policy, [2, 30]).to_json())["points"][1] == {
        "k": 30, "smallest_group": None, "most_possible": 24, "possible": False, "detail": None, "target": None,
        "steps": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("thresholds", "promise", "message"),
    [
        (["150%"], None, "write shares"),
        (["x"], None, "write shares"),
        ([], None, "at least one"),
        (["50%", "-1%"], None, "write shares"),
        (["50%"], 7, "there is no promise 7; the policy has 1 to 1"),
    ],
)
def test_mistakes(thresholds: list[str], promise: int | None, message: str) -> None:
    with pytest.raises(d.InputError, match=message):
        d.frontier(bank(), bank_policy(), thresholds, promise=promise)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bank().write_csv("bank.csv")
    template = "{infer: {Bankruptcy: Discharged}, given: [Job, Country], at_most: 75%}"
    text = f"use: {{classify: Rating}}\nprotect:\n  - {template}\n"
    Path("bank.yaml").write_text(text)
    return tmp_path


@pytest.mark.slow
def test_the_command_prints_and_plots(files: Path) -> None:
    result = CliRunner().invoke(app, ["frontier", "bank.csv", "-p", "bank.yaml", "--plot", "f.svg"])
    assert result.exit_code == 0, result.output
    assert "75% (the policy's)" in result.stdout
    assert "█" in result.stdout
    assert "<svg" in (files / "f.svg").read_text()
    assert (files / "f.svg").stat().st_mode & 0o077 == 0
    for name, start in (("f.png", b"\x89PNG"), ("f.html", b"<!DOCTYPE html><!-- PRIVATE: ")):
        result = CliRunner().invoke(app, ["frontier", "bank.csv", "-p", "bank.yaml", "--plot", name])
        assert result.exit_code == 0, result.output
        assert (files / name).read_bytes().lstrip().startswith(start)


def test_the_command_refuses_what_it_cannot_draw(files: Path) -> None:
    words = ["frontier", "bank.csv", "-p", "bank.yaml", "--plot"]
    for name, message in (("f.pdf", "a picture ends in"), ("bank.csv", "also another file")):
        result = CliRunner().invoke(app, [*words, name])
        assert result.exit_code == 2
        assert message in result.stderr
    assert pl.read_csv(files / "bank.csv").height == 24


@pytest.mark.parametrize("missing", ["altair", "vl_convert", "jinja2"])
def test_drawing_says_what_to_install(files: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    result = CliRunner().invoke(app, ["frontier", "bank.csv", "-p", "bank.yaml", "--plot", "f.html"])
    assert result.exit_code == 2
    assert "install discreet[report]" in result.stderr
    assert not (files / "f.html").exists()


def test_sizes_below_one_are_refused() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["Job"])])
    for k in (0, -2, "x"):
        with pytest.raises(d.InputError, match="whole numbers k of at least 1"):
            d.frontier(bank(), policy, [k])


@pytest.mark.slow
@FEW
@given(st.one_of(mixed_jobs(search="coordinate"), mixed_jobs(search="genetic")))
def test_cuts_have_a_frontier_too(job: Job) -> None:
    sizes = all(isinstance(requirement, d.KAnonymity) for requirement in job.policy.protect)
    found = d.frontier(job.frame, job.policy, [1, 2, 4] if sizes else [Fraction(1, 3), Fraction(2, 3), 1])
    for point in found.points:
        assert point.possible == (point.detail is not None)
        if point.possible:
            assert point.largest is not None
            assert point.largest <= point.threshold


@FEW
@given(local_jobs())
def test_groups_with_labels_of_their_own_have_a_frontier_too(job: Job) -> None:
    """Each point by itself is the release that `protect` makes there."""
    sizes = all(isinstance(requirement, d.KAnonymity) for requirement in job.policy.protect)
    thresholds: list[Fraction | int] = [1, 2, 4] if sizes else [Fraction(1, 3), Fraction(2, 3), 1]
    for point in d.frontier(job.frame, job.policy, thresholds).points:
        assert not point.possible or (point.largest is not None and point.largest <= point.threshold)
    for threshold in thresholds:
        (point,) = d.frontier(job.frame, job.policy, [threshold]).points
        protect: list[Requirement] = []
        for requirement in job.policy.protect:
            swept = isinstance(requirement, d.KAnonymity if sizes else d.Template)
            assert isinstance(requirement, d.KAnonymity | d.Template)
            protect.append(requirement.with_limit(point.threshold) if swept else requirement)
        try:
            release = d.protect(job.frame, job.policy.model_copy(update={"protect": tuple(protect)}), seed=1)
        except d.PromiseError:
            assert not point.possible
            continue
        assert point.detail == pytest.approx(release.plan.detail)
        kind = "k-anonymity" if sizes else "template"
        shares = [f.worst.share for f in release.audit.promises if f.worst is not None and f.kind == kind]
        assert point.largest == max(shares, default=Fraction(0))


def test_a_looser_k_keeps_no_less() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["Job", "Country"])])
    details = [point.detail for point in d.frontier(bank(), policy, [2, 4, 8, 24]).points]
    assert details == sorted(details, key=lambda detail: -(detail or 0))


def test_a_release_that_keeps_a_stricter_threshold_is_not_searched_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """k binds: at every threshold of the template the release is the same, and one search finds it."""
    searched: list[object] = []
    search = CutPlanner.search

    def counted(self: CutPlanner, *said: Any, **more: Any) -> Any:
        searched.append(self)
        return search(self, *said, **more)

    monkeypatch.setattr(CutPlanner, "search", counted)
    template = d.Template(given=["Job"], infer={"Bankruptcy": "Discharged"}, at_most="100%")
    policy = d.Policy(protect=[d.KAnonymity(k=24, over=["Job", "Country"]), template], search="coordinate")
    thresholds = ["100%", "90%", "80%", "50%", "5%"]
    found = d.frontier(bank(), policy, thresholds)
    alone = [d.frontier(bank(), policy, [each]).points[0] for each in thresholds]
    assert found.points == tuple(alone)
    assert [(str(first.threshold), str(last.threshold)) for first, last in found.idle] == [("1", "1/2")]
    # Besides those one by one: the first, the one that cannot be kept, and one without the promise that binds.
    assert len(searched) - len(thresholds) == 3
    (binding,) = found.binding
    assert (binding.first, binding.last, binding.detail) == (Fraction(1), Fraction(1, 2), 1.0)
    assert "at least 24 rows alike" in binding.promise
    assert found.to_dict()["binding"] == [{"from": "1", "to": "1/2", "promise": binding.promise, "detail_without": 1.0}]


@pytest.mark.parametrize("how", [{"search": "disclosure"}, {"search": "coordinate"}, {"recoding": "local"}])
def test_what_binds_is_what_more_could_be_told_without(how: Any) -> None:
    """Of two promises beside the one that changes only that is named which stands in the way."""
    discharged = {"Bankruptcy": "Discharged"}
    protect = [
        d.Template(given=["Job", "Country"], infer=discharged, at_most="90%"),
        d.Template(given=["Job", "Country"], infer={"Bankruptcy": "Never"}, at_most="55%"),
        d.Template(given=["Child"], infer=discharged, at_most="99%"),
    ]
    policy = d.Policy(protect=protect, **how)
    thresholds = ["100%", "95%", "90%", "85%"]
    found = d.frontier(bank(), policy, thresholds, promise=1)
    assert found.idle
    assert [each.promise for each in found.binding] == ["Job, Country -> Bankruptcy = Never, at most 55%"] * len(
        found.idle
    )
    fewer = d.frontier(bank(), d.Policy(protect=[protect[0], protect[2]], **how), ["100%"], promise=1)
    assert found.binding[0].detail == fewer.points[0].detail
    assert not d.frontier(bank(), d.Policy(protect=protect[:1], **how), thresholds).binding
