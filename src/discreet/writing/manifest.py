"""The manifest beside a private plan: which input and policy made which plan and release, when, by which version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from discreet.common.private import private_json
from discreet.errors import InputError
from discreet.table.formats.place import place_of
from discreet.version import __version__

WARNING = "belongs to the plan beside it. Keep it; never publish it."


def manifest_path(plan: Path) -> Path:
    """Return where the manifest of a plan stands: plan.json has plan.manifest.json beside it."""
    return plan.with_name(f"{plan.stem}.manifest.json")


def name_of(table: str | Path) -> str:
    """Return what a table or a file is called in the manifest: without its folder, without a user."""
    return place_of(table).name


def refuse_unwritten_names(paths: Iterable[str | Path]) -> None:
    """Refuse names of files that the manifest of a plan cannot write down."""
    for path in map(place_of, paths):
        try:
            path.name.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{path}: its name is not UTF-8 text, so the manifest of the plan cannot name it; rename it, or leave "
                "out --plan"
            ) from None


def refuse_other_plan(path: Path, plan: bytes) -> None:
    """Refuse the contents of a plan's file that are not those its manifest was written for, if it has one.

    Manifests that do not name the plan's hash, as they were written before, say nothing.
    """
    beside = manifest_path(path)
    try:
        told = json.loads(beside.read_text(encoding="utf-8"))
        named = told.get("plan", {}).get("sha256")
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError, AttributeError):
        raise InputError(f"{beside}: cannot be read as the manifest of the plan beside it; restore it") from None
    if named is not None and named != hashlib.sha256(plan).hexdigest():
        raise InputError(
            f"{path}: is not the plan that {beside.name} was written for: it was changed or replaced; restore it, or "
            "make a new plan with `discreet protect --plan`"
        )


def manifest(parts: dict[str, tuple[str, str]]) -> str:
    """Return the manifest as JSON; `parts` has name and SHA-256 of the input, the policy, the plan and the release."""
    body = {
        "discreet": __version__,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        **{part: {"name": name, "sha256": sha256} for part, (name, sha256) in parts.items()},
    }
    return private_json(WARNING, body)
