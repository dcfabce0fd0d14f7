"""`decide: blind` from end to end: no search sees a secret, and all that the secrets decide is which k."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.attack.base import Attack
from discreet.attack.deciding import UNLIKE, decided_attacks
from discreet.cli.app import app
from discreet.compare.scene import Scene
from discreet.errors import Undecided
from discreet.policy.deciding import BLIND_KS, asked_ks, without_secrets
from tests.attack.test_minimality import scene_of
from tests.reference.deciding import decide
from tests.reference.disclosure import Template

KNOWN = ["job", "town", "age"]
SEARCHES = ["disclosure", "coordinate", "genetic", "local"]


def people(rows: int = 120, seed: int = 0) -> pl.DataFrame:
    rng = random.Random(seed)
    return pl.DataFrame({
        "job": [rng.choice("abcde") for _ in range(rows)],
        "town": [rng.choice("uvw") for _ in range(rows)],
        "age": [str(rng.choice([20, 30, 40, 50])) for _ in range(rows)],
        "class": [rng.choice("12") for _ in range(rows)],
        "ill": [rng.choice(["hiv", "flu", "no", "no", "no"]) for _ in range(rows)],
    })  # fmt: skip


def policy(search: str = "disclosure", at_most: str = "60%", **more: Any) -> d.Policy:
    said: dict[str, Any] = {
        "protect": [{"infer": {"ill": "hiv"}, "given": KNOWN, "at_most": at_most}],
        "columns": {"age": {"type": "number"}},
        "decide": "blind",
        **({"recoding": "local"} if search == "local" else {"search": search}),
        **({"genetic": {"population": 10, "iterations": 40}} if search == "genetic" else {}),
        **more,
    }
    return d.Policy.from_dict(said)


def attacked(scene: Scene) -> Attack:
    (task,) = decided_attacks(scene)
    (found,) = task.run()
    return found


def decided(release: d.Release) -> tuple[int, tuple[int, ...]]:
    found = release.plan.decided
    assert found is not None
    return found.k, found.refused


@pytest.mark.parametrize("search", SEARCHES)
def test_other_secrets_with_the_same_answers_make_the_same_recoding(search: str) -> None:
    """P1: whoever has what secret is not looked at, so that it cannot be told by where the search stops."""
    table, seen = people(), set[tuple[str, ...]]()
    asked = policy(search, "90%" if search != "local" else "60%")
    releases: dict[tuple[int, tuple[int, ...]], list[str]] = {}
    for number in range(6):
        mixed = table.with_columns(table["ill"].shuffle(seed=number))
        release = d.protect(mixed, asked, seed=1, progress=False)
        known: Any = release.table
        releases.setdefault(decided(release), []).append(known.select(KNOWN).write_csv())
        seen.add(tuple(mixed["ill"]))
    assert len(seen) == 6
    assert max(map(len, releases.values())) > 1
    assert all(len(set(alike)) == 1 for alike in releases.values())


def test_an_ordinary_search_is_not_blind() -> None:
    """The test above can fail."""
    table, made = people(), set()
    asked = policy(at_most="40%").model_copy(update={"decide": None})
    for number in range(6):
        release: Any = d.protect(table.with_columns(table["ill"].shuffle(seed=number)), asked, seed=1, progress=False)
        made.add(release.table.select(KNOWN).write_csv())
    assert len(made) > 1


def test_what_a_search_is_asked_names_no_secret() -> None:
    asked = policy(
        protect=[
            {"infer": {"ill": {"any": True}}, "given": KNOWN, "at_most": "90%"},
            {"l": 2, "of": "ill", "over": ["job"]},
            {"infer": {"pay": {"within": 10}}, "given": {"any": 2, "of": KNOWN}, "at_most": "90%"},
            {"k": 4, "over": ["town"]},
        ],
        columns={"pay": {"type": "number"}, "age": {"type": "number"}},
        use={"classify": "class"},
    )
    blind = without_secrets(asked, 3)
    assert "ill" not in json.dumps(blind.to_dict())
    assert "pay" not in json.dumps(blind.to_dict())
    assert blind.sensitive == frozenset()
    assert [str(promise.at_most) for promise in blind.promises()] == ["1/3", "1/3", "1/3", "1/4"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[tuple[str, str, str, str]], Fraction, list[int]]:
    cells = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("12"), st.sampled_from("yn"))
    rows = draw(st.lists(cells, min_size=2, max_size=14))
    limit = draw(st.sampled_from([Fraction(1, 2), Fraction(2, 3), Fraction(1, 3), Fraction(1)]))
    return rows, limit, draw(st.sampled_from([[2, 3, 5], [2], [2, 4, 8], list(BLIND_KS)]))


@given(tables())
def test_equal_to_the_slow_version(job: tuple[list[tuple[str, str, str, str]], Fraction, list[int]]) -> None:
    rows, limit, ks = job
    names = ["job", "town", "class", "ill"]
    assume(any(row[3] == "y" for row in rows))
    slow = decide(names, rows, [Template(("job", "town"), "ill", "y", limit)], ks, target="class")
    table = pl.DataFrame(rows, schema=names, orient="row")
    asked = policy(
        protect=[{"infer": {"ill": "y"}, "given": ["job", "town"], "at_most": str(limit)}],
        columns={}, use={"classify": "class"}, blind_ks=ks,
    )  # fmt: skip
    try:
        release: Any = d.protect(table, asked, progress=False)
    except d.PromiseError:
        assert slow is None
        return
    assert slow is not None
    assert decided(release)[0] == slow.k
    for name in ("job", "town"):
        hidden = {was for was, now in zip(table[name], release.table[name], strict=True) if now != was}
        assert hidden == slow.outcome.suppressed[name]


def test_the_next_k_where_a_promise_would_be_broken() -> None:
    table = people()
    loose, strict = d.protect(table, policy(at_most="100%")), d.protect(table, policy(at_most="45%"))
    assert decided(loose) == (2, ())
    k, refused = decided(strict)
    assert refused == BLIND_KS[: BLIND_KS.index(k)] != ()
    assert d.verify(strict.table, policy(at_most="45%"), table).holds
    for smaller in refused:
        with pytest.raises(Undecided, match=f"not even k = {smaller}"):
            d.protect(table, policy(at_most="45%", blind_ks=[smaller]))


def test_the_audit_says_what_was_told() -> None:
    table = people()
    first, later = (d.protect(table, policy(at_most=limit)).audit for limit in ("100%", "45%"))
    assert first.to_dict()["decided"] == {"k": 2, "refused": [], "of": 7, "bits": 0.0}
    assert not any("how the method chooses" in text or "bits" in text for text in first.not_covered)
    told: Any = later.to_dict()["decided"]
    assert told["bits"] == pytest.approx(2.807)
    assert any("at most 2.8 bits" in text for text in later.not_covered)
    assert not any("how the method chooses" in text for text in later.not_covered)
    assert "without looking at a secret" in str(first.public.terms.method)


@pytest.mark.parametrize("search", ["disclosure", "coordinate"])
def test_the_minimality_attack_finds_nothing_at_the_first_k(search: str) -> None:
    found = attacked(scene_of(people(), policy(search, "100%")))
    assert (found.figures["asked"], found.figures["bits"], found.warnings) == (1, 0.0, ())
    assert "it tells nothing" in found.notes[0]


def test_what_a_refused_k_tells_is_reckoned() -> None:
    """One c, all of whose likes are hidden with it: that k = 2 was refused tells that the pair of c is ill."""
    rows = [*[("a", "no")] * 9, *[("b", "yes"), ("b", "no")], *[("c", "yes")] * 2, *[("d", "no")] * 2]
    table = pl.DataFrame({"job": [job for job, _ in rows], "ill": [ill for _, ill in rows]})
    asked = d.Policy.from_dict({
        "use": "counts", "decide": "blind", "blind_ks": [2, 3, 6], "search": "disclosure",
        "protect": [{"infer": {"ill": "yes"}, "given": ["job"], "at_most": "50%"}],
    })  # fmt: skip
    found = attacked(scene_of(table, asked, seed=1))
    assert (found.figures["k"], found.figures["asked"]) == (3, 2)
    # Of 6 hidden rows 3 are ill. With k = 2 the pairs b, c, d stood alone: some pair is then ill for sure.
    # Which pair it is nobody can tell, so nobody is surer than before; 12 of the 20 ways to deal have one.
    assert found.figures["highest"] == pytest.approx(0.5, abs=0.05)
    assert found.warnings == ()
    told, ways = (int(word) for word in (found.notes[0].split()[0], found.notes[0].split()[2]))
    assert told / ways == pytest.approx(0.6, abs=0.06)


def test_a_refused_k_that_tells_is_warned_of() -> None:
    """Only the pair of c can have been ill for sure: of d nobody is, who stands beside many."""
    rows = [*[("a", "no")] * 9, *[("c", "yes")] * 2, *[("d", "no")] * 5, ("d", "yes")]
    table = pl.DataFrame({"job": [job for job, _ in rows], "ill": [ill for _, ill in rows]})
    asked = d.Policy.from_dict({
        "use": "counts", "decide": "blind", "blind_ks": [2, 7], "search": "disclosure",
        "protect": [{"infer": {"ill": "yes"}, "given": ["job"], "at_most": "50%"}],
    })  # fmt: skip
    found = attacked(scene_of(table, asked, seed=1))
    assert (found.figures["k"], found.figures["asked"]) == (7, 2)
    assert found.figures["highest"] == pytest.approx(1.0)
    assert (found.released.right, found.released.tries) == (2, 2)
    (warning,) = found.warnings
    assert "k = 2 was refused" in warning
    assert not any(value in warning.split() for value in ("yes", "c", "d"))


def test_a_release_that_was_not_decided_blindly_is_found_out() -> None:
    scene = scene_of(people(), policy(at_most="40%").model_copy(update={"decide": None}))
    claimed = scene.policy.model_copy(update={"decide": "blind"})
    found = attacked(type(scene)(scene.released, scene.original, claimed, places=scene.places, seed=1))
    assert UNLIKE in found.warnings


def test_a_plan_keeps_what_was_decided_and_serves_new_rows() -> None:
    table = people()
    release = d.protect(table, policy("coordinate", "45%"), seed=1)
    again = d.Plan.from_json(release.plan.to_json())
    assert again.decided == release.plan.decided
    fresh: Any = again.apply(table, policy=policy("coordinate", "45%"))
    assert fresh.audit.verification.holds


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"protect": [{"k": 2, "over": ["job"]}]}, "no promise is about a secret"),
        ({"use": {"classify": "ill"}}, "does not look at 'ill'"),
        (
            {"protect": [*policy().to_dict()["protect"], {"k": 2, "over": ["ill"]}]},  # type: ignore[misc]
            "takes it for known",
        ),
        ({"protect": [*policy().to_dict()["protect"], {"column": "town", "rows": [1]}]}, "confidential cells"),  # type: ignore[misc]
        ({"blind_ks": [3, 2]}, "numbers that grow"),
        ({"blind_ks": []}, "numbers that grow"),
        ({"blind_ks": [1, 2]}, "2"),
        ({"decide": "maybe"}, "blind"),
        ({"decide": None, "blind_ks": [2]}, "option of 'decide: blind'"),
        ({"release": {"sample": "50%", "k_on": "population"}, "search": "coordinate"}, "k_on"),
    ],
)
def test_what_does_not_go_together_is_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.PolicyError, match=message):
        policy(**said)


def test_own_k_makes_smaller_ones_idle() -> None:
    own = [*policy().to_dict()["protect"], {"k": 7, "over": [*KNOWN, "class"]}]  # type: ignore[misc]
    assert asked_ks(policy()) == BLIND_KS
    assert asked_ks(policy(protect=own, search="coordinate")) == (5, 10, 20, 50, 100)
    own[-1] = {"k": 7, "over": ["job"]}
    assert asked_ks(policy(protect=own, search="coordinate")) == BLIND_KS


def test_impossible_and_undecided_say_the_next_step() -> None:
    table = people()
    with pytest.raises(d.ImpossiblePromise, match="allow at least that much"):
        d.protect(table, policy(at_most="1%"))
    with pytest.raises(Undecided, match="add a larger k to blind_ks") as error:
        d.protect(table, policy(at_most="35%", blind_ks=[2]))
    assert error.value.exit_code == 1
    with pytest.raises(Undecided, match="k = 1000 is too much"):
        d.protect(table, policy(at_most="35%", blind_ks=[2, 1000]))


def test_on_the_command_line(tmp_path: Path) -> None:
    table, rules = tmp_path / "people.csv", tmp_path / "policy.yaml"
    people().write_csv(table)
    rules.write_text(json.dumps(policy(at_most="45%").to_dict()))
    run = CliRunner().invoke(app, ["protect", str(table), "--policy", str(rules), "--out", str(tmp_path / "out.csv")])
    assert run.exit_code == 0, run.output
    assert "Decided without the secrets, k = " in run.output
    refused = CliRunner().invoke(app, ["frontier", str(table), "--policy", str(rules)])
    assert refused.exit_code == 2
    assert "take 'decide: blind' out" in refused.output


@pytest.mark.slow
@pytest.mark.parametrize("unit", [None, "who"])
def test_with_persons_and_samples(unit: str | None) -> None:
    table = people().with_columns(pl.Series("who", [str(row // 2) for row in range(120)]))
    more: dict[str, Any] = {"unit": unit} if unit else {"release": {"sample": "60%"}}
    asked = policy("coordinate", "60%", **more)
    release = d.protect(table, asked, seed=1)
    assert release.audit.verification.holds
    assert decided(release)[0] in BLIND_KS


@pytest.mark.parametrize("engine", ["streaming", "duckdb"])
def test_large_engines_decide_alike(engine: str, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    people().write_csv(table)
    near, far = (d.protect(table, policy(at_most="45%"), engine=name, progress=False) for name in ("local", engine))
    assert decided(near) == decided(far)
    assert near.plan.recodings == far.plan.recodings


def test_a_kept_plan_beside_a_ledger_is_refused(tmp_path: Path) -> None:
    table = people().with_columns(pl.Series("who", [str(row) for row in range(120)]))
    release = d.protect(table, policy(), ledger=tmp_path / "of.ledger", person="who", seed=1)
    with pytest.raises(d.InputError, match="for `protect` alone"):
        release.plan.apply(table, ledger=tmp_path / "of.ledger", person="who")
