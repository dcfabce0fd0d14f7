"""Cells that cannot be protected: who guesses them, why, and what to write instead, which helps. No value is told."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import discreet as d
from discreet.errors import Reason, Unprotected
from discreet.method.cells import rules
from discreet.method.cells.failures import Why
from discreet.planning.unprotected import SAYS
from tests.commands import run
from tests.conftest import ROOT

WORDS = {"p": "pear", "q": "quince", "r": "rye", "s": "sloe", "u": "ulcer", "v": "vertigo", "w": "wart"}
REMOVE = "write on_failure: remove to leave out the row"


def table(**columns: str) -> pl.DataFrame:
    """A table of words, each by its first letter."""
    return pl.DataFrame({name: [WORDS[letter] for letter in letters] for name, letters in columns.items()})


def ask(*beside: dict[str, Any], columns: dict[str, Any] | None = None, **said: Any) -> dict[str, Any]:
    """A policy about the d of the first row."""
    return {"columns": columns or {}, "protect": [*beside, {"column": "d", "rows": [1], **said}]}


def bob(**said: Any) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Bob, of whom the predictors say enough."""
    item = {"column": "Diagnosis", "rows": [2], "predictors": ["Indigestion", "Chest Pain", "Palpitation"], **said}
    roles = {"Name": {"role": "identifier"}, "Zip": {"role": "other"}}
    return pl.read_csv(ROOT / "examples" / "bob.csv"), {"columns": roles, "protect": [item]}


def why(frame: pl.DataFrame, policy: dict[str, Any]) -> tuple[Unprotected, str]:
    """What is said of a cell that cannot be protected; it names no value, and travels without one."""
    with pytest.raises(d.UnprotectedCells) as error:
        d.protect(frame, d.Policy.from_dict(policy), seed=1)
    (found,) = error.value.cells
    said = str(error.value)
    again = pickle.loads(pickle.dumps(error.value))
    assert (again.cells, str(again), again.details()) == (error.value.cells, said, error.value.details())
    for value in {value for name in frame.columns for value in frame[name].to_list()}:
        assert not re.search(rf"\b{re.escape(str(value))}\b", said + repr(again.cells) + repr(again.details()))
    return found, said


def follow(policy: dict[str, Any], step: str) -> dict[str, Any]:
    """A policy with what a step says."""
    changed: dict[str, Any] = json.loads(json.dumps(policy))
    item, roles = changed["protect"][-1], changed["columns"]
    for part in re.sub(r" to leave out the rows?$", "", step).split(" and "):
        told = part.removeprefix("write ")
        if taken := re.fullmatch(r"take (.*) out of must_publish", told):
            names = taken[1].split(", ")
            kept = [each for each in item["must_publish"] if not isinstance(each, dict) and each not in names]
            item["must_publish"] = kept
        elif taken := re.fullmatch(r"take role: other from (.*)", told):
            for name in taken[1].split(", "):
                del roles[name]
        elif taken := re.fullmatch(r"take (.*) out of against", told):
            item["against"].remove(taken[1])
        elif told in ("raise min_confidence", "prior: warn"):
            rule = item["against"][0]["rules"]
            rule |= {"prior": "warn"} if told == "prior: warn" else {"min_confidence": "100%"}
        else:
            item |= yaml.safe_load(told)
    return changed


def assert_helps(frame: pl.DataFrame, policy: dict[str, Any], reason: Reason) -> None:
    """Each step leads to a release, and says what the policy language knows."""
    for step in reason.steps:
        release = d.protect(frame, d.Policy.from_dict(follow(policy, step)), seed=1)
        assert release.audit.verification.holds
        assert bool(release.plan.removed) == ("on_failure" in step)


