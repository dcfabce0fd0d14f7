"""What the owner chooses for a draft, and what is guessed where he does not: secrets, what is known, who is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from discreet.assist.drafting.looks import ColumnLook
from discreet.assist.drafting.presets import PRESETS, STRICTEST, Preset
from discreet.errors import InputError
from discreet.policy.places import column_hint, did_you_mean
from discreet.table.by_name import by_names

MOST_KNOWN = 6
"""Columns that somebody is first supposed to know."""
MOST_SECRETS = 3
"""Secrets that are chosen without being asked."""


@dataclass(frozen=True)
class DraftChoices:
    """What the owner has chosen; None (or nothing) is left to be guessed.

    `secret` are names of columns, or COLUMN=VALUE; `known` and `identifier` names of columns; `order`
    COLUMN=FIRST,...,LAST.
    """

    secret: Sequence[str] | None = None
    known: Sequence[str] | None = None
    identifier: Sequence[str] | None = None
    preset: str | None = None
    order: Sequence[str] = ()
    no_others: bool = False
    """Whether nothing names people but what `identifier` says."""


@dataclass(frozen=True)
class DraftParts:
    """Which column is what."""

    preset_name: str
    identifiers: Mapping[str, str]
    """Each with its reason."""
    known: tuple[str, ...]
    secrets: Mapping[str, tuple[str, ...]]
    """Each with the values that must not be inferred; none for whichever it is."""
    reasons: Mapping[str, str]
    """Why a column is a secret."""
    unique: float
    """Share of rows that the known columns single out."""
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    guessed: bool = False
    """Whether no secret was named by the owner."""

    @property
    def preset(self) -> Preset:
        """How strict the draft is."""
        return PRESETS[self.preset_name]


def parts_of(frame: pl.DataFrame, looks: Sequence[ColumnLook], said: DraftChoices) -> DraftParts:
    """Return which column is what: as the owner says, else as it seems."""
    columns = [look.name for look in looks]
    preset = said.preset or STRICTEST
    if preset not in PRESETS:
        raise InputError(f"--preset: write one of {', '.join(PRESETS)}{did_you_mean(preset, tuple(PRESETS))}")
    secrets = None if said.secret is None else _secrets(said.secret, columns)
    known = None if said.known is None else tuple(_column(name, columns, "--known") for name in said.known)
    named = [_column(name, columns, "--identifier") for name in said.identifier or ()]
    _refuse_twice({"--secret": list(secrets or ()), "--known": list(known or ()), "--identifier": named})
    orders = _orders(said.order, columns)
    taken = {*(secrets or ()), *(known or ()), *orders}
    identifiers = {
        look.name: "as you say" if look.name in named else str(look.identifier)
        for look in looks
        if look.name in named or (look.identifier is not None and look.name not in taken and not said.no_others)
    }
    left = [look for look in looks if look.name not in identifiers]
    reasons = dict.fromkeys(secrets or (), "as you say")
    if secrets is None:
        found = [look for look in left if look.why_secret and look.distinct > 1 and look.name not in (known or ())]
        found.sort(key=lambda look: look.kind != "icd10")
        reasons = {look.name: str(look.why_secret) for look in found[:MOST_SECRETS]}
        secrets = dict.fromkeys(reasons, ())
    if known is None:
        guessed = _known_columns(frame, [look for look in left if look.name not in secrets])
        known = guessed or _fallback(left, secrets)
    if not known:
        if not secrets:
            raise InputError(
                "every column seems to name people, so there is nothing to release; say with --known COLUMN what "
                "somebody may know of a person, and with --secret COLUMN what nobody may learn"
            )
        known, secrets, reasons = tuple(secrets), {}, {}
    unique = 0.0 if frame.is_empty() else int(frame.select(by_names(list(known))).is_unique().sum()) / frame.height
    known = tuple(name for name in columns if name in known)
    return DraftParts(preset, identifiers, known, secrets, reasons, unique, orders, guessed=said.secret is None)


def _column(name: str, columns: Sequence[str], option: str) -> str:
    if name not in columns:
        hint = column_hint(name, columns) or f" among the {len(columns)}"
        raise InputError(f"{option}: the table has no column {name!r}{hint}")
    return name


def _split(text: str, columns: Sequence[str], option: str) -> tuple[str, str | None]:
    """Return the column that a text names, and what stands behind a sign of equality."""
    if text in columns:
        return text, None
    for place in (place for place, sign in enumerate(text) if sign == "="):
        if text[:place].strip() in columns:
            return text[:place].strip(), text[place + 1 :]
    return _column(text.split("=")[0].strip(), columns, option), None


def _secrets(texts: Sequence[str], columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, value = _split(text, columns, "--secret")
        before = found.get(name, ())
        if name in found and (value is None or not before or value in before):
            raise InputError(f"--secret: {name!r} is named twice; name the column once, or one value at a time")
        found[name] = before if value is None else (*before, value)
    return found


def _orders(texts: Sequence[str], columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, order = _split(text, columns, "--order")
        if order is None:
            raise InputError(
                "--order: write the column and its values from first to last, such as stage=low,medium,high"
            )
        found[name] = tuple(value.strip() for value in order.split(","))
    return found


def _refuse_twice(said: Mapping[str, Sequence[str]]) -> None:
    seen: dict[str, str] = {}
    for option, names in said.items():
        for name in names:
            if name in seen:
                where = f"twice by {option}" if seen[name] == option else f"by {seen[name]} and by {option}"
                raise InputError(f"column {name!r} is named {where}; a column is one thing: name it once")
            seen[name] = option


def _known_columns(frame: pl.DataFrame, looks: Sequence[ColumnLook]) -> tuple[str, ...]:
    """Return the columns that single people out together: the telling ones first, each adding the most."""
    left = [look for look in looks if look.distinct > 1 and look.why_secret is None]
    chosen: list[str] = []
    groups = 1
    while left and len(chosen) < MOST_KNOWN:
        scored = [(look.known_by_name, frame.select(by_names([*chosen, look.name])).n_unique(), look) for look in left]
        _, more, best = max(scored, key=lambda score: score[:2])
        if more <= groups and not best.known_by_name:
            break
        chosen.append(best.name)
        left.remove(best)
        groups = more
    return tuple(chosen)


def _fallback(looks: Sequence[ColumnLook], secrets: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what somebody may know where nothing tells people apart: all that is no secret."""
    return tuple(look.name for look in looks if look.name not in secrets)[:MOST_KNOWN]
