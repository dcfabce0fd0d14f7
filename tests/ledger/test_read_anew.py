"""What a ledger counts rests on what verification reads: of a new release row by row, of a draft from its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Never

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.ledger.entry import PERSON, LedgerEntry
from discreet.ledger.folder import opened
from discreet.table.local import LocalEngine
from discreet.table.stores.engine import BigEngine
from discreet.writing.over_time import OverTime

AGES = ["x"] * 3 + ["y"] * 40 + ["z"] * 40
ROWS = pl.DataFrame({"id": [f"p{who}" for who in range(len(AGES))], "age": AGES, "tag": list(map(str, range(83)))})
POLICY: dict[str, Any] = {"protect": [{"k": 5, "over": ["age"]}], "search": "coordinate"}


def protected(folder: Path, policy: dict[str, Any] = POLICY, engine: str | None = None) -> d.Ledger:
    """Release the rows, and record that."""
    ROWS.write_csv(folder / "rows.csv")
    made = d.protect(folder / "rows.csv", policy, ledger=folder / "ledger", person="id", engine=engine)
    made.write(folder / "one.csv")
    return d.Ledger(folder / "ledger")


@pytest.mark.parametrize("engine", ["local", "streaming", "duckdb"])
def test_nothing_that_plans_is_asked_what_a_release_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """Once a release is made and verified, its cells and the persons are read; nobody counts, or looks up plans."""
    counted = OverTime.counted

    def refused(*_: object) -> Never:
        raise AssertionError("what planning goes by was asked")

    def reading(self: OverTime, made: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            for held in (LocalEngine, BigEngine):
                for name in ("count", "encoded", "apply", "taking"):
                    patch.setattr(held, name, refused)
            return counted(self, made)

    monkeypatch.setattr(OverTime, "counted", reading)
    protected(tmp_path, engine=engine)
    written = pl.read_csv(tmp_path / "one.csv", infer_schema=False)
    with opened(tmp_path / "ledger") as folder:
        last = folder.read(folder.entries[-1])
        names = folder.secret.names(ROWS["id"]).to_list()
    told = last.people.select(PERSON, pl.col("c0", "c1").cast(pl.String))
    assert sorted(told.rows()) == sorted(zip(names, written["age"], written["tag"], strict=True))


def test_rows_that_are_not_those_that_they_are_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rows are left out, the numbers of the others are believed only as far as every cell fits."""
    policy = {**POLICY, "suppress": {"rows": "remove"}}
    protected(tmp_path, policy)
    (tmp_path / "one.csv").unlink()
    numbers, counted = LocalEngine.numbers, OverTime.counted

    def mistaken(self: LocalEngine) -> Any:
        found = numbers(self)
        return found if len(found) == len(AGES) else np.append(found[1:], found[-1])

    def reading(self: OverTime, made: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LocalEngine, "numbers", mistaken)
            return counted(self, made)

    monkeypatch.setattr(OverTime, "counted", reading)
    with pytest.raises(d.PromiseError, match="rows of the release for those of other persons"):
        protected(tmp_path, policy)
    assert not (tmp_path / "one.csv").exists()


def rewritten(folder: Path, told: pl.DataFrame) -> None:
    """Let the ledger have another record of its last release, whole as such."""
    from dataclasses import replace

    with opened(folder) as ledger:
        entry: LedgerEntry = ledger.entries[-1]
        people, _ = ledger.keep(told, None)
        ledger.put(replace(entry, people=people))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_draft_is_published_by_what_its_file_tells(tmp_path: Path, form: str) -> None:
    """A record of a row that is not in the file, or of one more, is found; whose row each is needs the original."""
    name = f"one.{form}"
    d.protect(ROWS, POLICY, ledger=tmp_path / "ledger", person="id").write(tmp_path / name)
    ledger = d.Ledger(tmp_path / "ledger")
    with opened(tmp_path / "ledger") as folder:
        people = folder.read(folder.entries[-1]).people
    texts = people.with_columns(pl.col("c0", "c1").cast(pl.String))
    first = pl.int_range(pl.len()) == 0
    wrong = [
        texts.with_columns(c1=pl.when(first).then(pl.lit("another")).otherwise("c1")),
        texts.with_columns(c1=pl.when(first).then(pl.lit(None)).otherwise("c1")),
        texts.with_columns(c1=pl.when(first).then(pl.col("c1").last()).otherwise("c1")),  # one twice, one not at all
        texts.head(-1),
    ]
    for told in wrong:
        rewritten(tmp_path / "ledger", told)
        with pytest.raises(d.PromiseError, match="other rows than the ledger recorded"):
            ledger.publish(name)
        assert ledger.releases()[-1].state == "draft"
    rewritten(tmp_path / "ledger", people)
    assert ledger.publish(name).holds


