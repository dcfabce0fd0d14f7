"""The command line as its user meets it: what it prints, writes and answers."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import pty
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO

import polars as pl
import pytest

import discreet as d
from discreet.cli import app as app_module
from discreet.common.showing import STAGES
from tests.commands import run
from tests.jobs import bank

SECRET = "Zyzzyva"


PROTECT = ("protect", "bank.csv", "--policy", "bank.yaml", "--out", "release.csv")


def test_protect_writes_the_paper_s_table_2_and_says_why(folder: Path) -> None:
    out = run(*PROTECT, "--plan", "plan.json").stdout
    for part in (
        "24 rows, verified",
        "4/5 (80%)",
        "1/2 (50%)",
        "Job = Cook",
        "would break promise 1: 4 of 5 rows",
        "Not covered",
    ):
        assert part in out
    released = pl.read_csv(folder / "release.csv")
    assert released.filter(pl.col("Job") == "*").height == 10
    assert run("verify", "release.csv", "-p", "bank.yaml", "--original", "bank.csv").stdout.startswith(
        "release.csv: every"
    )


def test_json_has_steps_and_audit(folder: Path) -> None:
    document = json.loads(run(*PROTECT, "--json").stdout)
    assert document["release"] == "release.csv"
    assert [step["value"] for step in document["steps"]] == ["Cook", "Artist", "Doctor", "US", "France"]
    assert document["audit"]["holds"] is True
    found = json.loads(run("verify", "release.csv", "-p", "bank.yaml", "--json").stdout)
    assert found["holds"] is True
    assert found["requirements"][0]["worst"]["share"] == "1/2"


def test_plan_and_manifest_are_private_and_complete(folder: Path) -> None:
    import hashlib

    run(*PROTECT, "--plan", "plan.json")
    manifest = json.loads((folder / "plan.manifest.json").read_text())
    for part, name in (("input", "bank.csv"), ("policy", "bank.yaml"), ("release", "release.csv")):
        assert manifest[part] == {"name": name, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
    assert manifest["discreet"] == d.__version__
    assert manifest["time"]
    for name in ("plan.json", "plan.manifest.json"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
        assert "PRIVATE" in (folder / name).read_text().splitlines()[0]


def test_apply_a_kept_plan_to_new_rows(folder: Path) -> None:
    run(*PROTECT, "--plan", "plan.json")
    run("apply", "plan.json", "bank.csv", "--out", "again.csv")
    assert (folder / "again.csv").read_bytes() == (folder / "release.csv").read_bytes()
    bank().head(4).with_columns(pl.lit("Discharged").alias("Bankruptcy")).write_csv(folder / "new.csv")
    result = run("apply", "plan.json", "new.csv", "--out", "new-release.csv", code=1)
    assert "broken" in result.stderr
    assert not (folder / "new-release.csv").exists()


def test_impossible_is_exit_1_and_writes_nothing(folder: Path) -> None:
    (folder / "bank.yaml").write_text((folder / "bank.yaml").read_text().replace("75%", "20%"))
    result = run(*PROTECT, "--plan", "plan.json", code=1)
    assert "5/24" in result.stderr
    assert result.stdout == ""
    assert sorted(path.name for path in folder.iterdir()) == ["bank.csv", "bank.yaml"]
    document = json.loads(run(*PROTECT, "--json", code=1).stdout)
    assert document["error"]["least"][0]["share"] == "5/24"
    assert "cannot be kept" in run("check", "bank.yaml", "--table", "bank.csv", code=1).stdout


def test_broken_is_exit_1(folder: Path) -> None:
    result = run("verify", "bank.csv", "-p", "bank.yaml", code=1)
    assert "4 of 5 rows" in result.stdout


def test_not_checkable_is_exit_1_unless_partial(folder: Path) -> None:
    bank().drop("Job").write_csv(folder / "part.csv")
    run("verify", "part.csv", "-p", "bank.yaml", code=1)
    run("verify", "part.csv", "-p", "bank.yaml", "--partial")
    run(
        "verify", "part.csv", "-p", "bank.yaml", "--partial", "--original", "bank.csv", code=1
    )  # untrue: a column is gone


def test_existing_files_need_force(folder: Path) -> None:
    (folder / "release.csv").write_text("old")
    assert "use --force" in run(*PROTECT, code=2).stderr
    assert (folder / "release.csv").read_text() == "old"
    run(*PROTECT, "--force")
    assert (folder / "release.csv").read_text() != "old"


@pytest.mark.parametrize("out", ["bank.csv", "./bank.csv", "bank.yaml", "link.csv"])
def test_the_output_is_never_an_input(folder: Path, out: str) -> None:
    (folder / "link.csv").symlink_to(folder / "bank.csv")
    before = (folder / "bank.csv").read_bytes()
    result = run("protect", "bank.csv", "-p", "bank.yaml", "-o", out, "--force", code=2)
    assert "is also another file of this command" in result.stderr
    assert (folder / "bank.csv").read_bytes() == before


def test_plan_and_release_may_not_be_the_same_file(folder: Path) -> None:
    run(*PROTECT, "--plan", "release.csv", code=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("protect", "absent.csv", "-p", "bank.yaml", "-o", "r.csv"), "absent.csv"),
        (("protect", "bank.csv", "-p", "absent.yaml", "-o", "r.csv"), "no such policy file"),
        (("protect", "bank.csv", "-p", "bank.yaml", "-o", "no/r.csv"), "there is no folder"),
        (("protect", "bank.csv", "-p", "bank.yaml", "-o", "."), "is a folder"),
        (("protect", "bank.csv", "-p", "bank.yaml", "-o", "r.csv", "--separator", "ab"), "one ASCII character"),
        (("apply", "bank.yaml", "bank.csv", "-o", "r.csv"), "not a plan"),
        (("check", "bank.yaml", "--table", "absent.csv"), "absent.csv"),
    ],
)
def test_bad_input_is_exit_2(folder: Path, words: tuple[str, ...], message: str) -> None:
    result = run(*words, code=2)
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert not (folder / "r.csv").exists()


def test_usage_mistakes_are_exit_2(folder: Path) -> None:
    run("protect", "bank.csv", code=2)
    run("fly", code=2)


def test_policy_mistakes_have_line_and_fix(folder: Path) -> None:
    (folder / "bank.yaml").write_text((folder / "bank.yaml").read_text().replace("Job", "Jbo"))
    result = run(*PROTECT, code=2)
    assert result.stderr == "error: bank.yaml:4: protect[0].given[0]: no column 'Jbo'; did you mean 'Job'?\n"
    document = json.loads(run(*PROTECT, "--json", code=2).stdout)
    assert document["error"]["problems"][0]["line"] == 4


def test_parquet_in_and_out(folder: Path) -> None:
    bank().write_parquet(folder / "bank.parquet")
    run("protect", "bank.parquet", "-p", "bank.yaml", "-o", "r.parquet")
    run("protect", "bank.parquet", "-p", "bank.yaml", "-o", "r.csv")
    assert pl.read_parquet(folder / "r.parquet").equals(pl.read_csv(folder / "r.csv", infer_schema=False))
    run("verify", "r.parquet", "-p", "bank.yaml", "--original", "bank.parquet")
    run("verify", "r.csv", "-p", "bank.yaml", "--original", "bank.parquet")


def test_dialect_options_override_the_policy(folder: Path) -> None:
    text = (folder / "bank.csv").read_text().replace(",", "\t")
    (folder / "bank.txt").write_text("a comment\n" + text)
    run(
        "protect",
        "bank.txt",
        "-p",
        "bank.yaml",
        "-o",
        "r.txt",
        "--separator",
        "tab",
        "--skip",
        "1",
        "--encoding",
        "utf-8",
    )
    released = (folder / "r.txt").read_text()
    assert released.startswith("Job\tCountry\t")
    run("verify", "r.txt", "-p", "bank.yaml", "--separator", "tab")


@pytest.mark.parametrize(
    ("out", "separator", "packed"),
    [
        ("r.csv", ";", False),
        ("r.tsv", "\t", False),
        ("r.csv.gz", ";", True),
        ("r.tsv.gz", "\t", True),
        ("r", ";", False),
    ],
)
def test_the_name_of_the_output_says_its_form(folder: Path, out: str, separator: str, packed: bool) -> None:
    (folder / "bank.csv").write_text((folder / "bank.csv").read_text().replace(",", ";"))
    run("protect", "bank.csv", "-p", "bank.yaml", "-o", out)
    data = (folder / out).read_bytes()
    assert (data[:2] == b"\x1f\x8b") is packed
    text = (gzip.decompress(data) if packed else data).decode()
    assert text.startswith(f"Job{separator}Country{separator}")
    run("verify", out, "-p", "bank.yaml", "--original", "bank.csv")


def test_skip_concerns_the_original_only(folder: Path) -> None:
    (folder / "bank.csv").write_text("about this file\n" + (folder / "bank.csv").read_text())
    run(*PROTECT, "--skip", "1")
    run("verify", "release.csv", "-p", "bank.yaml", "--original", "bank.csv", "--skip", "1")


def test_a_file_without_header_and_names_in_the_policy(folder: Path) -> None:
    rows = (folder / "bank.csv").read_text().splitlines()
    (folder / "rows.csv").write_text("\n".join(rows[1:]) + "\n")
    policy = (folder / "bank.yaml").read_text() + f"file: {{header: [{rows[0]}]}}\n"
    (folder / "bank.yaml").write_text(policy)
    run("protect", "rows.csv", "-p", "bank.yaml", "-o", "r.csv")
    assert len((folder / "r.csv").read_text().splitlines()) == 24
    run("verify", "r.csv", "-p", "bank.yaml", "--original", "rows.csv")


def test_time_limit_says_that_more_could_have_been_shown(folder: Path) -> None:
    assert "Stopped at the time limit" in run(*PROTECT, "--time-limit", "0").stdout
    run("verify", "release.csv", "-p", "bank.yaml", "--original", "bank.csv")


def test_check_says_what_is_promised_and_how_things_stand(folder: Path) -> None:
    words = "Whoever knows the Job and Country of a person and sees the release cannot be more than 75% sure"
    assert words in run("check", "bank.yaml").stdout
    out = run("check", "bank.yaml", "--table", "bank.csv").stdout
    assert "4 of 5 rows, 4/5 (80%) where Job = Trader, Country = UK: not kept by the table as it is" in out
    document = json.loads(run("check", "bank.yaml", "--table", "bank.csv", "--json").stdout)
    assert document["promises"][0]["least_possible"] == "5/24"


@pytest.mark.process
def test_progress_is_shown_on_a_terminal_only(folder: Path) -> None:
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "discreet", *PROTECT, "--force"]
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=theirs, check=True, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal ends
        while piece := os.read(ours, 4096):
            shown += piece
    # Which of them is seen depends on how quick it was: a terminal is painted some times a second.
    assert any(stage.encode() in shown for stage in ("starting", *STAGES.values()))
    piped = subprocess.run(words, capture_output=True, check=True)
    assert piped.stderr == b""


def test_schema_is_json(folder: Path) -> None:
    assert json.loads(run("schema").stdout)["required"] == ["protect"]


def test_demo_shows_the_job_and_can_leave_its_files(folder: Path) -> None:
    assert "would not help the use (the hidden rows all have the same Rating)" in run("demo").stdout
    run("demo", "play")
    assert sorted(path.name for path in (folder / "play").iterdir()) == ["bank.csv", "bank.yaml"]
    run("demo", "play", code=2)


def test_no_secret_in_any_message(folder: Path) -> None:
    """A value of a sensitive column appears in no error, whatever goes wrong."""
    rows = (folder / "bank.csv").read_text()
    for bad in (
        rows.replace("Never", SECRET) + f"x,{SECRET}\n",
        rows.replace("Discharged", SECRET),
        rows.replace("Never", f'{SECRET}"'),
        rows.replace("Never", SECRET).replace("Job,", "Country,"),
        rows.replace("Never", SECRET + "\x00"),
    ):
        (folder / "bad.csv").write_text(bad)
        result = run("protect", "bad.csv", "-p", "bank.yaml", "-o", "r.csv", code=2)
        assert SECRET not in result.output
        assert result.stderr.startswith("error: ")


def test_an_internal_error_shows_no_trace_and_no_value(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("discreet.pipeline.find_plan", fail)
    result = run(*PROTECT, code=2)
    assert "internal error (RuntimeError)" in result.stderr
    assert SECRET not in result.output
    assert not (folder / "release.csv").exists()


def test_an_input_that_changes_meanwhile_is_noticed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import discreet.pipeline

    real = discreet.pipeline.protect

    def slow(*words: object, **more: object) -> object:
        release = real(*words, **more)  # type: ignore[arg-type]
        (folder / "bank.csv").write_text("Job\nx\n")
        return release

    monkeypatch.setattr("discreet.pipeline.protect", slow)
    assert "was changed while it was being read" in run(*PROTECT, code=2).stderr
    assert not (folder / "release.csv").exists()


def test_help_loads_nothing_heavy() -> None:
    heavy = ["polars", "numba", "numpy", "narwhals", "pandas", "yaml", "duckdb", "sklearn", "altair"]
    heavy += ["starlette", "uvicorn", "jinja2", "discreet.app"]
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom discreet.cli.app import app\n"
        "assert CliRunner().invoke(app, ['protect', '--help']).exit_code == 0\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "[]\n"


def test_a_small_job_loads_nothing_that_only_others_need(folder: Path) -> None:
    unneeded = ["numba", "scipy", "sklearn", "altair", "pandas", "pyarrow", "duckdb", "narwhals"]
    unneeded += ["discreet." + name for name in ("adversary", "attack", "compare", "ledger.folder", "method.cells")]
    unneeded += ["discreet." + name for name in ("planning.over_time", "audit.report.render", "table.stores.engine")]
    code = (
        "import sys\nfrom discreet.cli.app import main\n"
        f"sys.argv = {['discreet', *PROTECT]!r}\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        f"print([name for name in {unneeded} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    assert (folder / "release.csv").exists()


@pytest.mark.slow
def test_verify_and_check_do_without_the_compiler(folder: Path) -> None:
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom discreet.cli.app import app\n"
        "CliRunner().invoke(app, ['verify', 'bank.csv', '-p', 'bank.yaml'])\n"
        "print('polars' in sys.modules, 'numba' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "True False\n"


def test_names_are_names_not_patterns(folder: Path) -> None:
    """A Parquet file called g*.parquet is that file, not all that match."""
    bank().write_parquet(folder / "g*.parquet")
    bank().write_parquet(folder / "g1.parquet")
    bank().write_parquet(folder / "t[1].parquet")
    for name in ("g*.parquet", "t[1].parquet"):
        document = json.loads(run("protect", name, "-p", "bank.yaml", "-o", "r.csv", "--force", "--json").stdout)
        assert document["audit"]["rows"] == 24


@pytest.mark.parametrize("header", ["[Name, Job, Country, Child, Bankruptcy, Rating]", "false"])
def test_identifiers_in_a_file_without_header(folder: Path, header: str) -> None:
    rows = (folder / "bank.csv").read_text().splitlines()[1:]
    (folder / "rows.csv").write_text("".join(f"n{place},{row}\n" for place, row in enumerate(rows)))
    text = (folder / "bank.yaml").read_text() + "  Name: {role: identifier}\n" + f"file: {{header: {header}}}\n"
    if header == "false":
        for place, name in enumerate(["Name", "Job", "Country", "Child", "Bankruptcy", "Rating"], start=1):
            text = text.replace(name, f"column_{place}")
    (folder / "bank.yaml").write_text(text)
    run("protect", "rows.csv", "-p", "bank.yaml", "-o", "r.csv")
    run("verify", "r.csv", "-p", "bank.yaml", "--original", "rows.csv")
    run("verify", "r.csv", "-p", "bank.yaml")
    run("verify", "rows.csv", "-p", "bank.yaml", code=1)  # with the names of the customers it is no release


def test_file_options_hold_for_text_made_from_parquet(folder: Path) -> None:
    bank().write_parquet(folder / "bank.parquet")
    (folder / "bank.yaml").write_text(
        (folder / "bank.yaml").read_text() + 'file: {separator: ";", encoding: latin-1}\n'
    )
    run("protect", "bank.parquet", "-p", "bank.yaml", "-o", "r.csv")
    assert (folder / "r.csv").read_text().startswith("Job;Country")
    run("verify", "r.csv", "-p", "bank.yaml", "--original", "bank.parquet")


def test_a_release_that_would_be_misread_is_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is published is what was verified: the file is read back before it gets its name."""
    from discreet.table.local import LocalEngine

    real = LocalEngine.write

    def careless(engine: LocalEngine, target: BinaryIO, path: Path) -> None:
        text = io.BytesIO()
        real(engine, text, path)
        target.write(text.getvalue().replace(b"*,*", b"*,UK", 1))

    monkeypatch.setattr(LocalEngine, "write", careless)
    assert "would not be read back as it is" in run(*PROTECT, code=2).stderr
    assert sorted(path.name for path in folder.iterdir()) == ["bank.csv", "bank.yaml"]


