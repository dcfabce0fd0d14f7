"""Secrets that must not get out: every kind of error on every engine, and every output and file searched for them.

The cells, names and values of a policy are canaries. A message may name files, columns, fields and what the policy
itself says, but no cell of a table; and nothing of an ended job is left on the disk but what was there before.
"""

from __future__ import annotations

import gc
import io
import json
import os
import re
import traceback
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from tests.spark import GROUP, session

ESCAPE = "\x1b[2J\x1b]0;canary\x07"
CELL, OTHER_CELL, PERSON = "Zyzzyva-cell", "Quagga-cell", "Okapi-person"
SECRETS = (CELL, OTHER_CELL, PERSON)
ENGINES = ["local", "streaming", "duckdb", "spark"]

K = "protect: [{k: 2, over: [job, town]}]\n"
HEAD = "id,job,town,ill\n"
ROWS = f"{PERSON},{CELL},{OTHER_CELL},yes\n2,{CELL},{OTHER_CELL},no\n3,{CELL},b,no\n4,a,b,yes\n"


@dataclass(frozen=True)
class Case:
    """A job that must fail: its files, its command, and with which exit code."""

    name: str
    table: str | bytes = HEAD + ROWS
    policy: str = K
    words: tuple[str, ...] = ("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv")
    code: int = 2
    files: tuple[tuple[str, str | bytes], ...] = ()
    spark: bool = True
    """Whether Spark refuses it for what it is about, and not the whole job for another reason."""


