"""l-diversity on the command line and in audits: exit codes, figures and columns named, no value, no wrong word."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import polars as pl
import pytest

import discreet as d
from tests.commands import run
from tests.reference.diversity import Diversity, keeps, silent

QUIET = silent()
LONELY = pl.DataFrame(
    {
        "job": ["p", "p", "p", "q", "q", "q", "r", "s"],
        "ill": ["flu", "cold", "hiv", "flu", "cold", "hiv", "ulcer", "ulcer"],
    }
)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    LONELY.write_csv("t.csv")
    Path("p.yaml").write_text("protect: [{l: 3, of: ill, over: [job]}]\n")
    return tmp_path


def words(html: str) -> str:
    """What a page says, without its style and its programs."""
    return re.sub("<[^>]*>", " ", re.sub(r"<(style|script)\b.*?</\1>", " ", html, flags=re.DOTALL))


@pytest.mark.slow
def test_the_commands(files: Path) -> None:
    said = run("check", "p.yaml").stdout
    assert all(re.search(rf"\b{word}\b", said) for word in ("3", "ill", "job"))
    assert "template" not in said.lower()
    assert re.search(r"\b1\b", run("check", "p.yaml", "--table", "t.csv").stdout)  # one value in two groups now
    run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", "--plan", "plan.json", "--report", "r.html")
    rows = pl.read_csv("r.csv", infer_schema=False).to_dicts()
    assert keeps(rows, Diversity(("job",), "ill", 3), QUIET)
    run("verify", "r.csv", "-p", "p.yaml", "--original", "t.csv")
    run("verify", "t.csv", "-p", "p.yaml", code=1)
    run("apply", "plan.json", "t.csv", "-o", "again.csv")
    run("frontier", "t.csv", "-p", "p.yaml")
    page = words((files / "r.html").read_text(encoding="utf-8"))
    assert "template" not in page.lower()
    assert "ill" in page


def test_a_promise_that_cannot_be_kept_ends_with_1(files: Path) -> None:
    Path("p.yaml").write_text("protect: [{l: 5, of: ill, over: [job]}]\n")
    found = run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", code=1)
    assert re.search(r"\b4\b", found.output)
    assert not re.search("flu|cold|hiv|ulcer", found.output)
    assert not (files / "r.csv").exists()
    run("check", "p.yaml", "--table", "t.csv", code=1)


@pytest.mark.parametrize(
    ("item", "named"),
    [
        ("{l: 2, of: ill, over: [job, ill]}", "ill"),
        ("{l: 2, of: illl, over: [job]}", "illl"),
        ("{l: 2, of: ill, over: [jobs]}", "jobs"),
        ("{l: 0, of: ill, over: [job]}", "l"),
        ("{l: -1, of: ill, over: [job]}", "l"),
        ("{l: x, of: ill, over: [job]}", "l"),
        ("{l: 2.5, of: ill, over: [job]}", "l"),
        ("{l: 2, over: [job]}", "of"),
        ("{l: 2, of: ill}", "over"),
        ("{l: 2, of: ill, over: []}", "over"),
        ("{l: 2, of: ill, over: [job, job]}", "over"),
        ("{l: 2, of: [ill], over: [job]}", "of"),
        ("{l: 2, k: 2, of: ill, over: [job]}", "l"),
        ("{l: 2, of: ill, over: [job], kind: even}", "kind"),
        ("{l: 2, of: ill, over: [job], c: 2}", "c"),
    ],
)
def test_mistakes_end_with_2(files: Path, item: str, named: str) -> None:
    Path("p.yaml").write_text(f"protect:\n  - {item}\n")
    found = run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", code=2)
    assert "internal" not in found.output
    assert re.search(rf"\b{named}\b", found.output)
    assert not (files / "r.csv").exists()


# Audits


@pytest.mark.slow
def test_the_audit_fits_its_schema_and_names_the_kind(files: Path) -> None:
    schema = json.loads(run("schema", "--audit").stdout)
    table = pl.read_csv("t.csv", infer_schema=False)
    policy = d.read_policy("p.yaml")
    release = d.protect(table, policy)
    made = release.audit
    seen = d.audit_release(release.table, policy, original=table)
    bad = d.audit_release(table, policy, original=table)
    for audit in (made, seen, bad):
        document = json.loads(audit.to_json())
        jsonschema.Draft202012Validator(schema).validate(document)
        (found,) = document["requirements"]
        assert found["kind"] not in ("template", "k-anonymity")
        assert all(word in found["promise"] for word in ("job", "ill", "3"))
        page = words(audit.to_html())
        assert "template" not in page.lower()
    assert json.loads(made.to_json())["requirements"][0]["answer"] == "holds"
    assert json.loads(bad.to_json())["requirements"][0]["answer"] == "broken"


@pytest.mark.slow
def test_the_command_audits(files: Path) -> None:
    run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv")
    run("audit", "r.csv", "-p", "p.yaml", "--original", "t.csv", "--report", "a.html", "--public-report", "pub.html")
    for name in ("a.html", "pub.html"):
        assert "template" not in words((files / name).read_text(encoding="utf-8")).lower()
    found = run("audit", "t.csv", "-p", "p.yaml", "--original", "t.csv", "--report", "b.html", code=1)
    assert "ill" in found.output
