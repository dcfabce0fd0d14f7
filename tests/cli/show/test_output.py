"""What goes to the terminal and into logs: what is private says so, the verdict has no value, texts do no harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.cli.show.verdict import MOST
from tests.commands import run

VALUES = ("Trader", "Cook", "UK", "Canada", "Discharged")
PROTECT = ("protect", "bank.csv", "--policy", "bank.yaml", "--out", "release.csv")
AUDIT = ("audit", "release.csv", "-p", "bank.yaml", "--original", "bank.csv")


@pytest.mark.slow
def test_output_that_tells_of_people_says_first_that_it_is_private(folder: Path) -> None:
    for words in (
        (*PROTECT, "--plan", "plan.json"),
        ("apply", "plan.json", "bank.csv", "--out", "again.csv"),
        AUDIT,
        ("check", "bank.yaml", "--table", "bank.csv"),
        ("frontier", "bank.csv", "-p", "bank.yaml", "--thresholds", "75%"),
    ):
        assert run(*words).stdout.startswith("PRIVATE: "), words
    assert run("verify", "bank.csv", "-p", "bank.yaml", code=1).stdout.startswith("PRIVATE: ")
    assert not run("verify", "release.csv", "-p", "bank.yaml").stdout.startswith("PRIVATE")  # anybody counts the same
    assert not run("check", "bank.yaml").stdout.startswith("PRIVATE")
    told = json.loads(run("check", "bank.yaml", "--table", "bank.csv", "--json").stdout)
    assert next(iter(told)) == "private"


@pytest.mark.slow
def test_quiet_prints_a_verdict_without_values(folder: Path) -> None:
    jobs = {
        (*PROTECT, "--plan", "plan.json"): "Verified: release.csv, 24 rows: every promise holds.",
        ("apply", "plan.json", "bank.csv", "--out", "again.csv"): "Verified: again.csv against the policy in the plan",
        ("verify", "release.csv", "-p", "bank.yaml"): "release.csv: every promise holds",
        AUDIT: "Verified: release.csv, 24 rows: every promise holds.",
    }
    for words, verdict in jobs.items():
        result = run(*words, "--quiet")
        assert result.stdout.startswith(verdict)
        assert not [value for value in VALUES if value in result.output]
    broken = run("verify", "bank.csv", "-p", "bank.yaml", "-q", code=1)
    assert broken.output == "bank.csv: a promise is broken\n"
    assert "leave out --quiet or --json" in run(*PROTECT, "--force", "--quiet", "--json", code=2).stderr


@pytest.mark.slow
def test_the_output_ends_with_the_files_written_and_the_attacks_that_succeed(folder: Path) -> None:
    options = ("--plan", "plan.json", "--report", "report.html", "--public-report", "public.html", "--seed", "1")
    lines = run(*PROTECT, *options).stdout.splitlines()
    assert lines[-3] == "Verified: release.csv, 24 rows: every promise holds."
    assert "comparison" in lines[-2]
    written, private = lines[-1], ("report.html", "plan.json", "plan.manifest.json")
    assert written.startswith("Written: release.csv, ")
    assert all(f"{name} (private)" in written for name in private)
    assert "public.html" in written
    assert "public.html (private)" not in written


@pytest.mark.slow
def test_the_verdict_names_the_attacks_that_succeed(folder: Path) -> None:
    rows = [
        f"p{row % 100},{'yes' if (row % 100) * 37 % 101 % 2 else 'no'}" for row in range(200)
    ]  # pairs share a secret
    for name in ("bank.csv", "release.csv"):
        (folder / name).write_text("\n".join(["Job,Ill", *rows, ""]))
    (folder / "bank.yaml").write_text("protect: [{infer: {Ill: 'yes'}, given: [Job], at_most: 100%}]")
    audit = json.loads(run(*AUDIT, "--seed", "1", "--json").stdout)
    leaks = [attack for attack in audit["attacks"]["attacks"] if attack["leaks"]]
    assert leaks, "a table released as it is tells something"
    out = run(*AUDIT, "--seed", "1", "--quiet").stdout
    assert f"{len(leaks)} of {len([a for a in audit['attacks']['attacks'] if a['released']['tries']])} attacks" in out
    assert all(f"{attack['name']} guesses {attack['target']}: " in out for attack in leaks[:MOST])
    assert (f" and {len(leaks) - MOST} more" in out) == (len(leaks) > MOST)


EVIL = "J\x1b[2Jo\x7fb\x9b31m\u202e[red]"
RAW = ("\x1b", "\x7f", "\x9b", "\u202e")
FORGED = "Verified: all is well"


@pytest.mark.slow
def test_names_and_policies_cannot_steer_the_terminal(folder: Path) -> None:
    """Neither names of columns nor texts of a policy or plan reach the terminal raw, nor begin a line of their own."""
    name = f"{EVIL}\n{FORGED}"
    table = (folder / "bank.csv").read_text().replace("Job", f'"{name}"')
    (folder / "bank.csv").write_text(table)
    policy = {
        "protect": [{"infer": {"Bankruptcy": "Discharged"}, "given": [name, "Country"], "at_most": "75%"}],
        "columns": {"Child": {"role": "other"}},
    }
    (folder / "bank.yaml").write_text(json.dumps(policy))
    (folder / "strict.yaml").write_text(json.dumps(policy).replace("75%", "1%"))
    (folder / "wrong.yaml").write_text(json.dumps({**policy, EVIL: 1}))
    checked = ("check", "bank.yaml", "--table", "bank.csv")
    jobs: list[tuple[tuple[str, ...], int]] = [
        ((*PROTECT, "--plan", "plan.json"), 0),
        (("apply", "plan.json", "bank.csv", "--out", "again.csv"), 0),
        ((*AUDIT, "--seed", "1"), 0),
        ((*AUDIT, "--seed", "1", "--json"), 0),
        (("verify", "release.csv", "-p", "bank.yaml"), 0),
        (("verify", "release.csv", "-p", "bank.yaml", "--json"), 0),
        (checked, 0),
        ((*checked, "--json"), 0),
        (("frontier", "bank.csv", "-p", "bank.yaml", "--thresholds", "75%"), 0),
        (("init", "bank.csv", "--out", "draft.yaml"), 0),
        (("protect", "bank.csv", "-p", "strict.yaml", "--out", "other.csv"), 1),
        (("check", "wrong.yaml"), 2),
        (("taxonomy", "bank.csv", EVIL), 2),
    ]
    for words, code in jobs:
        out = run(*words, code=code).output
        assert [sign for sign in RAW if sign in out] == [], words
        assert not any(line.startswith(FORGED) for line in out.splitlines()), words
    assert "J\\x1b[2Jo\\x7fb\\x9b31m\\u202e[red]" in run("verify", "release.csv", "-p", "bank.yaml").stdout
    found = json.loads(run(*checked, "--json").stdout)
    assert name in found["promises"][0]["now"]["group"], "JSON is read back as it was"


def test_a_file_without_header_does_not_tell_its_first_row(folder: Path) -> None:
    """A cell of the first row that is like a name of the policy is not offered as its right spelling."""
    (folder / "bare.csv").write_text("Jobb,Countryy,Yes,Bankrupt,Rated\nCook,US,No,Never,Bad\n")
    for words in (
        ("protect", "bare.csv", "-p", "bank.yaml", "--out", "release.csv"),
        ("check", "bank.yaml", "--table", "bare.csv"),
        ("taxonomy", "bare.csv", "Job"),
        ("verify", "bare.csv", "-p", "bank.yaml"),
    ):
        result = run(*words, code=1 if words[0] == "verify" else 2)
        assert not [cell for cell in ("Jobb", "Countryy", "Bankrupt'", "Rated") if cell in result.output], words
