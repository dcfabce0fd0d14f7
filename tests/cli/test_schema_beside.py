"""A drafted policy lets editors check it: its first line names the schema that lies beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools import release

from discreet.policy.schema import HEADER, policy_schema
from tests.commands import run


@pytest.mark.slow
def test_init_writes_the_schema_beside_its_draft(folder: Path) -> None:
    run("init", "bank.csv", "--out", "draft.yaml")
    assert (folder / "draft.yaml").read_text().startswith(HEADER)
    schema = folder / "policy.schema.json"
    assert json.loads(schema.read_text()) == policy_schema()
    schema.write_text('{"title": "A discreet policy", "of": "another version"}')
    run("init", "bank.csv", "--out", "other.yaml")
    assert "another version" in schema.read_text()  # what exists stays
    run("init", "bank.csv", "--out", "other.yaml", "--force")
    assert json.loads(schema.read_text()) == policy_schema()
    assert not run("init", "bank.csv").stdout.startswith(HEADER)  # nothing beside what is only shown


def test_a_file_of_that_name_that_is_no_schema_of_ours_is_let_alone(folder: Path) -> None:
    (folder / "policy.schema.json").write_text("mine")
    run("init", "bank.csv", "--out", "draft.yaml", "--force")
    assert (folder / "policy.schema.json").read_text() == "mine"
    assert "$schema" not in (folder / "draft.yaml").read_text()


def test_a_tag_is_a_release_only_with_its_version_and_a_date() -> None:
    version = release.version()
    assert release.problems(f"v{version}", f"# Changelog\n\n## {version} (2026-12-01)\n") == []
    assert "unreleased" in release.problems(f"v{version}", f"## {version} (unreleased)\n")[0]
    assert "the tag is v9.9.9" in release.problems("v9.9.9", f"## {version} (2026-12-01)\n")[0]
    assert "has no part" in release.problems(f"v{version}", "## 0.0.1\n")[0]
