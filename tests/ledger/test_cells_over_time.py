"""Confidential cells of several releases about the same people: what is hidden in one is not read in another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.ledger.entry import PERSON, PastRelease, people_frame
from discreet.ledger.folder import opened
from discreet.policy import Policy
from discreet.verification.joint import check_joint
from tests.reference.releases import Published, cells_shown

PEOPLE = 12
NAIVE = {"column": "ill", "ids": {"column": "id", "values": ["p0", "p2"]}, "against": ["naive_bayes"]}
TOGETHER = "what can be inferred from several releases together"


def patients(**columns: list[str]) -> pl.DataFrame:
    """Return a table of people with three illnesses."""
    said = {
        "id": [f"p{who}" for who in range(PEOPLE)],
        "age": ["x", "y"] * (PEOPLE // 2),
        "job": ["1", "1", "2"] * (PEOPLE // 3),
        "ill": ["HIV", "flu", "cold", "flu"] * (PEOPLE // 4),
    }
    return pl.DataFrame({**said, **columns})


def made(tmp: Path, policy: dict[str, Any], rows: pl.DataFrame | None = None, **options: Any) -> d.Release:
    """Protect a table with the ledger of a folder."""
    table = patients() if rows is None else rows
    return d.protect(table, policy, ledger=tmp / "ledger", person="id", seed=1, **options)


def publish(tmp: Path, policy: dict[str, Any], name: str, rows: pl.DataFrame | None = None) -> d.Release:
    """Protect a table and publish it."""
    release = made(tmp, policy, rows)
    release.write(tmp / name)
    d.Ledger(tmp / "ledger").publish(name)
    return release


SHOWN = {"protect": [{"k": 2, "over": ["age"]}]}
HIDDEN = {"protect": [{"k": 2, "over": ["age"]}, NAIVE]}


def test_a_cell_that_was_shown_before_is_not_hidden_now(tmp_path: Path) -> None:
    publish(tmp_path, SHOWN, "one.csv")
    with pytest.raises(d.PromiseError, match="2 cells were shown in an earlier release") as refused:
        made(tmp_path, HIDDEN)
    assert refused.value.exit_code == 1
    assert not {"p0", "p2", "HIV"} & set(str(refused.value).replace(",", " ").split())
    accepted = made(tmp_path, {**HIDDEN, "ledger": {"released": "accept"}})
    joint = accepted.audit.verification.joint
    assert joint is not None
    assert (joint.holds, joint.may_go_out, joint.broken) == (False, True, 2)
    assert TOGETHER in accepted.audit.not_covered


def test_a_cell_that_was_confidential_stays_so(tmp_path: Path) -> None:
    publish(tmp_path, HIDDEN, "one.csv")
    with pytest.raises(d.PromiseError, match=r"2 cells were confidential in an earlier release \(one\.csv\)"):
        made(tmp_path, SHOWN)
    fewer = {"protect": [SHOWN["protect"][0], {**NAIVE, "ids": {"column": "id", "values": ["p2"]}}]}
    with pytest.raises(d.PromiseError, match="1 cell was confidential"):
        made(tmp_path, fewer)
    accepted = publish(tmp_path, {**SHOWN, "ledger": {"released": "accept"}}, "two.csv")
    joint = accepted.audit.verification.joint
    assert joint is not None
    assert (joint.holds, joint.may_go_out, joint.broken) == (False, True, 2)
    assert TOGETHER in accepted.audit.not_covered


def test_whoever_puts_two_releases_beside_each_other_reads_no_confidential_cell(tmp_path: Path) -> None:
    """The attack: look into every release for a person's cell that another one hides."""
    publish(tmp_path, HIDDEN, "one.csv")
    later = patients(age=["x", "y", "y", "x"] * 3, job=["2", "1", "1"] * 4)
    more = {"protect": [SHOWN["protect"][0], {**NAIVE, "ids": {"column": "id", "values": ["p0", "p2"]}}]}
    second = publish(tmp_path, more, "two.csv", later)
    joint = second.audit.verification.joint
    assert joint is not None
    assert joint.holds
    assert [finding.persons for finding in joint.findings if finding.kind == "confidential"] == [0, 0]
    with opened(tmp_path / "ledger") as folder:
        past = folder.past()
        whose = folder.secret.names(["p0", "p2"])
    for release in past:
        mine = release.people.filter(pl.col(PERSON).is_in(whose.implode()))
        assert mine.height == 2
        assert set(mine.get_column(release.label("ill")).cast(pl.String)) == {"*"}
    assert TOGETHER not in second.audit.not_covered
    assert any("for its sake may be shown there" in text for text in second.audit.not_covered)
    policy = Policy.from_dict(more)
    checked = d.verify(tmp_path / "two.csv", policy, original=later, ledger=tmp_path / "ledger", person="id")
    assert checked.holds
    assert checked.joint is not None
    assert [finding.kind for finding in checked.joint.findings].count("confidential") == 2


