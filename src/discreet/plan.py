"""The plan: everything that turns the table into the release. Private, for it tells what was hidden.

A plan is plain data. It is found by a method, carried out by the engine that holds the rows, kept as JSON by
the owner, and may be used again on new rows of the same kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import InputError
from discreet.intervals import Interval, finder
from discreet.policy import Policy
from discreet.private import private_json
from discreet.scale import Scale
from discreet.version import __version__

if TYPE_CHECKING:
    from discreet.pipeline import Release
    from discreet.table.source import Table

WARNING = "this plan tells what was hidden and why. Keep it; never publish it."
FORM = 2
"""Version of the JSON form; a reader refuses forms it does not know."""
JSON_FIELDS = (
    "recodings", "sampled", "suppressed", "edits", "steps", "kept", "redundant", "detail", "complete", "bound",
)  # fmt: skip


@dataclass(frozen=True)
class Recoding:
    """What becomes of the values of one column: each value with the text that is released for it.

    Numbers and dates are released by `intervals` (ascending); `to` then has the missing values only.
    """

    column: str
    to: tuple[tuple[str | None, str | None], ...]
    intervals: tuple[Interval, ...] = ()

    @property
    def shown(self) -> tuple[str | None, ...]:
        """The values that are released as they are."""
        return tuple(value for value, text in self.to if value == text)

    @property
    def hidden(self) -> tuple[str | None, ...]:
        """The values for which something else is released."""
        return tuple(value for value, text in self.to if value != text)

    @property
    def released(self) -> tuple[str | None, ...]:
        """The texts that may be released, each once."""
        return tuple(dict.fromkeys([*(text for _, text in self.to), *(i.text for i in self.intervals)]))

    def texts(self, values: Sequence[str | None], scale: Scale | None) -> list[str | Unseen | None]:
        """Return what is released for each value, or `UNSEEN` where the plan does not say."""
        to: dict[str | None, str | Unseen | None] = dict(self.to)
        if not self.intervals or scale is None:
            return [to.get(value, UNSEEN) for value in values]
        within = finder(self.intervals)
        return [to[value] if value in to else within(scale.read(value)) or UNSEEN for value in values]


class Unseen(Enum):
    """Stands for a value that a plan says nothing of."""

    UNSEEN = "unseen"


UNSEEN = Unseen.UNSEEN


@dataclass(frozen=True)
class Edit:
    """One cell, by row number of the input (from 1), and the text it gets."""

    row: int
    column: str
    text: str


@dataclass(frozen=True)
class Step:
    """One decision of the search, in order.

    `kind` is `disclose` (a value of a plain column), `specialise` (a taxonomy node) or `split` (an interval, at
    `cut`). `gain` is what the use gains, `loss` how much surer an adversary gets (mean over the promises
    concerned), `score` what the method compared.
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
    """A value that stays hidden (or a node or interval that is not told finer), and why.

    `requirement` is the position in `protect` of the promise that telling it would break, `infers` its
    sensitive value (None for k-anonymity), `hits` of `rows` what the worst group would have had, `cut` where the
    interval would best have been cut; `requirement` is None when telling more would not help the use, or when
    the search was stopped before.
    """

    column: str
    value: str | None
    reason: str
    requirement: int | None = None
    infers: str | None = None
    hits: int | None = None
    rows: int | None = None
    cut: str | None = None


@dataclass(frozen=True, repr=False)
class Plan:
    """Recodings, suppressed rows and edits, with the policy they serve and how they were found."""

    policy: Policy
    columns: tuple[str, ...]
    recodings: tuple[Recoding, ...]
    kinds: Mapping[str, str] = field(default_factory=dict)
    sampled: tuple[int, ...] | None = None
    """The rows that were drawn, where a sample is released."""
    suppressed: tuple[int, ...] = ()
    edits: tuple[Edit, ...] = ()
    steps: tuple[Step, ...] = ()
    kept: tuple[Kept, ...] = ()
    redundant: tuple[str, ...] = ()
    detail: float = 1.0
    """Share of the detail of the changeable columns that is released (1 - LM), on the table it was made for."""
    complete: bool = True
    bound: float | None = None
    """Of what the cut costs the use, on the table it was made for, the share that no cut goes below: 1 when it is
    proven to be a best one, None when nobody looked."""
    version: str = field(default=__version__)

    def __repr__(self) -> str:
        return f"<Plan: {len(self.recodings)} columns, {len(self.steps)} steps; private>"

    def for_new_rows(self) -> Plan:
        """Return the part of the plan that makes sense on other rows: row numbers do not."""
        return replace(self, sampled=None, suppressed=(), edits=(), bound=None)

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
        for name in JSON_FIELDS:
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
                    Recoding(
                        str(item["column"]),
                        tuple(_pair(pair) for pair in item["to"]),
                        tuple(_interval(found) for found in item["intervals"]),
                    )
                    for item in body["recodings"]
                ),
                kinds={str(column): str(kind) for column, kind in body["kinds"].items()},
                sampled=None if body.get("sampled") is None else tuple(int(row) for row in body["sampled"]),
                suppressed=tuple(int(row) for row in body["suppressed"]),
                edits=tuple(Edit(int(item["row"]), str(item["column"]), str(item["text"])) for item in body["edits"]),
                steps=tuple(Step(**item) for item in body["steps"]),
                kept=tuple(Kept(**item) for item in body["kept"]),
                redundant=_texts(body["redundant"]),
                detail=float(body["detail"]),
                complete=bool(body["complete"]),
                bound=_bound(body.get("bound")),
                version=str(body["discreet"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation):
            raise InputError("not a whole plan: a part is missing or has the wrong form") from None
        recoded = [recoding.column for recoding in plan.recodings]
        named = {*recoded, *plan.kinds, *(edit.column for edit in plan.edits)}
        if len(set(recoded)) < len(recoded) or not named <= set(plan.columns):
            raise InputError("not a whole plan: it recodes a column twice or one that is not there")
        if not all(_adjoin(recoding.intervals) for recoding in plan.recodings):
            raise InputError("not a whole plan: its intervals do not adjoin")
        return plan


def _bound(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError("not a share")
    return float(value)


def _texts(values: object) -> tuple[str, ...]:
    found = _values(values)
    if None in found:
        raise TypeError("a text is missing")
    return tuple(text for text in found if text is not None)


def _pair(values: object) -> tuple[str | None, str | None]:
    value, text = _values(values)
    return value, text


def _interval(found: Mapping[str, str | None]) -> Interval:
    text = found["text"]
    if not isinstance(text, str):
        raise TypeError("a text is missing")
    start, stop, low, high = (
        None if found[name] is None else Decimal(str(found[name])) for name in ("start", "stop", "low", "high")
    )
    if any(number is not None and not number.is_finite() for number in (start, stop, low, high)):
        raise ValueError("not a number")
    return Interval(start, stop, text, low, high)


def _adjoin(intervals: Sequence[Interval]) -> bool:
    """Whether each interval begins where the one before it stops, in ascending order, the outermost without end."""
    if not intervals:
        return True
    stops = [interval.stop for interval in intervals[:-1]]
    inner = [stop for stop in stops if stop is not None]
    meet = stops == [interval.start for interval in intervals[1:]] and len(inner) == len(stops)
    ends = intervals[0].start is None and intervals[-1].stop is None
    return meet and ends and all(one < other for one, other in pairwise(inner))


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
    if is_dataclass(item) and not isinstance(item, type):
        return {name: _plain(value) for name, value in vars(item).items()}
    if isinstance(item, tuple):
        return [_plain(part) for part in item]
    return str(item) if isinstance(item, Decimal) else item
