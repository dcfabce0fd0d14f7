"""Plans in files."""

from __future__ import annotations

from pathlib import Path

from discreet.common.reading import reading_file
from discreet.errors import InputError
from discreet.plan.plan import Plan
from discreet.writing.manifest import refuse_other_plan


def read_plan(path: str | Path) -> Plan:
    """Return the plan in a file written by `discreet protect --plan` or `Plan.to_json`.

    Where a manifest stands beside it, the file must be the one that the manifest was written for.

    Parameters
    ----------
    path
        The file.
    """
    with reading_file(path, missing="there is no such plan"):
        data = Path(path).read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a plan: not UTF-8 text") from None
    refuse_other_plan(Path(path), data)
    try:
        return Plan.from_json(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def read_order(path: str | Path) -> tuple[int, ...]:
    """Return the rows of a release in the order in which they left, as the plan in a file has it."""
    order = read_plan(path).order
    if order is None:
        raise InputError(
            f"{path}: the plan has no order of rows; it has one where rows are shuffled and single cells confidential, "
            "or where rows of persons are shuffled or left out"
        )
    return order