def test_masked_rows_of_the_wrong_persons(tmp_path: Path) -> None:
    """As large engines once recorded: who is masked by lot was another one than in the file.

    Where a column tells its row the rows are not those of the file. Else only the original says whose they are.
    """
    for name, columns in (("told", ["id", "age", "tag"]), ("untold", ["id", "age"])):
        rows, path = ROWS.select(columns), tmp_path / f"{name}.csv"
        d.protect(rows, POLICY, ledger=tmp_path / name, person="id", seed=1).write(path)
        asked: dict[str, Any] = {"original": rows, "ledger": tmp_path / name, "person": "id"}
        assert d.verify(path, POLICY, **asked).holds
        with opened(tmp_path / name) as folder:
            people = folder.read(folder.entries[-1]).people.with_columns(pl.col("^c.$").cast(pl.String))
        ages = people["c0"].to_list()
        one, other = ages.index("*"), ages.index("z")
        ages[one], ages[other] = ages[other], ages[one]
        rewritten(tmp_path / name, people.with_columns(c0=pl.Series(ages)))
        found = d.verify(path, POLICY, **asked)
        assert found.joint is not None
        assert not found.holds
        (wrong,) = (one for one in found.joint.findings if one.answer is d.Answer.BROKEN)
        assert (wrong.kind, wrong.persons) == ("several-releases", 2)
        if name == "told":
            with pytest.raises(d.PromiseError, match="other rows than the ledger recorded"):
                d.Ledger(tmp_path / name).publish(path.name)
        else:
            assert d.Ledger(tmp_path / name).publish(path.name).holds


def test_a_file_that_was_moved(tmp_path: Path) -> None:
    ledger = protected(tmp_path)
    (tmp_path / "one.csv").rename(tmp_path / "elsewhere.csv")
    with pytest.raises(d.InputError, match=r"put the file back where it was written"):
        ledger.publish("one.csv")
    (tmp_path / "elsewhere.csv").rename(tmp_path / "one.csv")
    (tmp_path / "one.csv").write_text((tmp_path / "one.csv").read_text() + "x,1\n")
    with pytest.raises(d.InputError, match=r"was changed since"):
        ledger.publish("one.csv")


def test_of_two_releases_that_read_the_same_none_is_taken_for_the_other(tmp_path: Path) -> None:
    """A copy of either file: nobody knows which it is, so nobody says that the ledger has other persons in it."""
    policy = {"protect": [{"k": 2, "over": ["age"]}]}
    for name, ids in (("one.csv", list("abcd")), ("two.csv", list("cdab"))):
        rows = pl.DataFrame({"id": ids, "age": list("xxyy")})
        d.protect(rows, policy, ledger=tmp_path / "ledger", person="id").write(tmp_path / name)
        d.Ledger(tmp_path / "ledger").publish(name)
    copy, first = tmp_path / "copy.csv", pl.DataFrame({"id": list("abcd"), "age": list("xxyy")})
    copy.write_bytes((tmp_path / "one.csv").read_bytes())
    for path in (copy, tmp_path / "one.csv"):
        assert d.verify(path, policy, original=first, ledger=tmp_path / "ledger", person="id").holds
    found = d.verify(tmp_path / "two.csv", policy, original=first, ledger=tmp_path / "ledger", person="id").joint
    assert found is not None
    assert [one.kind for one in found.findings if one.answer is d.Answer.BROKEN] == ["several-releases"]
