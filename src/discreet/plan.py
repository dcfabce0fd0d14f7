"""The plan: everything that turns the table into the release. Private, for it tells what was hidden.

A plan is plain data. It is found by a method, carried out by the engine that holds the rows, kept as JSON by
the owner, and may be used again on new rows of the same kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import InputError
from discreet.policy import Policy
from discreet.private import private_json
from discreet.version import __version__

if TYPE_CHECKING:
    from discreet.pipeline import Release
    from discreet.table.source import Table

WARNING = "this plan tells what was hidden and why. Keep it; never publish it."
FORM = 1
"""Version of the JSON form; a reader refuses forms it does not know."""


@dataclass(frozen=True)
class Recoding:
    """What becomes of the values of one column: each occurring value with the text that is released for it."""

    column: str
    to: tuple[tuple[str | None, str | None], ...]

    @property
    def shown(self) -> tuple[str | None, ...]:
        """The values that are released as they are."""
        return tuple(value for value, text in self.to if value == text)

    @property
    def hidden(self) -> tuple[str | None, ...]:
        """The values for which something else is released."""
        return tuple(value for value, text in self.to if value != text)


@dataclass(frozen=True)
class Edit:
    """One cell, by row number of the input (from 1), and the text it gets."""

    row: int
    column: str
    text: str


@dataclass(frozen=True)
class Step:
    """One decision of the search, in order.

    `gain` is what the use gains, `loss` how much surer an adversary gets (mean over the templates
    concerned), `score` what the method compared. `cut` is where a number was split (plain values have none).
    """

    column: str
    value: str | None
    kind: str
    score: float
    gain: float
    loss: float
    cut: str | None = None


@dataclass(frozen=True)
class Kept:
    """A value that stays hidden, and why.

    `requirement` is the position in `protect` of the template that showing the value would break, `infers` its
    sensitive value, `hits` of `rows` what the worst group would have had; `requirement` is None when showing
    the value would not help the use, or when the search was stopped before.
    """

    column: str
    value: str | None
    reason: str
    requirement: int | None = None
    infers: str | None = None
    hits: int | None = None
    rows: int | None = None


@dataclass(frozen=True, repr=False)
class Plan:
    """Recodings, suppressed rows and edits, with the policy they serve and how they were found."""

    policy: Policy
    columns: tuple[str, ...]
    recodings: tuple[Recoding, ...]
    kinds: Mapping[str, str] = field(default_factory=dict)
    suppressed: tuple[int, ...] = ()
    edits: tuple[Edit, ...] = ()
    steps: tuple[Step, ...] = ()
    kept: tuple[Kept, ...] = ()
    redundant: tuple[str, ...] = ()
    complete: bool = True
    version: str = field(default=__version__)

    def __repr__(self) -> str:
        return f"<Plan: {len(self.recodings)} columns, {len(self.steps)} steps; private>"

    def for_new_rows(self) -> Plan:
        """Return the part of the plan that makes sense on other rows: row numbers do not."""
        return replace(self, suppressed=(), edits=())

    def apply(self, table: Table) -> Release:
        """Carry the plan out on new rows of the same kind, and verify the result like any other.

        A row with a value that the plan has never seen is suppressed.

        Raises
        ------
        BrokenPromise
            When the new rows do not keep the policy's promises under this plan.
        """
        from discreet.pipeline import apply

        return apply(self, table)

    def to_json(self) -> str:
        """Return the plan as JSON that `Plan.from_json` takes; its first line says that it is private."""
        body: dict[str, Any] = {"form": FORM, "discreet": self.version, "policy": self.policy.to_dict()}
        body |= {"columns": self.columns, "kinds": dict(self.kinds)}
        for name in ("recodings", "suppressed", "edits", "steps", "kept", "redundant", "complete"):
            value = getattr(self, name)
            body[name] = [_plain(item) for item in value] if isinstance(value, tuple) else value
        return private_json(WARNING, body)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Return the plan written by `to_json`."""
        try:
            body = json.loads(text)
        except (json.JSONDecodeError, RecursionError):
            raise InputError("not a plan: not valid JSON") from None
        if not isinstance(body, Mapping) or "form" not in body:
            raise InputError("not a plan written by discreet")
        if body["form"] != FORM:
            raise InputError(f"the plan has form {body['form']!r}; this version of discreet reads form {FORM}")
        try:
            plan = cls(
                policy=Policy.from_dict(body["policy"]),
                columns=_texts(body["columns"]),
                recodings=tuple(
                    Recoding(str(item["column"]), tuple(_pair(pair) for pair in item["to"]))
                    for item in body["recodings"]
                ),
                kinds={str(column): str(kind) for column, kind in body["kinds"].items()},
                suppressed=tuple(int(row) for row in body["suppressed"]),
                edits=tuple(Edit(int(item["row"]), str(item["column"]), str(item["text"])) for item in body["edits"]),
                steps=tuple(Step(**item) for item in body["steps"]),
                kept=tuple(Kept(**item) for item in body["kept"]),
                redundant=_texts(body["redundant"]),
                complete=bool(body["complete"]),
                version=str(body["discreet"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError("not a whole plan: a part is missing or has the wrong form") from None
        recoded = [recoding.column for recoding in plan.recodings]
        named = {*recoded, *plan.kinds, *(edit.column for edit in plan.edits)}
        if len(set(recoded)) < len(recoded) or not named <= set(plan.columns):
            raise InputError("not a whole plan: it recodes a column twice or one that is not there")
        return plan


def _texts(values: object) -> tuple[str, ...]:
    found = _values(values)
    if None in found:
        raise TypeError("a text is missing")
    return tuple(text for text in found if text is not None)


def _pair(values: object) -> tuple[str | None, str | None]:
    value, text = _values(values)
    return value, text


def _values(values: object) -> tuple[str | None, ...]:
    if not isinstance(values, list) or not all(value is None or isinstance(value, str) for value in values):
        raise TypeError("not a list of texts")
    return tuple(values)


def read_plan(path: str | Path) -> Plan:
    """Return the plan in a file written by `discreet protect --plan` or `Plan.to_json`."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such plan") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a plan: not UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        return Plan.from_json(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _plain(item: Any) -> object:
    return asdict(item) if is_dataclass(item) and not isinstance(item, type) else item
