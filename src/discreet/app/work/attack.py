"""The job that attacks a release anew, thoroughly: what `discreet audit --thorough` does."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.app.sitting import write_whole
from discreet.app.work.attack_page import attack_page
from discreet.app.work.child import Talk
from discreet.app.work.jobs import REPORT
from discreet.app.work.release import ATTACKING, can_report, telling
from discreet.audit.auditing import audit_release
from discreet.writing.plan_file import read_plan


def again(
    talk: Talk, folder: str, table: str, names: Mapping[str, str], made: str, ledger: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Attack the release in the folder `made` with all the time that it takes; private files beside it are renewed."""
    os.chdir(folder)
    to = Path(made)
    audit = audit_release(
        to / names["release"],
        to / names["policy"],
        table,
        thorough=True,
        order=read_plan(to / names["plan"]).order,
        progress=telling(talk, ATTACKING),
        ledger=None if ledger is None else ledger["path"],
        person=None if ledger is None else ledger["person"],
    )
    page = attack_page(audit)
    if can_report():
        write_whole(to / "app" / REPORT, audit.to_html().encode())
    write_whole(to / "app" / "audit.json", audit.to_json().encode())
    write_whole(to / "app" / "attacks.json", json.dumps(page).encode())
    return {"leaks": page["leaks"]}
