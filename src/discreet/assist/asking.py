"""What Python asks before anything is made: does a policy fit a table, and what could a first policy be."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from discreet.assist.check import CheckedPolicy, check_policy
from discreet.assist.draft import PolicyDraft, draft_policy
from discreet.assist.drafting.choices import DraftChoices
from discreet.errors import InputError
from discreet.ledger.note import ledger_asked
from discreet.policy import FileOptions, Policy, as_policy
from discreet.table.frames import frame_of, polars_of
from discreet.table.source import Opening, Table


def check(
    policy: Policy | Mapping[str, Any] | str | Path,
    table: Table | None = None,
    *,
    engine: str | None = None,
    memory_limit: str | int | None = None,
    key: str | None = None,
    ledger: str | Path | None = None,
    person: str | None = None,
    secret: str | Path | None = None,
    new_persons: bool = False,
    row_key: str | None = None,
) -> CheckedPolicy:
    """Return what a policy promises, and with a table whether it fits and what can be kept. Nothing is released.

    Parameters
    ----------
    policy
        The policy, a dictionary, or the path of its file.
    table
        What is to be released, as for `protect`; without it only the policy itself is looked at.
    engine, memory_limit, key, ledger, person, secret, new_persons, row_key
        As for `protect`. With a ledger: who would be matched, new or left, and whether anything could be released.

    Raises
    ------
    InputError, PolicyError
        When the table or the policy cannot be used as they are; with all mistakes at once.

    Examples
    --------
    >>> import discreet as d, polars as pl
    >>> table = pl.DataFrame({"Job": ["cook", "cook", "clerk"], "Ill": ["no", "no", "yes"]})
    >>> found = d.check({"protect": [{"infer": {"Ill": "yes"}, "given": ["Job"], "at_most": "50%"}]}, table)
    >>> found.possible, found.promises[0].now.rows
    (True, 1)
    """
    rules = as_policy(policy)
    use = ledger_asked(rules, ledger, person, secret, new_persons=new_persons, row_key=row_key)
    return check_policy(rules, table, Opening(engine, memory_limit, key), use)


def draft(
    table: Table,
    *,
    secret: Sequence[str] | None = None,
    known: Sequence[str] | None = None,
    identifier: Sequence[str] | None = None,
    preset: str | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    file: FileOptions | Mapping[str, Any] | None = None,
) -> PolicyDraft:
    """Return a first policy for a table, as commented YAML in `text`: to be read, and changed, before it is used.

    Parameters
    ----------
    table
        The path of a file, or a pandas, Polars or PyArrow table.
    secret
        The columns that nobody may infer, each as its name or `"COLUMN=VALUE"`; guessed when absent.
    known
        The columns that an adversary may know; guessed when absent.
    identifier
        The columns that name people and are left out; guessed when absent.
    preset
        `"open-data"`, `"research"` or `"internal"`: how strict the promises are.
    order
        For columns of ordered words their values, from the first to the last.
    file
        How a text file is written; what is not said is found out.

    Raises
    ------
    InputError
        When the table cannot be read, or a choice does not fit it.

    Examples
    --------
    >>> import discreet as d, polars as pl
    >>> table = pl.DataFrame({"age": [31, 45, 31, 28] * 9, "illness": ["flu", "cold", "flu", "cold"] * 9})
    >>> d.draft(table, secret=["illness"]).known
    ('age',)
    """
    options = file if isinstance(file, FileOptions) else FileOptions(**(file or {}))
    orders = [f"{column}={','.join(values)}" for column, values in (order or {}).items()]
    choices = DraftChoices(secret, known, identifier, preset, orders)
    if isinstance(table, str | Path):
        return draft_policy(table, options, choices)
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:  # readable by its owner only, and gone at once
        path = Path(folder) / "table.parquet"
        _frame(table).write_parquet(path)
        return draft_policy(path, options, choices)


def _frame(table: Table) -> pl.DataFrame:
    try:
        return polars_of(frame_of(table))
    except TypeError:
        raise InputError(
            f"{type(table).__name__}: a draft needs a file, or a pandas, Polars or PyArrow table; take some rows of it"
        ) from None
