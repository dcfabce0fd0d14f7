"""Releases of other tools: what only they write, in the words of discreet.

Verification reads intervals in all usual brackets by itself. Here is what it does not, because it could mean something
else: blank cells and `NA` for hidden ones, ranges without brackets, `40+`, sets without blanks, the root of a taxonomy
where nothing else hides a cell. Every reading is counted and said.

Guarantee: texts that differ in the release still differ afterwards. Two ways to write the same thing can be told apart
by everyone who reads the release, so only one of them is read here; the other is left as it is, and counted among what
could not be read. Groups of rows are therefore never larger here than in the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from discreet.columns.scale import Scale
from discreet.columns.sets import set_text
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.policy.bind import bind
from discreet.policy.blind import unsaid_by_blocks
from discreet.policy.columns import Column
from discreet.table.engine import Engine
from discreet.verification.reach import reach

BLANKS = frozenset({"", "*", "NA", "N/A", "<NA>", "NaN", "nan", "null", "NULL", "None"})
"""What other tools write into hidden cells; besides nothing at all, and several stars."""
_INFINITE = re.compile(r"[+-]?(inf|infinity|∞)", re.IGNORECASE)
_SIGNED = re.compile(r"(<=|>=|≤|≥|<|>)\s*(\S.*)")
_BRACKETED = re.compile(r"([\[\](])\s*(\S.*\S|\S)\s*([\])[])")
_LINKS = (" to ", "..", "–", "—", "-")
"""Between the ends of a range; in brackets also a comma (which without them could belong to one number)."""


def adopt(released: Engine, policy: Policy, original: Engine) -> tuple[Engine, tuple[str, ...]]:
    """Return a release with the notations of other tools replaced by those of discreet, and what was read how.

    Parameters
    ----------
    released, policy, original
        The release as it is, the policy that describes its columns, and the table that it was made from.

    Returns
    -------
    Engine, tuple of str
        The release with the same rows; notes with counts of cells, never with a value.
    """
    bound = bind(policy, original.columns)
    may_change = {*bound.changeable, *bound.edited}
    changes: dict[str, Mapping[str | None, str]] = {}
    notes: list[str] = []
    for name in released.columns:
        if name not in original.columns:
            continue
        try:
            column = _Foreign(released, policy, original, name)
        except InputError:  # it has no text form, and goes out as it is
            continue
        if column.read:
            changes[name] = column.read
        notes += column.notes(may_change=name in may_change)
    return (released.reworded(changes) if changes else released), tuple(notes)


class _Foreign:
    """A column as another tool may have written it."""

    def __init__(self, released: Engine, policy: Policy, original: Engine, name: str) -> None:
        counted, source = released.count([name]), original.count([name])
        texts, values = counted.domain(name), source.domain(name)
        self.name, self.marker = name, policy.marker
        self.column: Column = policy.column(name)
        self.cells: dict[str | None, int] = dict(zip(texts, counted.counts.tolist(), strict=True))
        self.before: dict[str | None, int] = dict(zip(values, source.counts.tolist(), strict=True))
        missing = policy.missing.values if policy.missing is not None else ()
        blocks = unsaid_by_blocks(policy)
        found = reach(values, texts, policy.columns.get(name), self.marker, missing, blocks=blocks)
        covering = {text for text, ranges in zip(texts, found.ranges, strict=True) if ranges}
        known = {*self.before, *covering, *self.column.released_labels(), self.marker}
        self.strange = [text for text in texts if text not in known]

    @cached_property
    def blanks(self) -> list[str | None]:
        """The texts that stand for nothing, the commonest first."""
        found = [text for text in self.strange if _is_blank(text)]
        return sorted(found, key=lambda text: -self.cells[text])

    @cached_property
    def root(self) -> str | None:
        """The root of the taxonomy, where it is released and differs from the marker."""
        taxonomy = self.column.taxonomy
        label = None if taxonomy is None else taxonomy.nodes[0].labels[-1]
        return label if label in self.cells and label != self.marker else None

    @cached_property
    def hidden(self) -> dict[str | None, str]:
        """The one text that is read as the marker, where that does not occur itself."""
        if self.marker in self.cells:
            return {}
        if self.blanks:
            return {self.blanks[0]: self.marker}
        return {} if self.root is None else {self.root: self.marker}

    @cached_property
    def coarse(self) -> dict[str | None, str]:
        """The ranges and sets that are read, each by its text here; of several with the same meaning the commonest."""
        taken = {*self.cells, self.marker}
        found: dict[str | None, str] = {}
        for text in sorted(self.strange, key=lambda text: -self.cells[text]):
            meaning = None if text is None or _is_blank(text) else self._meaning(text)
            if meaning is not None and meaning not in taken:
                taken.add(meaning)
                found[text] = meaning
        return found

    @property
    def read(self) -> dict[str | None, str]:
        """What each text is replaced by."""
        return {**self.hidden, **self.coarse}

    def _meaning(self, text: str) -> str | None:
        scale = self.column.scale
        if scale is not None and self.column.released_form == "interval":
            return interval_text(text, scale)
        return _set(text) if self.column.form == "set" else None

    def notes(self, *, may_change: bool) -> Iterator[str]:
        """Yield what was read how, and what could not be read."""
        here = f"column {self.name!r}"
        for text in self.hidden:
            what = "with the root of the taxonomy" if text == self.root and text is not None else "left blank"
            yield f"{here}: {_cells(self.cells[text])} {what} {_are(self.cells[text])} read as hidden"
        if self.coarse:
            cells = sum(self.cells[text] for text in self.coarse)
            what = "sets" if self.column.scale is None else "intervals, both ends of ranges included"
            yield f"{here}: {_cells(cells)} of another tool {_are(cells)} read as {what}"
        more = sum(max(self.cells[t] - self.before[t], 0) for t in self.cells if t in self.before and _is_blank(t))
        if more and may_change:
            yield (
                f"{here}: {_cells(more)} more {_are(more)} blank than in the original, which has blank cells itself; "
                "hidden ones cannot be told from them: hide with another text, or list it under missing.values"
            )
        yield from self._unread(here, may_change=may_change)

    def _unread(self, here: str, *, may_change: bool) -> Iterator[str]:
        twice = [text for text in self.blanks if text not in self.hidden]
        if twice:
            cells = sum(self.cells[text] for text in twice)
            yield (
                f"{here}: hidden cells are written in several ways, which readers can tell apart; "
                f"{_cells(cells)} {_are(cells)} left as written"
            )
        left = [text for text in self.strange if text not in self.read and not _is_blank(text)]
        if left and may_change:
            cells = sum(self.cells[text] for text in left)
            yield f"{here}: {_cells(cells)} could not be read; {self._advice()}"

    def _advice(self) -> str:
        if self.column.scale is not None:
            return f"write intervals of {self.column.scale.name}s as [20, 40) or <=20, each in one way only"
        if self.column.taxonomy is not None:
            return "add the labels to the taxonomy of the column"
        return f"give a taxonomy for column {self.name!r} (or a type, where they are intervals)"


def _is_blank(text: str | None) -> bool:
    return text is None or text.strip() in BLANKS or (len(text) > 0 and not text.strip("*"))


def _cells(number: int) -> str:
    return f"{number} cell{'' if number == 1 else 's'}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


@dataclass(frozen=True)
class _End:
    """An end of an interval; None is infinity."""

    value: Decimal | None


def interval_text(text: str, scale: Scale) -> str | None:
    """Return an interval as verification reads it, however somebody wrote it; None when it is none.

    A range without brackets has both its ends.

    >>> from discreet.columns.scale import Numbers
    >>> [interval_text(text, Numbers()) for text in ("20-40", "[20.0; 40[", "(-Inf,20]", "40+", "> 5", "a-b")]
    ['[20, 40]', '[20, 40)', '<=20', '>=40', '>5', None]
    """
    text = text.strip()
    if text.endswith("+") and (low := scale.read(text[:-1])) is not None:
        return f">={scale.write(low)}"
    if signed := _SIGNED.fullmatch(text):
        end = scale.read(signed[2])
        return None if end is None else f"{signed[1].replace('≤', '<=').replace('≥', '>=')}{scale.write(end)}"
    if bracketed := _BRACKETED.fullmatch(text):
        closed = bracketed[1] == "[", bracketed[3] == "]"
        links = (*_LINKS, ";") if scale.link == "; " else (*_LINKS, ",", ";")  # a comma may belong to a number
        return _between(bracketed[2], scale, links, *closed)
    return _between(text, scale, _LINKS, True, True)


def _between(inside: str, scale: Scale, links: Sequence[str], closed_below: bool, closed_above: bool) -> str | None:
    """Return the interval between two ends, where there is exactly one way to take them apart."""
    found = {ends for separator in links for ends in _ends(inside, separator, scale)}
    if len(found) != 1:
        return None
    ((low, high),) = found
    if low.value is None and high.value is None:
        return None
    if low.value is None:
        assert high.value is not None
        return f"<{'=' if closed_above else ''}{scale.write(high.value)}"
    if high.value is None:
        return f">{'=' if closed_below else ''}{scale.write(low.value)}"
    if low.value > high.value:
        return None
    opening, closing = "[" if closed_below else "(", "]" if closed_above else ")"
    return f"{opening}{scale.write(low.value)}{scale.link}{scale.write(high.value)}{closing}"


def _ends(inside: str, separator: str, scale: Scale) -> Iterator[tuple[_End, _End]]:
    """Yield every way to take an interval apart at a separator; a dash only between numbers that have none."""
    parts = inside.split(separator)
    for place in range(1, len(parts)):
        one, other = separator.join(parts[:place]).strip(), separator.join(parts[place:]).strip()
        if separator == "-" and _may_be_minus(inside, scale):
            continue
        low, high = _end(one, scale, infinity="-"), _end(other, scale, infinity="")
        if low is not None and high is not None:
            yield low, high


def _may_be_minus(inside: str, scale: Scale) -> bool:
    """Whether a dash may belong to a number or a date; not if there is one only, in blanks or between two numbers."""
    if " - " in inside:
        return inside.count(" - ") > 1
    return scale.always_whole or inside.count("-") > 1


def _end(text: str, scale: Scale, infinity: str) -> _End | None:
    if _INFINITE.fullmatch(text) and text.startswith("-") == (infinity == "-"):
        return _End(None)
    value = scale.read(text)
    return None if value is None else _End(value)


def _set(text: str) -> str | None:
    """Return a set of values as it is written here; None when it is none."""
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")) or '"' in text:
        return None
    values = [value.strip() for value in text[1:-1].split(",")]
    return set_text(values) if len(set(values)) == len(values) > 1 and all(values) else None