def test_rules_and_a_template_beside_cells(tmp_path: Path) -> None:
    rules = {**NAIVE, "against": [{"rules": {"min_confidence": "60%"}}]}
    policy = {"protect": [{"infer": {"ill": "HIV"}, "given": ["age"], "at_most": "75%"}, rules]}
    publish(tmp_path, policy, "one.csv")
    second = publish(tmp_path, policy, "two.csv", patients(job=["2", "1", "1"] * 4))
    assert second.audit.verification.holds
    assert second.table["ill"].to_list()[:3] == ["*", "flu", "*"]  # type: ignore[index]


def test_a_draft_is_counted_again_when_it_is_published(tmp_path: Path) -> None:
    draft = made(tmp_path, HIDDEN)
    publish(tmp_path, SHOWN, "one.csv")
    draft.write(tmp_path / "two.csv")
    with pytest.raises(d.PromiseError, match="breaks a promise for 2 persons"):
        d.Ledger(tmp_path / "ledger").publish("two.csv")


def test_a_renamed_column_and_an_earlier_release_that_was_added(tmp_path: Path) -> None:
    rows = patients()
    hidden = rows.with_columns(ill=pl.Series(["*", "flu", "*", *rows["ill"].to_list()[3:]])).drop("id")
    d.Ledger(tmp_path / "ledger").add(hidden, rows, HIDDEN, person="id", name="one")
    later = rows.rename({"ill": "illness"})
    said = {"same": {"illness": "ill"}}
    with pytest.raises(d.PromiseError, match="2 cells were confidential in an earlier release"):
        made(tmp_path, {**SHOWN, "ledger": said}, later)
    kept = made(tmp_path, {"protect": [SHOWN["protect"][0], {**NAIVE, "column": "illness"}], "ledger": said}, later)
    assert kept.audit.verification.holds


def test_a_column_with_confidential_cells_that_is_found_under_no_name_is_not_shown(tmp_path: Path) -> None:
    publish(tmp_path, HIDDEN, "one.csv")
    later = patients().rename({"ill": "diagnosis"})
    with pytest.raises(d.InputError, match=r"same: \{NEW NAME: ill\}.*gone: \[ill\]"):
        made(tmp_path, SHOWN, later)
    with pytest.raises(d.PromiseError, match="2 cells were confidential"):
        made(tmp_path, {**SHOWN, "ledger": {"same": {"diagnosis": "ill"}}}, later)
    without = patients().drop("ill")
    assert made(tmp_path, {**SHOWN, "ledger": {"gone": ["ill"]}}, without).audit.verification.holds
    assert made(tmp_path, {**SHOWN, "columns": {"ill": {"role": "identifier"}}}).audit.verification.holds
    others = later.filter(~pl.col("id").is_in(["p0", "p2"]))
    assert made(tmp_path, {**SHOWN, "ledger": {"leavers": "warn"}}, others).audit.verification.holds


def test_check_says_it_before_anything_is_made(tmp_path: Path) -> None:
    publish(tmp_path, SHOWN, "one.csv")
    found = d.check(HIDDEN, patients(), ledger=tmp_path / "ledger", person="id")
    assert found.over_time is not None
    assert "2 cells were shown" in str(found.over_time.refused)


def test_who_has_a_confidential_cell_is_not_left_out_unsaid(tmp_path: Path) -> None:
    """The last one is new, too few to hide among others, and kept back: her cell is nowhere."""
    publish(tmp_path, HIDDEN, "one.csv")
    more = pl.DataFrame({"id": ["new"], "age": ["x"], "job": ["1"], "ill": ["HIV"]})
    asked = {**NAIVE, "ids": {"column": "id", "values": ["p0", "p2", "new"]}}
    held = {"protect": [SHOWN["protect"][0], asked], "ledger": {"hold": True}}
    with pytest.raises(d.PromiseError, match="1 cell was to be confidential, of people who have to be left out"):
        made(tmp_path, held, pl.concat([patients(), more]))
    without = made(tmp_path, {**HIDDEN, "ledger": {"hold": True}}, pl.concat([patients(), more]))
    assert without.note is not None
    assert (without.note.held, without.audit.verification.holds) == (1, True)


