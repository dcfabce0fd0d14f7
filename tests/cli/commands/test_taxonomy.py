"""`discreet taxonomy` and the previews of `discreet check`, as their user meets them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import discreet as d
from discreet.cli.app import app

SECRET = "Zyzzyva"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [f"{17 + n % 60};{'0' if n % 2 else '1'}01{n % 40:02};{town(n)}" for n in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["age;zip;town", *rows, f"20;10115;{SECRET}"]) + "\n")
    (tmp_path / "towns.csv").write_text("Oslo;North;*\nTurku;North;*\nRome;South;*\nBari;South;*\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    return tmp_path


def town(number: int) -> str:
    return ["Oslo", "Turku", "Rome"][number % 3]


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result


def test_the_tree_goes_to_the_output_and_the_warnings_beside_it(folder: Path) -> None:
    result = run("taxonomy", "t.csv", "age")
    assert result.stdout.splitlines()[17] == "17;15-19;10-19;0-19;*"
    for part in ("Learned from the data", "type: number", "age: {taxonomy: age.csv}"):
        assert part in result.stderr
        assert part not in result.stdout


@pytest.mark.slow
def test_a_written_tree_is_private_and_of_use_in_a_policy(folder: Path) -> None:
    result = run("taxonomy", "t.csv", "zip", "--out", "zip.csv")
    assert result.stdout == ""
    assert "zip: {taxonomy: zip.csv}" in result.stderr
    assert stat.S_IMODE((folder / "zip.csv").stat().st_mode) == 0o600
    run("taxonomy", "t.csv", "town", "--out", "places.csv")
    (folder / "p.yaml").write_text(
        "protect:\n  - {k: 3, over: [zip, town]}\n"
        "columns:\n  zip: {taxonomy: zip.csv}\n  town: {taxonomy: places.csv}\n  age: {role: other}\n"
    )
    run("taxonomy", "t.csv", "zip", "--check", "zip.csv")
    run("check", "p.yaml", "--table", "t.csv")
    run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv")
    run("verify", "r.csv", "-p", "p.yaml", "--original", "t.csv")


def test_a_file_that_exists_needs_force_and_an_input_is_never_replaced(folder: Path) -> None:
    before = (folder / "towns.csv").read_text()
    assert "use --force" in run("taxonomy", "t.csv", "town", "-o", "towns.csv", code=2).stderr
    assert (folder / "towns.csv").read_text() == before
    assert "another file of this command" in run("taxonomy", "t.csv", "town", "-o", "t.csv", "--force", code=2).stderr
    run("taxonomy", "t.csv", "town", "-o", "towns.csv", "--force")
    assert (folder / "towns.csv").read_text() != before


def test_options_reach_the_proposal(folder: Path) -> None:
    assert "17;10-19;*" in run("taxonomy", "t.csv", "age", "--levels", "1").stdout
    assert "17;0-24;0-49;All" in run("taxonomy", "t.csv", "age", "--steps", "25,50", "--root", "All").stdout
    assert run("taxonomy", "t.csv", "age", "--no-fill").stdout.startswith("17;")
    assert "17 to " in run("taxonomy", "t.csv", "age", "--kind", "balanced").stdout
    assert SECRET not in run("taxonomy", "t.csv", "town", "--missing", SECRET).stdout
    (folder / "n.csv").write_text("skip me\n1|05/06/2024\n2|07/08/2024\n")
    words = ("taxonomy", "n.csv", "column_2", "--no-header", "--skip", "1", "--separator", "|", "--encoding", "utf-8")
    assert "05/06/2024;2024-05" in run(*words, "--date-format", "%m/%d/%Y", "--no-fill").stdout


def test_json_of_a_proposal(folder: Path) -> None:
    document = json.loads(run("taxonomy", "t.csv", "town", "--json").stdout)
    assert document["private"].startswith("PRIVATE")
    assert document["kind"] == "balanced"
    assert document["policy"] == "town: {taxonomy: town.csv}"
    assert d.Taxonomy.from_tree(document["taxonomy"]).missing_from(["Oslo", SECRET]) == []
    document = json.loads(run("taxonomy", "t.csv", "age", "--json", "-o", "age.csv").stdout)
    assert document["levels"] == [
        {"name": "5", "groups": 16},
        {"name": "10", "groups": 8},
        {"name": "20", "groups": 4},
    ]
    assert "taxonomy" not in document
    assert document["file"] == "age.csv"


def test_check_counts_what_is_lacking_and_names_it_only_when_told_to(folder: Path) -> None:
    result = run("taxonomy", "t.csv", "town", "--check", "towns.csv", code=1)
    assert "towns.csv does not fit town" in result.stdout
    assert "lacking: 1 value of the column (1 row)" in result.stdout
    assert "remark: 1 leaf that no row has" in result.stdout
    assert SECRET not in result.output
    assert "Oslo" not in result.output
    assert SECRET in run("taxonomy", "t.csv", "town", "--check", "towns.csv", "--show-values", code=1).stdout
    run("taxonomy", "t.csv", "town", "--check", "towns.csv", "--missing", SECRET)
    document = json.loads(run("taxonomy", "t.csv", "town", "--check", "towns.csv", "--json", code=1).stdout)
    assert (document["fits"], document["lacking_values"], document["leaves_without_rows"]) == (False, 1, 1)
    assert [level["labels"] for level in document["levels"]] == [3, 2, 1]
    assert SECRET not in json.dumps(document)
    words = ("taxonomy", "t.csv", "town", "--check", "towns.csv", "--json", "--show-values")
    assert json.loads(run(*words, code=1).stdout)["lacking"] == [SECRET]


def test_check_remarks_on_the_shape_of_a_tree(folder: Path) -> None:
    (folder / "odd.csv").write_text(
        "Oslo;North;Europe\noslo;North;Europe\nTurku;East;East of;Europe\nRome;*;Europe\nBari;*;Europe\n"
        f"{SECRET.lower()};Europe\n"
    )
    out = run("taxonomy", "t.csv", "town", "--check", "odd.csv", code=1).stdout
    for part in (
        "lacking: 1 value of the column (1 row); 1 of them only by capitals or blanks",
        "2 groups with one member",
        "2 labels that differ from another by capitals or blanks only",
        "from 1 to 3 labels above them",
        "is *, the usual marker",
        "3 leaves that no row has",
    ):
        assert part in out
    (folder / "u.csv").write_text('town\n""\nOslo\n\nRome\n')
    (folder / "v.csv").write_text("town,x\nOslo,1\n,2\n")
    assert "1 cell without a value" in run("taxonomy", "v.csv", "town", "--check", "towns.csv").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("absent.csv", "town"), "absent.csv"),
        (("t.csv", "twon"), "no column 'twon' among the"),
        (("t.csv", "Town"), "no column 'Town'; did you mean 'town'?"),
        (("t.csv", "town", "--kind", "nice"), "kind: write one of auto"),
        (("t.csv", "town", "--check", "absent.csv"), "no such taxonomy file"),
        (
            ("t.csv", "town", "--check", "towns.csv", "--kind", "auto", "--force"),
            "--kind, --force: with --check nothing",
        ),
        (("t.csv", "town", "--check", "towns.csv", "--out", "x.csv"), "--out: with --check nothing is proposed"),
        (("t.csv", "town", "--check", "t.csv"), "roots"),
        (("t.csv", "town", "--show-values"), "--show-values: is for --check"),
        (("t.csv", "town", "--out", "no/x.csv"), "there is no folder"),
        (("t.csv", "age", "--steps", "5,12"), "multiple of the one before"),
        (("t.csv", "age", "--steps", "5", "--levels", "2"), "leave one of the two out"),
        (("t.csv", "town", "--kind", "ranges"), "none of its values fits"),
        (("t.csv", "town", "--separator", "ab"), "one ASCII character"),
    ],
)
def test_bad_input_is_exit_2(folder: Path, words: tuple[str, ...], message: str) -> None:
    before = sorted(path.name for path in folder.iterdir())
    result = run("taxonomy", *words, code=2)
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert SECRET not in result.output or "t.csv" in words[2:]  # whoever gives the table as a tree sees its labels
    assert sorted(path.name for path in folder.iterdir()) == before
    error = json.loads(run("taxonomy", *words, "--json", code=2).stdout)["error"]
    assert message in error["message"]


def test_a_value_that_no_file_can_hold_is_refused_whole(folder: Path) -> None:
    (folder / "long.csv").write_text("x\n" + "y" * 150_000 + "\nz\n")
    assert "too long for a file" in run("taxonomy", "long.csv", "x", "-o", "x.csv", code=2).stderr
    assert not (folder / "x.csv").exists()


def test_check_shows_each_level(folder: Path) -> None:
    (folder / "towns.csv").write_text((folder / "towns.csv").read_text() + f"{SECRET};North;*\n")
    (folder / "p.yaml").write_text(
        "protect:\n  - {k: 5, over: [age, town]}\n"
        "columns:\n  age: {type: number}\n  town: {taxonomy: towns.csv}\n  zip: {role: other}\n"
    )
    out = run("check", "p.yaml", "--table", "t.csv").stdout
    shown = [" ".join(line.split()) for line in out.splitlines()]
    assert "town (taxonomy), by itself:" in shown
    assert f"values 4 1 row 1 (~0.50%) Oslo, Turku, {SECRET}, ..." in shown
    assert "level 1 2 66 rows none North, South" in shown
    assert any(line.startswith("e.g. by 10") for line in shown)
    document = json.loads(run("check", "p.yaml", "--table", "t.csv", "--json").stdout)
    (age, place) = document["columns"]
    assert (age["column"], age["kind"], age["k"]) == ("age", "number", 5)
    assert place["levels"][1] == {
        "level": "level 1",
        "labels": 2,
        "smallest_group": 66,
        "rows_below_k": 0,
        "such_as": ["North", "South"],
    }
    assert json.loads(run("check", "p.yaml", "--json").stdout)["columns"] == []


def test_init_writes_groups_for_columns_with_many_values(folder: Path) -> None:
    out = run("init", "t.csv", "--out", "p.yaml").stdout
    assert "p-zip.csv" in out
    assert stat.S_IMODE((folder / "p-zip.csv").stat().st_mode) == 0o600
    assert not (folder / "p-town.csv").exists()
    run("taxonomy", "t.csv", "zip", "--check", "p-zip.csv")
    run("check", "p.yaml", "--table", "t.csv")


@pytest.mark.slow
def test_a_redirected_tree_is_utf_8_whatever_the_terminal_shows(folder: Path) -> None:
    (folder / "u.csv").write_text("x\nÅbo\nŁódź\n", encoding="utf-8")
    words = [sys.executable, "-m", "discreet", "taxonomy", "u.csv", "x"]
    done = subprocess.run(words, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    (folder / "x.csv").write_bytes(done.stdout)
    assert set(d.read_taxonomy(folder / "x.csv").leaves) == {"Åbo", "Łódź"}


@pytest.mark.slow
def test_it_does_without_the_compiler(folder: Path) -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from discreet.cli.app import app\n"
        "assert CliRunner().invoke(app, ['taxonomy', 't.csv', 'age']).exit_code == 0\n"
        "print('numba' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"
