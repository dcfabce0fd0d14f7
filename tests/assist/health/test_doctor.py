"""`discreet doctor`: it finds what is broken, goes on where something cannot be examined, and tells no secret."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import pytest

from discreet.assist.health import machine, packages
from discreet.assist.health.base import Health, from_home
from tests.commands import run


def document(code: int = 0) -> dict[str, dict[str, str]]:
    told = json.loads(run("doctor", "--json", code=code).stdout)
    assert told["works"] == (code == 0)
    return {part["name"]: part for part in told["parts"]}


def test_it_names_every_part_and_says_that_it_works() -> None:
    out = run("doctor").stdout
    for part in (
        "Python",
        "polars",
        "numba",
        "duckdb",
        "memory",
        "scratch files",
        "compiled loops",
        "Java",
        "Chromium",
    ):
        assert part in out
    assert "works here." in out.splitlines()[-1]
    assert {*packages.MEANT_FOR} <= {*document()}


def test_the_extras_of_the_package_are_all_explained() -> None:
    """But for those of whoever works on discreet."""
    extras = {*metadata.metadata("discreet").get_all("Provides-Extra", [])}
    assert extras - {"dev", "docs", "browser"} == {*packages.MEANT_FOR}


@pytest.mark.parametrize("name", ["polars", "numba", "pyyaml"])
def test_a_needed_package_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def broken(module: str) -> object:
        raise OSError("Zyzzyva: a library is missing")

    real = importlib.import_module
    module = packages._MODULES.get(name, name)
    monkeypatch.setattr(
        importlib,
        "import_module",
        lambda asked, *more: broken(asked) if asked == module else real(asked, *more),
    )
    found = document(code=2)[name]
    assert found["health"] == "broken"
    assert "cannot be loaded (OSError)" in found["found"]
    assert found["advice"]
    assert "Zyzzyva" not in json.dumps(found)


def test_versions_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    real = metadata.version
    old = {"polars": "1.9.9", "duckdb": "1.0"}
    monkeypatch.setattr(metadata, "version", lambda name: old.get(name) or real(name))
    found = document(code=2)
    assert found["polars"]["health"] == "broken"
    assert "1.9.9, but" in found["polars"]["found"]
    assert found["duckdb"]["health"] == "doubtful"


def test_what_nobody_needs_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda name: None if name in ("duckdb", "psycopg") else sys)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    found = document()
    for name in ("duckdb", "postgres", "Java", "Chromium"):
        assert found[name]["health"] == "absent"
        assert found[name]["advice"]


def test_a_small_job_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a value: Zyzzyva")

    monkeypatch.setattr("discreet.pipeline.protect", fail)
    result = run("doctor", code=2)
    assert "failed (RuntimeError)" in result.stdout
    assert "does not work here: a small job." in result.stdout
    assert "Zyzzyva" not in result.output


def test_a_part_that_cannot_be_examined_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise RuntimeError

    monkeypatch.setattr("discreet.table.machine.machine", fail)
    found = document()
    assert found["memory"] == {
        "part": "machine", "name": "memory", "health": "doubtful", "found": "could not be examined (RuntimeError)",
        "advice": "",
    }  # fmt: skip
    assert "Java" in found


def test_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "gone"))
    assert machine.scratch().health is Health.DOUBTFUL
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "compiled in every run" in machine.kernels().found
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.setattr(os, "access", lambda *_: True)
    (tmp_path / "kept" / "a").mkdir(parents=True)
    (tmp_path / "kept" / "a" / "x.nbi").touch()
    assert machine.kernels().found == f"1 kept; new ones go to {tmp_path / 'kept'}"


@pytest.mark.parametrize(
    ("said", "health"),
    [('openjdk version "17.0.1"', "ok"), ('java version "1.8.0_2"', "doubtful"), ("", "doubtful")],
)
def test_java(monkeypatch: pytest.MonkeyPatch, said: str, health: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(machine, "_said", lambda *_: said)
    assert machine.java().health == health


def test_no_secret_of_the_environment_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not its variables, nor whose home it is: what it prints is put into reports of mistakes."""
    for name in ("PGPASSWORD", "DISCREET_DEBUG", "SPARK_REMOTE", "JAVA_TOOL_OPTIONS", "API_TOKEN", "http_proxy"):
        monkeypatch.setenv(name, "Zyzzyva")
    home = tmp_path / "Zyzzyva"
    (home / "cache").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(home / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(home))
    for words in (("doctor",), ("doctor", "--json")):
        result = run(*words)
        assert "Zyzzyva" not in result.output
        assert "~/cache" in result.output
    assert from_home(home / "cache") == f"~{os.sep}cache"
