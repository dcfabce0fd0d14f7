"""The live figures that there are, in the order in which they are reckoned: a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.app.work.figures import FigureKind, Wanted
from discreet.policy import Column

if TYPE_CHECKING:
    from discreet.app.desk import Desk


def _of_table(desk: Desk, **more: Any) -> Wanted | None:
    """Return what a figure about the table alone is reckoned from."""
    table = desk.table_now()
    if table is None:
        return None
    return Wanted((table.key, str(more)), {**table.said, **more})


def _opened(desk: Desk) -> Wanted | None:
    table = desk.table_now()
    return None if table is None else Wanted(table.key, {**table.said, "rows": str(table.rows)})


def _noted(desk: Desk, value: Any) -> None:
    table = desk.table_now()
    if table is not None:
        desk.note_dialect(table, value)


def _drafted(desk: Desk) -> Wanted | None:
    """Return what a draft is made from, where there is a table and no policy yet."""
    return None if desk.now.text.strip() else _of_table(desk)


def _alone(desk: Desk) -> Wanted | None:
    known = desk.known()
    return None if known is None else _of_table(desk, known=list(known))


def _values(desk: Desk) -> Wanted | None:
    """Return what the values of columns that may be made coarser are counted from."""
    policy, table = desk.reading.policy, desk.table_now()
    if policy is None or table is None:
        return None
    columns = {
        name: {"type": said.type, "date_format": said.date_format, "decimal": policy.file.decimal or "."}
        for name, said in ((name, policy.columns.get(name, Column(type="category"))) for name in desk.coarser())
    }
    absent = () if policy.missing is None else policy.missing.values
    return _of_table(desk, columns=columns, missing=[value for value in absent if isinstance(value, str)])


def _of_policy(desk: Desk) -> Wanted | None:
    """Return what a figure about the policy on the table is reckoned from."""
    table, digest = desk.table_now(), desk.policy_digest()
    if table is None or digest is None:
        return None
    return Wanted((table.key, digest), {**table.said, "policy": str(desk.now.policy)})


def _ledger(desk: Desk) -> Wanted | None:
    """Return which ledger is shown, and as of when: that of the latest release that was made with one."""
    kept = next((job.ledger.path for job in desk.jobs.all if job.ledger is not None and job.recorded), None)
    if kept is None:
        return None
    try:
        stamp = (desk.folder.path / kept / "ledger.json").stat().st_mtime_ns
    except OSError:
        stamp = 0
    return Wanted((kept, stamp), {"folder": str(desk.folder.path), "path": kept})


KINDS: tuple[FigureKind, ...] = (
    FigureKind("opened", "table:opened", _opened, _noted),
    FigureKind("looked", "table:looked", _of_table),
    FigureKind("drafted", "table:drafted", _drafted, lambda desk, value: desk.take_draft(value)),
    FigureKind("alone", "policy:alone", _alone),
    FigureKind("values", "groups:values", _values),
    FigureKind("checked", "policy:checked", _of_policy),
    FigureKind("frontier", "policy:frontiers", _of_policy),
    FigureKind("ledger", "ledger:shown", _ledger),
)
