"""The manifest beside a private plan: which input and policy made which release, when, by which version."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from discreet.private import private_json
from discreet.table.big.files import watched
from discreet.version import __version__

WARNING = "belongs to the plan beside it. Keep it; never publish it."


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(table: Path) -> str:
    """Return the SHA-256 of the file of a table or, where it has several, of their names and hashes, line by line."""
    files = [path for path in watched(table) if path.exists()]
    if len(files) == 1:
        return digest(files[0])
    lines = "".join(f"{digest(path)}  {path.name}\n" for path in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def manifest_path(plan: Path) -> Path:
    """Return where the manifest of a plan stands: plan.json has plan.manifest.json beside it."""
    return plan.with_name(f"{plan.stem}.manifest.json")


def manifest(parts: dict[str, tuple[str, str]]) -> str:
    """Return the manifest as JSON; `parts` has name and SHA-256 of the input, the policy and the release."""
    body = {
        "discreet": __version__,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        **{part: {"name": name, "sha256": sha256} for part, (name, sha256) in parts.items()},
    }
    return private_json(WARNING, body)
