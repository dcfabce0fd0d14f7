"""The job that makes a release: what `discreet protect` does with a plan and reports, told to the server as it goes.

Its files get the names that they will be published under, in a private folder: the manifest has these names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from discreet.app.sitting import write_whole
from discreet.app.work.child import Talk
from discreet.app.work.ledger import joint_in_words, recorded_in
from discreet.app.work.row_file import RowFile, blocks
from discreet.audit.audit import Audit
from discreet.audit.auditing import attacked
from discreet.audit.report.render import NEEDS
from discreet.cli.inputs import refuse_changed, stamp_of
from discreet.cli.show.promises import sensitive_columns, worst_in_words
from discreet.cli.show.why import why_kept
from discreet.common.showing import said, share_done
from discreet.common.watch import Progress
from discreet.ledger.entry import DRAFT
from discreet.pipeline import protect
from discreet.policy import read_policy
from discreet.release import Release
from discreet.table.local import LocalEngine
from discreet.writing.release import write_release

PLANNING = ("plan", "cells")
"""The stages of which the safe result so far can be taken."""
ATTACKING = ("attack", "measure")


def can_report() -> bool:
    """Whether what reports are made with is installed."""
    return all(find_spec(name) is not None for name in NEEDS)


def make(
    talk: Talk,
    folder: str,
    table: str,
    names: Mapping[str, str],
    made: str,
    ledger: Mapping[str, Any] | None,
    time_limit: float | None,
) -> dict[str, Any]:
    """Make a release of `table` (as it is called in `folder`) by the policy in the folder `made`."""
    os.chdir(folder)  # this process is ours alone: the table has the name that the command gives it
    to = Path(made)
    policy, out, plan = (to / names[part] for part in ("policy", "release", "plan"))
    before: dict[str | Path, object] = {path: stamp_of(path) for path in (table, policy)}
    rules = read_policy(policy)
    release = protect(
        table,
        rules,
        time_limit=time_limit,
        progress=telling(talk, PLANNING),
        **({} if ledger is None else recorded_in(ledger, out.name)),
    )
    stopped = talk.stopped
    shown = _shown(release, to)
    talk.tell("made", {**shown, "stopped": stopped and not release.plan.complete})
    talk.go_on()
    audit = attacked(release, name=out.name, time_limit=time_limit, progress=telling(talk, ATTACKING))
    release = replace(release, audit=audit)
    reports = {to / names["report"]: False, to / names["public_report"]: True} if can_report() else {}
    refuse_changed(before)
    talk.tell("progress", {"stage": "write", "words": "writing", "share": None, "seconds": 0.0})
    _keep_audit(audit, to)
    write_release(release, out, plan=plan, sources={"input": table, "policy": policy}, reports=reports)
    files = sorted(path.name for path in to.iterdir() if path.is_file())
    return {"files": files, "leaks": _leaks(audit), "recorded": "" if ledger is None else DRAFT}


def telling(talk: Talk, stages: tuple[str, ...]) -> Callable[[Progress], bool]:
    """Return what hears of the progress, and says False when the owner wants what is safe so far."""

    def hear(progress: Progress) -> bool:
        told = {
            "stage": progress.stage,
            "words": said(progress),
            "share": share_done(progress),
            "seconds": progress.seconds,
            "detail": progress.detail,
        }
        talk.tell("progress", told)
        return not (talk.stopped and progress.stage in stages)

    return hear


def _leaks(audit: Audit) -> int:
    return 0 if audit.attacks is None else sum(attack.leaks for attack in audit.attacks.found)


def _keep_audit(audit: Audit, to: Path) -> None:
    """Keep what the screens show of the attacks; private."""
    from discreet.app.work.attack_page import attack_page

    write_whole(to / "app" / "audit.json", audit.to_json().encode())
    write_whole(to / "app" / "attacks.json", json.dumps(attack_page(audit)).encode())


def _shown(release: Release, to: Path) -> dict[str, Any]:
    """Keep what the screens show of a release, and return it: what changed, why, and whether promises hold."""
    audit, policy = release.audit, release.plan.policy
    sensitive = sensitive_columns(policy)
    (to / "app").mkdir(mode=0o700, exist_ok=True)
    shown = {
        "rows": audit.rows,
        "dropped": audit.dropped,
        "suppressed": audit.suppressed,
        "removed": audit.removed,
        "detail": audit.detail,
        "complete": release.plan.complete,
        "warnings": list(audit.warnings),
        "not_covered": list(audit.not_covered),
        "holds": audit.verification.holds,
        "promises": [
            {
                "promise": after.promise,
                "words": after.in_words,
                "answer": str(after.answer),
                "before": None if was.worst is None else worst_in_words(was.worst, sensitive),
                "now": None if after.worst is None else worst_in_words(after.worst, sensitive),
                "reason": after.reason,
            }
            for was, after in zip(audit.before, audit.promises, strict=True)
        ],
        "columns": _columns(release),
        "why": _why(release),
        "sides": _sides(release, to / "app" / "sides.rows"),
        "usefulness": audit.usefulness.to_dict(),
        "marker": policy.marker,
        "shuffled": release.order is not None,
        "together": None if audit.verification.joint is None else joint_in_words(audit.verification.joint),
        "kept_back": 0 if release.note is None else release.note.held,
        "left_out": 0 if release.note is None else release.note.left_out,
    }
    write_whole(to / "app" / "made.json", json.dumps(shown).encode())
    return shown


def _columns(release: Release) -> list[dict[str, Any]]:
    """Return per column how many cells are as they were, coarser and hidden."""
    audit = release.audit
    left_out = [name for name in release.source.columns if name not in release.engine.columns]
    found = []
    for name in release.source.columns:
        hidden, coarser = audit.hidden_cells.get(name, 0), audit.coarser_cells.get(name, 0)
        kept = audit.rows - hidden - coarser
        found.append({"name": name, "left_out": name in left_out, "hidden": hidden, "coarser": coarser, "kept": kept})
    return found


MOST_REASONS = 20_000
"""Reasons that are kept for the page; the plan has all."""


def _why(release: Release) -> dict[str, dict[str, str]]:
    """Return by column and value (or node, or interval) why it is not told, or not finer."""
    found: dict[str, dict[str, str]] = {}
    for kept in release.plan.kept[:MOST_REASONS]:
        found.setdefault(kept.column, {})[kept.value or ""] = why_kept(kept, release.plan.searched)
    return found


def _sides(release: Release, path: Path) -> dict[str, Any] | None:
    """Write the rows before and after beside each other; None where they are not in memory."""
    released, source = release.engine, release.source
    if not isinstance(released, LocalEngine) or not isinstance(source, LocalEngine):
        return None
    columns = [name for name in source.columns if source.has_text(name)]
    places = np.searchsorted(source.numbers(), released.numbers())
    with RowFile(path) as file:
        for part in blocks(released.rows):
            file.add(*_beside(source.only(places[part]), released.only(np.arange(released.rows)[part]), columns))
    suppressed = released.suppressed_numbers().tolist()[:MOST_REASONS]
    return {
        "columns": columns,
        "released": [name for name in columns if name in released.columns],
        "rows": file.rows,
        "changed": file.changed,
        "suppressed": suppressed,
        "edited": [asdict(edit) for edit in release.plan.edits[:MOST_REASONS]],
    }


def _beside(source: LocalEngine, released: LocalEngine, columns: Sequence[str]) -> tuple[pl.DataFrame, pl.Series]:
    """Return some rows before and after, and which of them have a change."""
    told = [pl.Series("n", source.numbers())]
    changed = pl.Series("changed", [False]).new_from_index(0, source.rows)
    for place, name in enumerate(columns):
        was = source.texts(name).alias(f"b{place}")
        told.append(was)
        if name in released.columns:
            now = released.texts(name).alias(f"a{place}")
            told.append(now)
            changed = changed | was.ne_missing(now)
    return pl.DataFrame(told), changed