RELEASE = (("r0.csv", f"job,town,ill\n{CELL},{OTHER_CELL},yes\na,b,no\n"),)
VERIFY = ("verify", "r0.csv", "-p", "p.yaml")
AUDIT = ("audit", "r0.csv", "-p", "p.yaml", "--original", "t.csv")
APPLY = ("apply", "plan.json", "t.csv", "-o", "r.csv")
CASES = [
    # Tables that cannot be read.
    Case("short record", HEAD + f"{PERSON},{CELL}\n"),
    Case("long record", HEAD + f"{PERSON},{CELL},b,c,{OTHER_CELL}\n"),
    Case("stray quote", HEAD + f'1,{CELL}"x,b,c\n'),
    Case("open quote", HEAD + f'1,"{CELL},b,c\n{OTHER_CELL}'),
    Case("lone carriage return", HEAD + f"1,{CELL}\r,b,c\n"),
    Case("nul", HEAD + f"1,{CELL}\0,b,c\n"),
    Case("not utf-8", (HEAD + f"1,{CELL},b,").encode() + b"\xff\n"),
    Case("blank line", HEAD + f"1,{CELL},b,c\n\n2,{OTHER_CELL},b,c\n"),
    Case("two columns of one name", f"{CELL},{CELL},town,ill\n1,2,3,4\n"),
    Case("column without a name", f"{CELL},,town,ill\n1,2,3,4\n"),
    Case("escapes in cells", HEAD + f"1,{ESCAPE}{CELL},b\n"),
    Case("escapes in names", HEAD.replace("job", f"job{ESCAPE}") + ROWS),
    Case("no rows", HEAD),
    Case("empty", ""),
    Case("damaged gzip", b"\x1f\x8b\x08" + CELL.encode()),
    Case("damaged parquet", b"PAR1" + CELL.encode() * 9 + b"PAR1"),
    Case("odd encoding", words=("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", "--encoding", "idna")),
    Case("wrong encoding", HEAD + ROWS, words=(*Case("").words, "--encoding", "utf-16")),
    Case("lines to skip", words=(*Case("").words, "--skip", "99")),
    # Policies that do not fit.
    Case("unknown column", policy="protect: [{k: 2, over: [nothing]}]"),
    Case("not numbers", policy=K + "columns: {job: {type: number}}"),
    Case("not dates", policy=K + "columns: {town: {type: date}}"),
    Case("not in the taxonomy", policy=K + 'columns: {job: {taxonomy: {"*": [a, b]}}}'),
    Case("marker among the values", HEAD + f"1,*,{CELL},yes\n2,*,{CELL},no\n"),
    Case("key twice", policy="protect: [{column: ill, ids: {column: job, values: [a]}, against: [naive_bayes]}]"),
    Case("nested policy", policy="protect: " + "[" * 100_000),
    Case("long number", policy=f"protect: [{{k: {'9' * 5_000}, over: [job]}}]"),
    # Promises that cannot be kept, or are broken.
    Case("impossible", policy="protect: [{infer: {ill: no}, given: [job], at_most: 10%}]", code=1),
    Case("too many rows alike", policy="protect: [{k: 99, over: [job, town]}]", code=1),
    Case(
        "too many suppressed",
        policy="protect: [{k: 5, over: [job, town]}]\nsuppress: {limit: 0%, rows: remove}",
        code=1,
        spark=False,
    ),
    Case(
        "unprotected cell",
        HEAD + f"{PERSON},{CELL},x,flu\n2,{CELL},y,cold\n3,{CELL},b,flu\n4,a,b,gout\n5,{CELL},b,flu\n",
        policy="columns: {id: {role: identifier}}\n"
        "protect: [{column: ill, rows: [1], predictors: [job], against: [naive_bayes], method: dropp}]",
        code=1,
        spark=False,
    ),
    Case("broken", HEAD + ROWS, words=(*VERIFY, "--json"), files=RELEASE, code=1),
    Case("broken by audit", words=AUDIT, files=RELEASE, code=1),
    Case("foreign release", words=(*VERIFY, "--original", "t.csv"), files=(("r0.csv", f"job,x\n{CELL},b\n"),), code=1),
    # Plans that do not fit.
    Case("plan of another table", words=APPLY, table=f"job,x\n{CELL},b\n", files=(("plan.json", "PLAN"),)),
    Case("plan that is none", words=APPLY, files=(("plan.json", f'{{"form": "{CELL}"'),)),
    Case("deep plan", words=APPLY, files=(("plan.json", "[" * 100_000),)),
    # Names.
    Case("no such table", words=("protect", "nothing.csv", "-p", "p.yaml", "-o", "r.csv")),
    Case("long name", words=("protect", "x" * 5_000 + ".csv", "-p", "p.yaml", "-o", "r.csv")),
    Case("exists", files=(("r.csv", "old"),)),
    Case("no such folder", words=("protect", "t.csv", "-p", "p.yaml", "-o", "no/r.csv")),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that is the current one; the scratch files of a job go to another one beside it."""
    work, scratch = tmp_path / "work", tmp_path / "scratch"
    work.mkdir()
    scratch.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    return work


def write(folder: Path, case: Case) -> None:
    for name, content in (("t.csv", case.table), ("p.yaml", case.policy), *case.files):
        if content == "PLAN":
            table = pl.DataFrame({"job": ["a", "a", CELL, CELL], "town": ["b"] * 4, "ill": ["x"] * 4})
            content = d.protect(table, d.Policy(protect=[d.KAnonymity(k=2, over=["job", "town"])])).plan.to_json()
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below the folder of a job and below that of its scratch files."""
    paths = [path for path in folder.parent.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder.parent)): path.read_bytes() for path in paths}


def leaks(text: str, allowed: str = "") -> list[str]:
    """Return the secrets that stand in a text in whatever spelling, but for those that are allowed."""
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)
    found = [secret for secret in SECRETS if secret.lower() in plain.lower() and secret not in allowed]
    return found + ([repr(ESCAPE)] if "\x1b" in text else [])


def on_engine(case: Case, engine: str) -> list[str]:
    return [*case.words, "--engine", engine]


BY_FUNCTION = [
    case
    for case in CASES
    if case.words[:2] == ("protect", "t.csv") and len(case.words) == 6 and case.words[5] == "r.csv"
]
"""Those that are tried without the command too. What the command prints is less than an error shows of itself, so of
these it has only some on Spark."""


