"""The packages that discreet needs, those that its extras bring, and a small job with them."""

from __future__ import annotations

import importlib
import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec

from discreet.assist.health.base import Examined, Health
from discreet.version import __version__

NEEDED, EXTRAS, ITSELF = "packages", "extras", "discreet"
LEAST_PYTHON = (3, 11)
MEANT_FOR = {
    "app": "the app in a browser (discreet app)",
    "attacks": "learners that attack a release",
    "connect": "Spark that runs elsewhere (Spark Connect)",
    "duckdb": "tables larger than memory, SQLite",
    "exact": "exact search, quicker",
    "excel": "Excel files",
    "pandas": "pandas and PyArrow tables",
    "postgres": "tables of PostgreSQL",
    "report": "reports and charts (--report)",
    "spark": "tables on a cluster",
    "stats": "SPSS, Stata and SAS files",
    "zstd": "files packed by Zstandard",
}
"""What an extra is for; others are for those who work on discreet itself."""
_MODULES = {"pyyaml": "yaml", "scikit-learn": "sklearn", "vl-convert-python": "vl_convert"}
_PACKAGE = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*([^;]*)(?:;.*extra == ['\"](\w+)['\"])?")
_BOUND = re.compile(r"(>=|<)\s*([\d.]+)")


def packages() -> Iterator[Examined]:
    """Yield what is found about Python and every package."""
    version = platform.python_version()
    old = sys.version_info[:2] < LEAST_PYTHON
    needs = "install Python 3.11 or newer" if old else ""
    yield Examined(NEEDED, "Python", Health.BROKEN if old else Health.OK, version, needs)
    asked: dict[str, list[tuple[str, str]]] = {}
    for name, bounds, extra in _required():
        if extra is None:
            yield _needed(name, bounds)
        elif extra in MEANT_FOR:
            asked.setdefault(extra, []).append((name, bounds))
    for extra in sorted(asked):
        yield _extra(extra, asked[extra])


def small_job() -> Examined:
    """Return whether a release of a few rows is made and verified."""
    try:
        import polars as pl

        from discreet.pipeline import protect
        from discreet.policy import Policy
        from discreet.verification.promises import verify

        table = pl.DataFrame({"job": list("aabbcc"), "ill": ["flu", "flu", "flu", "no", "no", "no"]})
        policy = Policy.from_dict({"protect": [{"infer": {"ill": "flu"}, "given": ["job"], "at_most": "50%"}]})
        holds = verify(protect(table, policy, seed=0).table, policy, table).holds
    except Exception as error:
        return Examined(ITSELF, "a small job", Health.BROKEN, f"failed ({type(error).__name__})", _AGAIN)
    return (
        Examined(ITSELF, "a small job", Health.OK, "a release was made and verified")
        if holds
        else Examined(ITSELF, "a small job", Health.BROKEN, "its release does not keep its promise", _AGAIN)
    )


_AGAIN = f"install discreet {__version__} again, into an environment of its own"


def _required() -> Iterator[tuple[str, str, str | None]]:
    """Yield the packages that the installed discreet asks for: name, versions, and for which extra."""
    try:
        lines = metadata.requires("discreet") or []
    except metadata.PackageNotFoundError:  # run from its source
        lines = ["narwhals", "numba", "numpy", "polars", "pydantic", "pyyaml", "rich", "typer"]
    for line in lines:
        if found := _PACKAGE.match(line):
            yield found[1], found[2].strip(), found[3]


def _needed(name: str, bounds: str) -> Examined:
    """Return whether a package that nothing works without is there, of a version that fits, and can be loaded."""
    version, advice = _version(name), f"install {name}{bounds}, or discreet again into an environment of its own"
    if version is None:
        return Examined(NEEDED, name, Health.BROKEN, "not installed", advice)
    if not fits(version, bounds):
        return Examined(NEEDED, name, Health.BROKEN, f"{version}, but {bounds} is needed", advice)
    try:
        importlib.import_module(_MODULES.get(name, name))
    except Exception as error:  # whatever a broken package does when it is loaded
        return Examined(
            NEEDED, name, Health.BROKEN, f"{version}, but cannot be loaded ({type(error).__name__})", advice
        )
    return Examined(NEEDED, name, Health.OK, version)


def _extra(extra: str, asked: list[tuple[str, str]]) -> Examined:
    """Return whether the packages of an extra are there."""
    versions = {name: _version(name) for name, _ in asked}
    unfit = [f"{name}{bounds}" for name, bounds in asked if not fits(versions[name] or "", bounds)]
    there = ", ".join(f"{name} {version}" for name, version in versions.items() if version is not None)
    advice = f"for {MEANT_FOR[extra]}: pip install 'discreet[{extra}]'"
    if not unfit:
        return Examined(EXTRAS, extra, Health.OK, there)
    if any(versions[name] for name, bounds in asked if f"{name}{bounds}" in unfit):
        return Examined(EXTRAS, extra, Health.DOUBTFUL, f"{there}; needs {', '.join(unfit)}", advice)
    return Examined(EXTRAS, extra, Health.ABSENT, f"without {', '.join(unfit)}", advice)


def _version(name: str) -> str | None:
    """Return the version of a package that can be found, without loading it."""
    try:
        return metadata.version(name) if find_spec(_MODULES.get(name, name).partition(".")[0]) else None
    except (metadata.PackageNotFoundError, ImportError, ValueError):
        return None


def fits(version: str, bounds: str) -> bool:
    """Whether a version is within bounds as we write them: numbers, at least, and below.

    >>> fits("2.1.0", ">=2,<3"), fits("3.0", "<3,>=2"), fits("1.9", ">=2"), fits("", ">=2"), fits("1", "")
    (True, False, False, False, True)
    """
    if not version:
        return False
    return all((_numbers(version) >= _numbers(bound)) == (how == ">=") for how, bound in _BOUND.findall(bounds))


def _numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers, without zeros at the end; what comes after them does not count."""
    found = [int(part) for part in re.findall(r"\d+", (re.match(r"[\d.]+", version) or [""])[0])]
    while found and not found[-1]:
        found.pop()
    return tuple(found)