def test_names_that_promise_another_form_are_refused(folder: Path) -> None:
    for out in ("r.ods", "r.json", "r.parquet.gz"):
        run("protect", "bank.csv", "-p", "bank.yaml", "-o", out, code=2)
        assert not (folder / out).exists()


def test_a_policy_that_changes_meanwhile_is_noticed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest must not carry the hash of another policy than the one that was kept."""
    import discreet.pipeline

    real = discreet.pipeline.protect

    def slow(*words: object, **more: object) -> object:
        (folder / "bank.yaml").write_text((folder / "bank.yaml").read_text().replace("75%", "99%") + "\n")
        return real(*words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("discreet.pipeline.protect", slow)
    assert "bank.yaml: was changed" in run(*PROTECT, "--plan", "plan.json", code=2).stderr


def test_sensitive_values_are_not_shown_in_groups_of_other_templates(folder: Path) -> None:
    (folder / "two.yaml").write_text(
        "protect:\n"
        "  - {infer: {Bankruptcy: Discharged}, given: [Job, Country], at_most: 80%}\n"
        "  - {infer: {Rating: Bad}, given: [Job, Bankruptcy], at_most: 100%}\n"
    )
    for words in (
        ("protect", "bank.csv", "-p", "two.yaml", "-o", "r.csv"),
        ("check", "two.yaml", "--table", "bank.csv"),
    ):
        out = run(*words).stdout
        assert "Bankruptcy = (not shown)" in out
        assert "Current" not in out


def test_json_says_that_it_is_private_and_errors_have_no_groups(folder: Path) -> None:
    assert "PRIVATE" in run(*PROTECT, "--plan", "plan.json", "--json").stdout.splitlines()[1]
    bank().head(4).with_columns(pl.lit("Discharged").alias("Bankruptcy")).write_csv(folder / "new.csv")
    document = json.loads(run("apply", "plan.json", "new.csv", "-o", "n.csv", "--json", code=1).stdout)
    worst = document["error"]["verification"]["requirements"][0]["worst"]
    assert (worst["hits"], worst["rows"]) == (4, 4)
    assert "group" not in worst


def test_apply_says_against_which_policy_it_verified(folder: Path) -> None:
    run(*PROTECT, "--plan", "plan.json")
    alone = run("apply", "plan.json", "bank.csv", "-o", "a.csv").stdout
    assert "24 rows, verified against the policy in the plan" in alone
    assert "Warning: verified against the policy that the plan carries, and nothing else" in alone
    owned = run("apply", "plan.json", "bank.csv", "-o", "b.csv", "--policy", "bank.yaml").stdout
    assert "24 rows, verified against bank.yaml" in owned
    assert "the policy that the plan carries" not in owned
    document = json.loads(run("apply", "plan.json", "bank.csv", "-o", "c.csv", "-p", "bank.yaml", "--json").stdout)
    assert (document["policy"], document["audit"]["warnings"]) == ("bank.yaml", [])
    document = json.loads(run("apply", "plan.json", "bank.csv", "-o", "d.csv", "--json").stdout)
    assert document["policy"] is None
    assert len(document["audit"]["warnings"]) == 1


def test_apply_refuses_a_plan_that_its_manifest_does_not_know(folder: Path) -> None:
    run(*PROTECT, "--plan", "plan.json")
    plan, manifest = folder / "plan.json", folder / "plan.manifest.json"
    kept = plan.read_text(encoding="utf-8")
    plan.write_text(kept.replace("75%", "99%").replace('"3/4"', '"1"'), encoding="utf-8")
    assert plan.read_text(encoding="utf-8") != kept
    for more in ((), ("--policy", "bank.yaml")):
        refused = run("apply", "plan.json", "bank.csv", "-o", "again.csv", *more, code=2)
        assert "plan.json: is not the plan that plan.manifest.json was written for" in refused.stderr
        assert "discreet protect --plan" in refused.stderr
    with pytest.raises(d.InputError, match="is not the plan"):
        d.read_plan(plan)
    assert not (folder / "again.csv").exists()
    document = json.loads(manifest.read_text(encoding="utf-8"))
    del document["plan"]  # as manifests were before
    manifest.write_text(json.dumps(document), encoding="utf-8")
    assert "the policy that the plan carries" in run("apply", "plan.json", "bank.csv", "-o", "old.csv").stdout
    for bad in ("[]", '{"plan": 5}', "{"):
        manifest.write_text(bad, encoding="utf-8")
        assert "cannot be read as the manifest" in run("apply", "plan.json", "bank.csv", "-o", "x.csv", code=2).stderr
    manifest.unlink()
    run("apply", "plan.json", "bank.csv", "-o", "none.csv")


def test_apply_writes_nothing_that_breaks_the_owner_s_policy(folder: Path) -> None:
    run(*PROTECT, "--plan", "plan.json")
    (folder / "strict.yaml").write_text((folder / "bank.yaml").read_text().replace("75%", "40%"))
    refused = run("apply", "plan.json", "bank.csv", "-o", "again.csv", "-p", "strict.yaml", code=1)
    assert "another one; make a new plan" in refused.stderr
    assert not (folder / "again.csv").exists()


def test_apply_tells_how_many_rows_it_suppressed(folder: Path) -> None:
    run(*PROTECT, "--plan", "plan.json")
    new = pl.concat([bank(), bank()[:2].with_columns(pl.lit("Pilot").alias("Job"))])
    new.write_csv(folder / "new.csv")
    assert "2 for a value that the plan has not seen" in run("apply", "plan.json", "new.csv", "-o", "n.csv").stdout


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    discreet = f"{sys.executable} -m discreet"
    return subprocess.run(
        ["bash", "-c", line.replace("discreet", discreet)], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.process
def test_output_that_cannot_be_printed_does_not_lie_about_the_release(folder: Path) -> None:
    line = "discreet protect bank.csv -p bank.yaml -o release.csv --force"
    full = shell(folder, f"{line} > /dev/full")
    assert full.returncode == 2
    assert "release.csv was written and is verified" in full.stderr
    assert shell(folder, f"{line} >&-").returncode == 0
    assert shell(folder, f"set -o pipefail; {line} | head -0").returncode == 0
    assert shell(folder, f"PYTHONIOENCODING=ascii {line}").returncode == 0
    verify = "discreet verify release.csv -p bank.yaml"
    assert shell(folder, f"set -o pipefail; {verify} | head -0").returncode == 0
    broken = "discreet verify bank.csv -p bank.yaml"
    assert shell(folder, f"set -o pipefail; {broken} | head -0").returncode == 1


def test_force_replaces_files_only(folder: Path) -> None:
    os.mkfifo(folder / "pipe.csv")
    assert (
        "is a pipe or a device"
        in run("protect", "bank.csv", "-p", "bank.yaml", "-o", "pipe.csv", "--force", code=2).stderr
    )
    assert (
        "is a pipe or a device"
        in run("protect", "bank.csv", "-p", "bank.yaml", "-o", "/dev/null", "--force", code=2).stderr
    )


def test_values_cannot_write_to_the_terminal(folder: Path) -> None:
    (folder / "bank.csv").write_text((folder / "bank.csv").read_text().replace("Cook", "\x1b[31mred"))
    assert "\x1b" not in run(*PROTECT).stdout


@pytest.mark.parametrize("megabytes", [32, pytest.param(1024, marks=pytest.mark.slow)])
def test_a_very_long_line(megabytes: int, folder: Path) -> None:
    """A gigabyte without a line end is read and refused in seconds, by its line number."""
    with (folder / "long.csv").open("wb") as file:
        file.write(b"Job,Country,Child,Bankruptcy,Rating\nCook,")
        for _ in range(megabytes):
            file.write(b"v" * 2**20)
    result = run("protect", "long.csv", "-p", "bank.yaml", "-o", "r.csv", code=2)
    assert "long.csv, line 2: 2 fields, expected 5" in result.stderr
    (folder / "long.csv").unlink()


def test_parquet_with_nested_and_binary_columns(folder: Path) -> None:
    """They go out unchanged in Parquet, cannot be text, and cannot be counted."""
    nested = bank().with_columns(pl.Series("tags", [["a"]] * 24), pl.Series("photo", [b"\xff"] * 24))
    nested.write_parquet(folder / "bank.parquet")
    run("protect", "bank.parquet", "-p", "bank.yaml", "-o", "r.parquet")
    assert pl.read_parquet(folder / "r.parquet")["photo"].to_list() == [b"\xff"] * 24
    assert "column 'tags' holds List" in run("protect", "bank.parquet", "-p", "bank.yaml", "-o", "r.csv", code=2).stderr
    assert not (folder / "r.csv").exists()
    nested.with_columns(pl.Series("Job", [b"\xff"] * 24)).write_parquet(folder / "bank.parquet")
    result = run("protect", "bank.parquet", "-p", "bank.yaml", "-o", "b.parquet", code=2)
    assert "column 'Job' holds Binary" in result.stderr


def test_a_text_file_that_starts_like_parquet(folder: Path) -> None:
    (folder / "bank.csv").write_text((folder / "bank.csv").read_text().replace("Job,", "PAR1,"))
    (folder / "bank.yaml").write_text((folder / "bank.yaml").read_text().replace("Job", "PAR1"))
    run(*PROTECT)


def test_init_drafts_a_policy_that_can_be_used_at_once(folder: Path) -> None:
    text = run("init", "bank.csv").stdout
    assert "  - infer: {Bankruptcy: {any: true}}" in text
    for value in ("Discharged", "Trader", "Canada"):
        assert value not in text
    out = run("init", "bank.csv", "--out", "draft.yaml", "--secret", "Bankruptcy=Discharged").stdout
    assert "Job, Country: known to others" in out
    assert 'infer: {Bankruptcy: "Discharged"}' in (folder / "draft.yaml").read_text()
    assert "discreet protect bank.csv" in run("check", "draft.yaml", "--table", "bank.csv").stdout
    run("protect", "bank.csv", "-p", "draft.yaml", "-o", "r.csv")
    run("init", "bank.csv", "--out", "draft.yaml", code=2)


SLOW = """
import sys
import time
import {module}

