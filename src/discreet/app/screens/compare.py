"""Compare: the releases of this sitting side by side: what was promised, what is told, what it is good for, attacks."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from discreet.app.desk import Desk
from discreet.app.forms import FormSaid
from discreet.app.policy_text import Unread, data_of, flow
from discreet.app.reading import files_named
from discreet.app.screens.attacks import page_of_attacks
from discreet.app.screens.base import LivePart, Query, Screen, needs_table
from discreet.app.work.jobs import MadeRelease
from discreet.errors import InputError

MOST = 6
"""Releases that stand side by side, the latest ones."""


@dataclass(frozen=True)
class ComparedRelease:
    """A release with what is shown of it."""

    job: MadeRelease
    made: Mapping[str, Any]
    attacks: Mapping[str, Any]
    policy: str


@dataclass(frozen=True)
class ComparedLine:
    """One figure of all releases; `best` marks the best ones."""

    name: str
    cells: tuple[str, ...]
    best: frozenset[int] = frozenset()
    note: str = ""


@dataclass(frozen=True)
class ComparedPart:
    """Lines under one heading."""

    title: str
    lines: tuple[ComparedLine, ...]


def _side_by_side(desk: Desk, query: Query) -> Mapping[str, Any]:
    del query
    every = [each for each in (_release(job) for job in desk.jobs.all) if each is not None]
    shown = every[:MOST][::-1]
    current = [desk.is_current(each.job) for each in shown]
    return {
        "releases": shown,
        "heads": [f"Release {each.job.number}{' (now)' * now}" for each, now in zip(shown, current, strict=True)],
        "left": len(every) - len(shown),
        "parts": _parts(shown),
        "current": current,
        "changes": [_changes(one, other) for one, other in pairwise(shown)],
    }


def _release(job: MadeRelease) -> ComparedRelease | None:
    if job.made is None or job.state != "done":
        return None
    try:
        text = (job.path / job.names["policy"]).read_text("utf-8")
    except OSError:
        return None
    return ComparedRelease(job, job.made, page_of_attacks(job) or {}, text)


def _parts(shown: Sequence[ComparedRelease]) -> list[ComparedPart]:
    return [
        ComparedPart("Promises", tuple(_promises(shown))),
        ComparedPart("Detail", tuple(_detail(shown))),
        ComparedPart("Usefulness", tuple(_useful(shown))),
        ComparedPart("Attacks", tuple(_attacks(shown))),
    ]


def _promises(shown: Sequence[ComparedRelease]) -> Iterator[ComparedLine]:
    """Yield each promise with how the worst group stands, where a release makes it."""
    for promise in dict.fromkeys(each["promise"] for one in shown for each in one.made["promises"]):
        cells = []
        for one in shown:
            found = next((each for each in one.made["promises"] if each["promise"] == promise), None)
            cells.append("not promised" if found is None else _kept(found))
        yield ComparedLine(promise, tuple(cells))


def _kept(found: Mapping[str, Any]) -> str:
    return found["answer"] if not found["now"] else f"{found['answer']}: {found['now']}"


Figure = Callable[[ComparedRelease], float | None]


def _line(
    name: str,
    shown: Sequence[ComparedRelease],
    figure: Figure,
    say: Callable[[float], str],
    *,
    more: bool,
    note: str = "",
) -> ComparedLine:
    """Return a line of figures; `more` is better, or else less is."""
    figures = [figure(one) for one in shown]
    known = [each for each in figures if each is not None]
    best = (max if more else min)(known) if len(set(known)) > 1 else None
    cells = tuple("–" if each is None else say(each) for each in figures)
    return ComparedLine(name, cells, frozenset(n for n, each in enumerate(figures) if each == best is not None), note)


def _share(value: float) -> str:
    return f"{value:.1%}"


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _detail(shown: Sequence[ComparedRelease]) -> Iterator[ComparedLine]:
    yield _line("Detail told", shown, lambda one: one.made["detail"], _share, more=True, note="of what may change")
    yield _line("Rows released", shown, lambda one: one.made["rows"], _whole, more=True)
    gone = "Rows hidden or removed"
    yield _line(gone, shown, lambda one: one.made["suppressed"] + one.made["removed"], _whole, more=False)
    yield _line("Cells hidden", shown, lambda one: _cells(one, "hidden"), _whole, more=False)
    coarser = (_whole(_cells(one, "coarser")) for one in shown)
    yield ComparedLine("Cells made coarser", tuple(coarser))


def _cells(one: ComparedRelease, field: str) -> float:
    return float(sum(each[field] for each in one.made["columns"] if not each["left_out"]))


def _useful(shown: Sequence[ComparedRelease]) -> Iterator[ComparedLine]:
    yield _line("Groups of rows alike", shown, lambda one: one.made["usefulness"]["groups"], _whole, more=True)
    yield _line(
        "Average group", shown, lambda one: one.made["usefulness"]["average"], lambda value: f"{value:,.1f}", more=False
    )
    learned = dict.fromkeys(
        (each["target"], each["learner"], each["score"]) for one in shown for each in one.attacks.get("learned", ())
    )
    for target, learner, score in learned:
        name = f"{target} learned by {learner.replace('_', ' ')}"
        note = "share of wrong guesses" if score == "error" else "share of the variance explained"
        yield _line(name, shown, _learned(target, learner), _share, more=score != "error", note=note)


def _learned(target: str, learner: str) -> Figure:
    def found(one: ComparedRelease) -> float | None:
        every = one.attacks.get("learned", ())
        mine = (each["released"] for each in every if each["target"] == target and each["learner"] == learner)
        return next(mine, None)

    return found


def _attacks(shown: Sequence[ComparedRelease]) -> Iterator[ComparedLine]:
    yield ComparedLine("Verdict", tuple(one.attacks.get("verdict", "not attacked") for one in shown))
    yield _line(
        "Attacks that do better than their comparison",
        shown,
        lambda one: one.attacks.get("leaks"),
        _whole,
        more=False,
    )
    for name in dict.fromkeys(name for one in shown for name in one.attacks.get("best", {})):
        yield _line(f"Best guess of {name}", shown, _best(name), _share, more=False, note=_beside(shown, name))


def _best(name: str) -> Figure:
    def found(one: ComparedRelease) -> float | None:
        best = one.attacks.get("best", {}).get(name)
        return None if best is None else best[0]

    return found


def _beside(shown: Sequence[ComparedRelease], name: str) -> str:
    """Return what the best guesses are compared with."""
    rates = [one.attacks.get("best", {}).get(name, [None, None])[1] for one in shown]
    known = sorted({_share(rate) for rate in rates if rate is not None})
    return f"without the release: {' to '.join(dict.fromkeys((known[0], known[-1])))}" if known else ""


def _changes(one: ComparedRelease, other: ComparedRelease) -> dict[str, Any]:
    """Return what the policies of two releases say differently, a field to a line."""
    lines = list(difflib.unified_diff(_said(one.policy), _said(other.policy), lineterm="", n=0))
    told = [(line[0], line[1:]) for line in lines[2:] if not line.startswith("@@")]
    return {"from": one.job.number, "to": other.job.number, "lines": told}


def _said(policy: str) -> list[str]:
    try:
        data = data_of(policy)
    except Unread:
        return policy.splitlines()
    lines = []
    for name, value in data.items():
        if isinstance(value, list):
            lines += [f"{name}: {flow(each)}" for each in value]
        elif isinstance(value, dict) and name == "columns":
            lines += [f"{name}: {key}: {flow(each)}" for key, each in value.items()]
        else:
            lines.append(f"{name}: {flow(value)}")
    return lines


def _take(desk: Desk, said: FormSaid) -> str | None:
    """Go back to the policy of a release, as a further step that can be undone."""
    job = desk.jobs.get(said.number("n", 1, 10**8))
    if job.table != desk.now.table:
        raise InputError("this release is of another table; open that table first")
    text = (job.path / job.names["policy"]).read_text("utf-8")
    files: dict[str, bytes | None] = {}
    for _, name in files_named(data_of(text)):
        if (job.path / name).is_file() and (job.path / name).resolve().is_relative_to(job.path.resolve()):
            files[name] = (job.path / name).read_bytes()
    desk.write(f"Took the policy of release {job.number}", text, files)
    return "/promises"


SCREEN = Screen(
    "compare",
    "Compare",
    "Put the releases of this sitting side by side, and decide which one is worth publishing.",
    actions={"take": _take},
    parts={"sides": LivePart(_side_by_side, ("job", "state"))},
    needs=needs_table,
)