def cases_on_engines(cases: Iterable[Case], on_spark: Callable[[Case], bool]) -> list[Any]:
    """Cases on every engine, those on Spark of which something holds."""
    return [
        pytest.param(
            case, engine, marks=[GROUP] if engine == "spark" else [], id=f"{case.name.replace(' ', '_')}-{engine}"
        )
        for engine in ENGINES
        for case in cases
        if engine != "spark" or (case.spark and on_spark(case))
    ]


COMMANDS = cases_on_engines(CASES, lambda case: case not in BY_FUNCTION or case in BY_FUNCTION[::8])


@pytest.mark.slow
@pytest.mark.parametrize(("case", "engine"), COMMANDS)
def test_no_error_tells_a_cell_and_nothing_is_left_behind(case: Case, engine: str, folder: Path) -> None:
    if engine == "spark":
        session()
    write(folder, case)
    before = contents(folder)
    gc.freeze()  # what was there before need not be looked through afterwards
    result = CliRunner().invoke(app, on_engine(case, engine))
    assert result.exit_code in ({case.code} if engine != "spark" else {1, 2}), result.output
    assert "internal error" not in result.output
    if case.words[:1] in (("verify",), ("audit",)):
        # These show groups of the release, which everybody has; errors never do.
        assert leaks(result.stderr, case.policy) == []
    else:
        assert leaks(result.output, case.policy) == []
    del result  # its trace holds the engine, which holds its scratch files
    gc.collect()
    gc.unfreeze()
    after = contents(folder)
    assert {name: after[name] for name in after if not name.startswith("scratch")} == before
    assert [name for name in after.keys() - before if leaks(after[name].decode("latin-1"))] == []


@pytest.mark.parametrize("engine", ["local", "streaming", "duckdb"])
@pytest.mark.parametrize("case", [case for case in CASES if case.words[0] == "protect"], ids=lambda case: case.name)
def test_json_errors_tell_no_cell(case: Case, engine: str, folder: Path) -> None:
    write(folder, case)
    result = CliRunner().invoke(app, [*on_engine(case, engine), "--json"])
    assert result.exit_code == case.code, result.output
    document = json.loads(result.stdout)
    assert document["error"]["exit_code"] == case.code
    assert leaks(result.output, case.policy) == []


def told(call: Callable[[], object]) -> str:
    """Return all that an error shows of itself, and what was printed: text, repr, details, arguments and its trace.

    The lines of source in a trace are ours; values of variables are not shown. What it came from counts as well.
    """
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            call()
        except d.DiscreetError as error:
            parts = [str(error), repr(error), str(error.details()), *map(repr, error.args)]
            parts += traceback.format_exception(error)
        else:
            pytest.fail("this must not work")
    return "\n".join([printed.getvalue(), *parts])


@pytest.mark.parametrize(("case", "engine"), cases_on_engines(BY_FUNCTION, lambda _: True))
def test_exceptions_tell_no_cell(case: Case, engine: str, folder: Path) -> None:
    if engine == "spark":
        session()
    write(folder, case)

    def call() -> None:
        d.protect(folder / "t.csv", d.read_policy(folder / "p.yaml"), engine=engine).write(folder / "r.csv")

    assert leaks(told(call), case.policy) == []


def test_the_search_would_find_a_secret(folder: Path) -> None:
    """The canary sings: neither a spelling in capitals nor one by escapes hides a secret."""
    assert leaks(f"error: {CELL}") == [CELL]
    assert leaks(CELL.upper()) == [CELL]
    assert leaks(json.dumps(PERSON).replace("O", "\\u004f")) == [PERSON]
    assert leaks(f"error: {CELL}", f"infer: {{job: {CELL}}}") == []
    (folder / "left").write_text(CELL, encoding="utf-8")
    assert contents(folder) == {f"work{os.sep}left": CELL.encode()}