real = {module}.{function}

def wait(*args, **kwargs):
    print("here", flush=True)
    time.sleep(2)
    return real(*args, **kwargs)

{module}.{function} = wait
from discreet.__main__ import main
main()
"""


def interrupted(how: list[signal.Signals], module: str, function: str) -> tuple[int, str, str]:
    """Start a job that waits at some place, send it signals there, and return its exit code and output."""
    # A shell may have told its children to ignore SIGINT.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    words = [sys.executable, "-c", SLOW.format(module=module, function=function), *PROTECT]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "here\n"
            for signal_ in how:
                process.send_signal(signal_)
                time.sleep(0.3)
            out, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, out, errors


@pytest.mark.process
@pytest.mark.parametrize(
    ("how", "module", "function"),
    [
        ([signal.SIGTERM], "discreet.pipeline", "find_plan"),
        ([signal.SIGINT, signal.SIGINT], "discreet.pipeline", "find_plan"),
        ([signal.SIGINT], "discreet.planning.prepared", "open_table"),
        ([signal.SIGINT], "discreet.pipeline", "check"),
        ([signal.SIGINT], "discreet.writing.release", "_stage_intervals"),
    ],
)
def test_an_interrupted_run_writes_nothing(folder: Path, how: list[signal.Signals], module: str, function: str) -> None:
    """Ctrl-C twice, or once when there is nothing safe yet or the result is being verified or written."""
    code, _, errors = interrupted(how, module, function)
    assert code == 2
    assert errors.splitlines()[-1] == "error: interrupted; nothing was written"
    assert sorted(path.name for path in folder.iterdir()) == ["bank.csv", "bank.yaml"]


def test_ctrl_c_that_typer_hears_is_told_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(app_module, "command_line", lambda _: lambda: sys.exit(130))
    with pytest.raises(SystemExit) as end:
        app_module.main()
    assert end.value.code == 2
    assert capsys.readouterr().err == "error: interrupted\n"


@pytest.mark.process
def test_ctrl_c_while_planning_takes_the_safe_result_so_far(folder: Path) -> None:
    code, out, errors = interrupted([signal.SIGINT], "discreet.method.disclosure.search", "Search.step")
    assert code == 0
    assert "Stopped by Ctrl-C: the release is safe" in out
    assert "safe result so far" in errors
    release = d.verify(folder / "release.csv", folder / "bank.yaml", original=folder / "bank.csv")
    assert release.holds


def test_a_pipe_is_refused(folder: Path) -> None:
    """It could be read only once, and its first bytes tell the kind of file."""
    os.mkfifo(folder / "pipe.csv")
    assert "is a pipe" in run("protect", "pipe.csv", "-p", "bank.yaml", "-o", "r.csv", code=2).stderr


def test_check_says_when_k_cannot_be_kept(folder: Path) -> None:
    (folder / "k.yaml").write_text("protect: [{k: 30, over: [Job, Country]}]")
    out = run("check", "k.yaml", "--table", "bank.csv", code=1).stdout
    assert "cannot be kept: with everything hidden the smallest group has 24 rows" in out
    assert "smallest group has 24 rows" in run("protect", "bank.csv", "-p", "k.yaml", "-o", "r.csv", code=1).stderr
    (folder / "k.yaml").write_text("protect: [{k: 0, over: [Job]}]")
    assert "protect[0].k: write 1 or more" in run("check", "k.yaml", code=2).stderr
    (folder / "k.yaml").write_text("protect: [{k: many, over: [Job]}]")
    assert "protect[0].k: write a whole number" in run("check", "k.yaml", code=2).stderr
    (folder / "k.yaml").write_text("protect: [{k: 2, over: [Job], infer: {Bankruptcy: Current}}]")
    assert "has one of 'infer'" in run("check", "k.yaml", code=2).stderr


def test_a_policy_may_ask_for_the_genetic_search(folder: Path) -> None:
    (folder / "genetic.yaml").write_text(
        "search: genetic\ngenetic: {population: 20, iterations: 500, mutation: 0.01, bias: 1.2}\n"
        "suppress: {limit: 50%}\nprotect:\n  - {k: 3, over: [Job, Country]}\n"
    )
    result = run("protect", "bank.csv", "-p", "genetic.yaml", "--out", "g.csv", "--plan", "g.json", "--seed", "1")
    assert "g.csv: 24 rows, verified" in result.stdout
    run("verify", "g.csv", "-p", "genetic.yaml", "--original", "bank.csv")
    plan = d.read_plan("g.json")
    assert plan.policy.genetic == d.Genetic(population=20, iterations=500, mutation=0.01, bias=1.2)
    run("apply", "g.json", "bank.csv", "--out", "again.csv")
    run("protect", "bank.csv", "-p", "genetic.yaml", "--out", "h.csv", "--seed", "1")
    assert (folder / "h.csv").read_bytes() == (folder / "g.csv").read_bytes()
    run("protect", "bank.csv", "-p", "genetic.yaml", "--out", "hurried.csv", "--time-limit", "0")
    (folder / "genetic.yaml").write_text((folder / "genetic.yaml").read_text().replace("1.2", "12"))
    result = run("protect", "bank.csv", "-p", "genetic.yaml", "--out", "bad.csv", code=2)
    assert "genetic.yaml:2: genetic.bias: write 2.0 or less" in result.stderr
    assert not (folder / "bad.csv").exists()
