"""What is done with a ledger of earlier releases: a draft is published in it, and it is shown. Never who is in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.app.work.child import Talk
from discreet.errors import InputError
from discreet.ledger.entry import PUBLISHED
from discreet.table.digests import digest_of
from discreet.verification.joint import JointVerification
from discreet.writing.ledger import Ledger

ANOTHER = (
    "{}: the ledger has another draft of this name, made later; publish that one, or make this release again to record "
    "it once more"
)


def recorded_in(ledger: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what `protect` is told of a ledger: `--ledger`, `--person`, `--new-persons`."""
    told = {"ledger": ledger["path"], "person": ledger["person"], "new_persons": ledger["new_persons"]}
    return {**told, "name": name}


def publish(
    talk: Talk, folder: str, table: str, names: Mapping[str, str], made: str, ledger: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Count everything once more, and let a release count from now on: `discreet ledger publish`."""
    del talk, table
    os.chdir(folder)
    if ledger is None:
        raise InputError("this release was made without a ledger")
    kept, name = Ledger(ledger["path"]), names["release"]
    drafts = {entry.name: entry.sha256 for entry in kept.releases()}
    if name in drafts and drafts[name] != digest_of(Path(made) / name):
        raise InputError(ANOTHER.format(name))
    kept.publish(name)
    return {"recorded": PUBLISHED}


def shown(talk: Talk, folder: str, path: str) -> dict[str, Any]:
    """Say which releases a ledger has, and whether their promises hold together: `discreet ledger show`."""
    del talk
    os.chdir(folder)
    kept = Ledger(path)
    entries, joint = kept.releases(), kept.check()
    listed = [
        {
            "name": entry.name,
            "state": entry.state,
            "time": entry.time,
            "persons": entry.persons,
            "columns": len(entry.columns),
        }
        for entry in entries
    ]
    return {"path": path, "releases": listed, "together": None if joint is None else joint_in_words(joint)}


def joint_in_words(joint: JointVerification) -> dict[str, Any]:
    """Return what was found on several releases together."""
    return {
        "releases": list(joint.releases),
        "known": joint.matched,
        "new": joint.new,
        "left": joint.left,
        "unlinked": ", ".join(joint.unlinked),
        "promises": [
            {
                "promise": finding.promise,
                "answer": str(finding.answer),
                "persons": finding.persons,
                "of": list(finding.of),
                "about": finding.about,
            }
            for finding in joint.findings
        ],
    }