@pytest.mark.slow
def test_another_engine_makes_the_same_releases_and_ledger(tmp_path: Path) -> None:
    """The last one is kept back in the third release."""
    more = pl.DataFrame({"id": ["new"], "age": ["x"], "job": ["1"], "ill": ["HIV"]})
    second = patients(age=["x", "y", "y", "x"] * 3, job=["2", "1", "1"] * 4)
    held: dict[str, Any] = {**HIDDEN, "ledger": {"hold": True}}
    turns = [(patients(), HIDDEN), (second, HIDDEN)]
    turns.append((pl.concat([second, more]), held))
    local, duckdb = (made_by(engine, tmp_path / engine, turns) for engine in ("local", "duckdb"))
    assert local == duckdb
    with pytest.raises(d.PromiseError, match="2 cells were confidential"):
        table = tmp_path / "duckdb" / "0.parquet"
        d.protect(table, SHOWN, ledger=tmp_path / "duckdb" / "ledger", person="id", engine="duckdb")


def made_by(engine: str, tmp: Path, turns: list[tuple[pl.DataFrame, dict[str, Any]]]) -> list[object]:
    """Return what an engine releases of files, one after the other, and what the ledger says then."""
    tmp.mkdir()
    found: list[object] = []
    for turn, (rows, policy) in enumerate(turns):
        rows.write_parquet(tmp / f"{turn}.parquet")
        source, out = tmp / f"{turn}.parquet", tmp / f"{turn}.csv"
        kept = {"ledger": tmp / "ledger", "person": "id"}
        release = d.protect(source, policy, engine=engine, seed=1, **kept)  # type: ignore[arg-type]
        release.write(out)
        d.Ledger(tmp / "ledger").publish(out.name)
        assert d.verify(out, policy, source, engine=engine, **kept).holds  # type: ignore[arg-type]
        found.append(out.read_text())
    with opened(tmp / "ledger") as folder:
        for past in folder.past():
            people = past.people.drop(PERSON).select(pl.all().cast(pl.String))
            found.append((past.columns, people.columns, sorted(people.rows(), key=str)))
    return found


TEXTS = st.sampled_from(["*", "HIV", "flu"])


@st.composite
def sequences(draw: st.DrawFn) -> list[Published]:
    """Draw releases with confidential cells, of people who come and go, and a column that may be renamed."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(["ill", "illness"]))
        there = draw(st.sets(st.sampled_from("abcdef"), min_size=1))
        rows = {person: {name: draw(TEXTS), "job": "1"} for person in sorted(there)}
        secret = {person: {name} for person in sorted(there) if draw(st.integers(0, 2)) == 0}
        found.append(Published(rows, (), {"illness": "ill"}, secret))
    return found


@given(sequences(), st.booleans())
def test_what_verification_counts_equals_the_slow_version(releases: list[Published], accepted: bool) -> None:
    asked = {"same": {"illness": "ill"}, "released": "accept" if accepted else "refuse"}
    past = []
    for place, one in enumerate(releases):
        columns, people = tuple(sorted(one.columns)), sorted(one.rows)
        texts = [pl.Series([one.rows[who][name] for who in people], dtype=pl.String) for name in columns]
        flags = {
            at: np.array([name in one.confidential.get(who, ()) for who in people])
            for at, name in enumerate(columns)
            if any(name in some for some in one.confidential.values())
        }
        frame = people_frame(pl.Series(PERSON, people, dtype=pl.String), texts, flags)
        policy = Policy.from_dict({"protect": [{"k": 1, "over": ["job"]}], "ledger": asked})
        past.append(PastRelease(f"r{place}", policy, columns, frame))
    found = check_joint(past[:-1], past[-1])
    opened_now, shown_before = cells_shown(releases)
    cells = [finding for finding in found.findings if finding.kind == "confidential"]
    stays = sum(finding.persons for finding in cells if finding.promise.endswith("stay so"))
    never = sum(finding.persons for finding in cells if finding.promise.endswith("never shown"))
    assert (stays, never) == (len(opened_now), len(shown_before))
    assert found.broken == len({who for who, _ in opened_now | shown_before})
    assert found.holds is not bool(found.broken)
    assert found.may_go_out is (accepted or not found.broken)