KEPT = "with all else of the row hidden, what is kept still leads to the value"
ORIGINAL = "the value is its guess where the row, by its original values, is taken for another released group"
PRIOR = "tell a value that is to be hidden, without any condition"
GROUPS: dict[str, Any] = {"a": {"taxonomy": {"*": {"early": ["pear", "quince"], "late": ["rye", "sloe"]}}}}
SIX = table(a="qqpqpq", b="pppppp", d="uwvuvu")
COMMON = table(a="qpqqqqqq", b="ppqppqpq", d="uuwuvuuv")
FIGURE: dict[str, Any] = {"against": [{"rules": {"min_confidence": "55%", "prior": "warn"}}]}
ALONE = table(a="qqppp", b="qqqpq", d="uuwwv")
LEAKY = table(a="pppppq", d="uuuuvw")
CASES: dict[str, tuple[pl.DataFrame, dict[str, Any], str, str, list[str]]] = {
    "the commonest value, naive Bayes": (
        COMMON,
        ask(),
        "anybody",
        "naive_bayes: the value is also what it guesses of a row of which it knows nothing",
        ["write method: decp", REMOVE],
    ),
    "the commonest value, ID3": (
        COMMON,
        ask(against=["id3"]),
        "anybody",
        "id3: the value is also what it guesses of a row of which it knows nothing",
        [REMOVE],
    ),
    "the commonest value, ID3 beside another": (
        COMMON,
        ask(against=["naive_bayes", "id3"], method="decp"),
        "anybody",
        "id3: the value is also what it guesses of a row of which it knows nothing",
        ["take id3 out of against", REMOVE],
    ),
    "some columns kept": (
        *bob(against=["id3"], must_publish=["Indigestion", "Palpitation"]),
        "kept",
        f"id3: {KEPT}: Indigestion, Palpitation (must_publish)",
        ["take Indigestion, Palpitation out of must_publish", REMOVE],
    ),
    "all columns kept": (
        ALONE,
        ask(must_publish=["a"], columns={"b": {"role": "other"}}, against=["id3"]),
        "nothing",
        "id3: all that hid3 would change is kept: a (must_publish), b (role: other)",
        ["take a out of must_publish and take role: other from b", REMOVE],
    ),
    "all columns kept for another promise": (
        table(a="pqpqpqpqpp", d="uvuvuvuvuw"),
        ask({"k": 2, "over": ["a"]}, method="decp"),
        "nothing",
        "naive_bayes: all that decp would change is kept: a (another promise)",
        [REMOVE],
    ),
    "no other value": (
        ALONE,
        ask(),
        "alone",
        "naive_bayes: no other value is possible with what is known of the row, and dropp needs one",
        ["write method: greedy", REMOVE],
    ),
    "no other value, and what may be hidden is said": (
        ALONE,
        ask(may_hide=["others.conditions"]),
        "alone",
        "naive_bayes: no other value is possible with what is known of the row, and decp needs one",
        ["write method: greedy and may_hide: [others.conditions, own.conditions]", REMOVE],
    ),
    "a way that DROPP misses": (
        SIX,
        ask(),
        "missed",
        "naive_bayes: dropp found no way, though to hide all that may be hidden of the row would do",
        ["write method: greedy", "write method: decp", REMOVE],
    ),
    "other rows are not enough": (
        table(a="pqpqp", b="qqpqq", d="uvvwu"),
        ask(method="incp"),
        "others",
        "naive_bayes: the value is still its guess with other rows changed as far as incp may",
        ["write method: dropp", REMOVE],
    ),
    "a tie": (
        *bob(strict=True),
        "tie",
        "naive_bayes: another value is as probable at best, and strict: true asks for more",
        ["write strict: false", "write method: decp", REMOVE],
    ),
    "seen by its original values": (
        table(a="pqprpq", b="pqqqqp", d="vwwvuv"),
        {**ask({"k": 2, "over": ["a"]}, columns=GROUPS), "recoding": "local"},
        "original",
        f"naive_bayes: {ORIGINAL}",
        ["write knows: released", "write method: greedy", REMOVE],
    ),
    "a value too common for rules": (
        LEAKY,
        ask(against=[{"rules": {"min_confidence": "40%"}}], may_hide=["own.conditions"]),
        "prior",
        f"rules: more than 40% of all rows {PRIOR}, whatever is hidden of what may be",
        ["raise min_confidence", "write prior: warn", REMOVE],
    ),
    "a rule that stays": (
        LEAKY,
        ask(**FIGURE, may_hide=[]),
        "proven",
        "rules: whatever is hidden of what may be, a rule with 1 condition keeps 3 of 5 rows",
        ["write may_hide: [others.sensitive]", REMOVE],
    ),
    "a rule that stays because of what is published": (
        LEAKY,
        ask(**FIGURE, must_publish=[{"column": "d", "rows": [2, 3, 4]}, "a"]),
        "proven",
        "rules: whatever is hidden of what may be, a rule with 1 condition keeps 3 of 5 rows",
        ["take d, a out of must_publish", REMOVE],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_reason_is_told_and_each_step_helps(case: str, tmp_path: Path) -> None:
    frame, policy, code, says, steps = CASES[case]
    found, said = why(frame, policy)
    (reason,) = found.reasons
    who = says.partition(":")[0]
    assert (reason.code, reason.adversaries, reason.rows, list(reason.steps)) == (code, (who,), found.rows, steps)
    assert f"{who}: {reason.says}" == says
    item = f"protect[{len(policy['protect']) - 1}]: {policy['protect'][-1]['column']} of row {found.rows[0]}, against "
    assert said.startswith(item)
    ways = ", ".join([*steps[:-1], f"or {steps[-1]}" if len(steps) > 1 else steps[-1]])
    assert said.endswith(f": row {found.rows[0]} cannot be protected against {says}; {ways}")
    assert_helps(frame, policy, reason)
    frame.write_csv(tmp_path / "table.csv")
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(policy))
    words = [
        "protect",
        str(tmp_path / "table.csv"),
        "-p",
        str(tmp_path / "policy.yaml"),
        "-o",
        str(tmp_path / "out.csv"),
    ]
    told = run(*words, "--seed", "1", "--json", code=1)
    (cells,) = json.loads(told.stdout)["error"]["unprotected"]
    assert (cells["reasons"][0]["code"], cells["reasons"][0]["steps"]) == (code, steps)
    assert " ".join(run(*words, "--seed", "1", code=1).output.split()) == f"error: {said}"
    assert not (tmp_path / "out.csv").exists()


def test_a_learner_is_named() -> None:
    pytest.importorskip("sklearn")
    (reason,) = why(COMMON, ask(against=["decision_tree"]))[0].reasons
    assert (reason.code, reason.adversaries, reason.steps) == ("anybody", ("decision_tree",), (REMOVE,))
    policy = ask(against=["decision_tree"], must_publish=["a", "b"])
    frame = table(a="ppqqqrrr", b="pppppppp", d="uuvvwwvv")
    (reason,) = why(frame, policy)[0].reasons
    assert (reason.code, reason.says) == ("nothing", "all that hid3 would change is kept: a, b (must_publish)")
    assert_helps(frame, policy, reason)


def test_rows_are_grouped_by_their_reasons() -> None:
    frame = table(a="pqqppqqp", b="pqpqppqq", d="wvuvwuvv")
    found, said = why(frame, ask(rows=[1, 2, 3]))
    assert found.rows == (1, 2, 3)
    assert [(reason.code, reason.rows) for reason in found.reasons] == [("alone", (1, 3)), ("anybody", (2,))]
    first, second = said.splitlines()
    start = "protect[0]: d of 3 rows, against naive_bayes: "
    assert first.startswith(f"{start}rows 1, 3 cannot be protected against naive_bayes: no other value is possible")
    assert first.endswith("; write method: greedy, or write on_failure: remove to leave out the rows")
    assert second.startswith(f"{start}row 2 cannot be protected against naive_bayes: the value is also")
    many = Reason("kept", ("id3",), tuple(range(1, 13)), "it says so", ("do this",))
    assert str(many).endswith(", 10 and 2 more cannot be protected against id3: it says so; do this")


def test_no_time() -> None:
    frame, policy = bob(against=["naive_bayes", "id3"])
    with pytest.raises(d.UnprotectedCells) as error:
        d.protect(frame, d.Policy.from_dict(policy), time_limit=0)
    (found,) = error.value.cells
    (reason,) = found.reasons
    assert found.stopped
    assert (reason.code, set(reason.adversaries), reason.steps) == (
        "stopped",
        {"naive_bayes", "id3"},
        ("allow more time",),
    )
    assert str(reason).endswith(" and naive_bayes: the search was stopped before; allow more time")


def test_no_way_is_found_and_none_is_said_to_be_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = ask(**FIGURE, method="smc")
    monkeypatch.setattr(rules, "solve", lambda *_: rules.HidingAnswer("not found"))
    found, said = why(LEAKY, policy)
    (reason,) = found.reasons
    assert (reason.code, found.why) == ("not_found", "")
    assert "rules: smc found no way, and there are too many to try them all; write may_hide: " in said
    assert "write method: exact" in reason.steps
    monkeypatch.undo()
    assert_helps(LEAKY, policy, replace(reason, steps=reason.steps[:-1]))


def test_every_reason_has_words() -> None:
    assert set(SAYS) == set(Why)
