"""`--ledger` and `discreet ledger` on the command line: what is said, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from discreet.cli.app import app

POLICY = "protect:\n  - {k: 2, over: [age]}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.yaml").write_text(POLICY)
    Path("one.csv").write_text("id,age\na,x\nb,x\nc,y\nd,y\n")
    Path("two.csv").write_text("id,age\na,x\nb,y\nc,x\nd,y\n")
    return tmp_path


def run(command: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == code, result.output
    return result.output


def test_from_drafts_to_a_ledger(here: Path) -> None:
    del here
    said = run("protect one.csv -p p.yaml -o r1.csv --ledger l --person id")
    assert "The first release of the ledger." in said
    assert "draft" in run("ledger show l")
    assert "counts from now on" in run("ledger publish l r1.csv")
    assert "persons 4 known, 0 new, 0 left" in run("protect two.csv -p p.yaml -o r2.csv --ledger l --person id")
    found = json.loads(run("ledger publish l r2.csv --json"))
    assert (found["holds"], found["releases"], found["persons"]["matched"]) == (True, ["r1.csv"], 4)
    said = run("verify r2.csv -p p.yaml --original two.csv --ledger l --person id")
    assert "Together with r1.csv" in said
    assert "still counts" in run("ledger withdraw l r1.csv")
    assert "is withdrawn already; it still counts" in run("ledger withdraw l r1.csv", 2)
    assert "only a draft" in run("ledger drop l r2.csv", 2)
    Path("map.csv").write_text("old,new\na,A\n")
    assert "1 person is known by another id" in run("ledger rekey l --map map.csv")
    listed = json.loads(run("ledger show l --json"))
    assert [one["state"] for one in listed["releases"]] == ["withdrawn", "published"]
    assert "people" not in listed["releases"][0]


def test_ids_with_commas_and_quotes_are_mapped_as_other_programs_write_them(here: Path) -> None:
    del here
    Path("odd.csv").write_text('id,age\n"a,1",x\n"b""2",x\nc,x\nd,x\n')
    run("protect odd.csv -p p.yaml -o r1.csv --ledger l --person id")
    run("ledger publish l r1.csv")
    Path("map.csv").write_text('old,new\r\n"a,1","A"\r\n"b""2",B\r\n\r\n')
    assert "2 persons are known by another id" in run("ledger rekey l --map map.csv")
    Path("later.csv").write_text("id,age\nA,x\nB,x\nc,x\nd,x\n")
    assert "persons 4 known, 0 new, 0 left" in run("protect later.csv -p p.yaml -o r2.csv --ledger l --person id")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,A\n", "begin it with the line old,new"),
        ("", "begin it with the line old,new"),
        ("old,new\na,A\nb\n", "line 3: write two ids"),
        ("old,new\na,A\na,B\n", "line 3: this old id is there twice"),
        ('old,new\n"a,A\n', "cannot be read as CSV"),
    ],
)
def test_a_map_that_cannot_be_read_is_refused(here: Path, text: str, why: str) -> None:
    del here
    run("protect one.csv -p p.yaml -o r1.csv --ledger l --person id")
    Path("map.csv").write_text(text)
    assert why in " ".join(run("ledger rekey l --map map.csv", 2).split())


def test_what_two_releases_break_together_ends_with_1(here: Path) -> None:
    del here
    run("ledger add l one.csv --original one.csv -p p.yaml --person id", 2)  # it has the ids themselves
    for name in ("one", "two"):
        run(f"protect {name}.csv -p p.yaml -o alone-{name}.csv --plan {name}.json", 0)
        Path(f"alone-{name}.csv").write_text(Path(f"{name}.csv").read_text().replace("id,", ""))
    Path("alone-one.csv").write_text("age\nx\nx\ny\ny\n")
    Path("alone-two.csv").write_text("age\nx\ny\nx\ny\n")
    for name in ("one", "two"):
        run(f"ledger add l alone-{name}.csv --original {name}.csv -p p.yaml --person id")
    assert "broken for 4 persons" in run("ledger show l")
    said = run("verify alone-two.csv -p p.yaml --original two.csv --ledger l --person id", 1)
    assert "a promise is broken" in said
    assert "broken for 4 persons" in said
    refused = run("protect one.csv -p p.yaml -o r.csv --ledger l --person id", 1)
    assert "already break a promise for 4 persons" in refused
    assert not Path("r.csv").exists()


def test_without_the_ledger_earlier_releases_are_not_checkable(here: Path) -> None:
    del here
    Path("kept.yaml").write_text(POLICY + "ledger: {hold: true}\n")
    run("protect one.csv -p kept.yaml -o r1.csv --ledger l --person id")
    said = run("verify r1.csv -p kept.yaml", 1)
    assert "not checkable" in said
    run("verify r1.csv -p kept.yaml --partial")
    assert "give it with --original" in run("verify r1.csv -p kept.yaml --ledger l --person id", 2)
    assert "speaks of a ledger" in run("protect one.csv -p kept.yaml -o r2.csv", 2)


def test_what_is_asked_and_carried_out_again_beside_earlier_releases(here: Path) -> None:
    del here
    beside = "--ledger l --person id"
    assert "first release" in run(f"check p.yaml --table one.csv {beside}")
    assert not Path("l").exists()
    run(f"protect one.csv -p p.yaml -o r1.csv --plan plan.json {beside}")
    run("ledger publish l r1.csv")
    said = run(f"check p.yaml --table two.csv {beside}")
    assert "Together with r1.csv: persons 4 known, 0 new, 0 left" in said
    Path("three.csv").write_text("id,age\na,x\nb,x\nc,y\nnew,y\n")
    said = run(f"check p.yaml --table three.csv {beside}", 1)
    assert "nothing could be released" in said
    assert "as said above" in said
    found = json.loads(run(f"check p.yaml --table three.csv --json {beside}", 1))
    assert (found["possible"], found["ledger"]["left"], found["ledger"]["matched"]) == (False, 1, 3)
    alone = json.loads(run("frontier two.csv -p p.yaml --thresholds 2 --json"))["points"]
    together = json.loads(run(f"frontier two.csv -p p.yaml --thresholds 2 --json {beside}"))["points"]
    assert (alone[0]["detail"], together[0]["detail"]) == (1.0, 0.0)
    run(f"apply plan.json two.csv -o r2.csv -p p.yaml --name second {beside}")
    assert Path("r2.csv").read_text() == "age\n*\n*\n*\n*\n"
    assert "second" in run("ledger show l")
    assert "--table" in run(f"check p.yaml {beside}", 2)
    assert "--person is for releases in a ledger" in run("apply plan.json two.csv -o r3.csv --person id", 2)


def test_no_id_and_no_value_is_said(here: Path) -> None:
    """Nothing that the ledger prints names a person, her hash or a value of hers."""
    Path("one.csv").write_text("id,age\nsomebody,x\nother,x\nthird,secretvalue\nfourth,secretvalue\n")
    run("protect one.csv -p p.yaml -o r1.csv --ledger l --person id")
    run("ledger publish l r1.csv")
    Path("two.csv").write_text("id,age\nother,x\nthird,secretvalue\nfourth,secretvalue\n")
    said = [run("protect two.csv -p p.yaml -o r2.csv --ledger l --person id", 1), run("ledger show l")]
    said.append(run("ledger show l --json"))
    for text in said:
        assert "somebody" not in text
        assert "secretvalue" not in text
    assert str(here) not in said[1]


def test_rows_of_persons_are_linked_by_their_key_or_it_is_said_that_they_are_not(here: Path) -> None:
    del here
    Path("u.yaml").write_text("unit: id\ncolumns:\n  visit: {role: identifier}\nprotect:\n  - {k: 2, over: [ward]}\n")
    for name, last in (("v1", "d,1,X\nd,2,Y"), ("v2", "d,1,Y\nd,2,X")):
        Path(f"{name}.csv").write_text(f"id,visit,ward\na,1,X\na,2,Y\nb,1,X\nb,2,Y\nc,1,X\nc,2,Y\n{last}\n")
    unlinked = "Rows of a person are not linked across releases: no --row-key for"
    for ledger, key, hidden in (("without", "", 0), ("with", " --row-key visit", 4)):
        end = f"--ledger {ledger}{key}"
        run(f"protect v1.csv -p u.yaml -o {ledger}1.csv {end}")
        run(f"ledger publish {ledger} {ledger}1.csv")
        foreseen = json.loads(run(f"check u.yaml --table v2.csv {end} --json"))["ledger"]
        assert (foreseen["matched"], foreseen["new"], foreseen["left"]) == (4, 0, 0)
        said = run(f"protect v2.csv -p u.yaml -o {ledger}2.csv {end}")
        assert "persons 4 known, 0 new, 0 left" in said
        assert (unlinked in said) == (not key)
        assert Path(f"{ledger}2.csv").read_text().count("*") == hidden
        found = json.loads(run(f"ledger publish {ledger} {ledger}2.csv --json"))
        assert found.get("unlinked", []) == ([] if key else ["without1.csv", "without2.csv"])
        assert (unlinked in run(f"ledger show {ledger}")) == (not key)
        run(f"verify {ledger}2.csv -p u.yaml --original v2.csv {end}")
        audit = json.loads(run(f"audit {ledger}2.csv -p u.yaml --original v2.csv {end} --json"))
        assert {one["name"] for one in audit["attacks"]["attacks"]} >= {"linker", "person"}
        assert any("which row of a person became which" in one for one in audit["not_covered"]) == (not key)
        told = run(f"frontier v2.csv -p u.yaml {end}", 2)
        assert "frontier does not plan persons with several rows beside earlier releases" in told
    run("ledger add added with1.csv --original v1.csv -p u.yaml --row-key visit")
    assert "4 persons" in run("ledger show added")
    Path("u.yaml").write_text(Path("u.yaml").read_text().replace("unit: id\n", ""))
    assert "in no two rows the same" in run("ledger add added with2.csv --original v2.csv -p u.yaml --person id", 2)


def test_what_the_ledger_says_is_compared_with_the_release(here: Path) -> None:
    """The same release beside persons in another order: not those that the ledger has in it."""
    del here
    run("protect one.csv -p p.yaml -o r1.csv --ledger l --person id")
    Path("swapped.csv").write_text("id,age\na,x\nc,x\nb,y\nd,y\n")
    said = run("verify r1.csv -p p.yaml --original swapped.csv --ledger l --person id", 1)
    assert "broken for 2 persons  what the ledger says that this release tells" in said
    assert "what the ledger says" not in run("verify r1.csv -p p.yaml --original one.csv --ledger l --person id")
    Path("r1.csv").rename("moved.csv")
    assert "put the file back where it was written" in run("ledger publish l r1.csv", 2)
