"""Templates of many properties at once, counted anew: any value, an absence, windows, and times what is usual.

A property is known or not of each text: some have it, of some it is not known (hidden, a group of the taxonomy above
it, an interval that is not wholly inside). Its share is that of the rows with it among those of which it is known.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.encoded import Ints
from discreet.policy import GroupPromise, Policy
from discreet.policy.columns import Column
from discreet.policy.requirements import PROMISES
from discreet.policy.requirements.absence import Absence, Not
from discreet.policy.requirements.any_value import Any, AnyBut, AnyValue
from discreet.policy.requirements.times import TimesUsual
from discreet.policy.requirements.value_kinds import ValueKind
from discreet.policy.requirements.within import Window, Within
from discreet.table.engine import Engine
from discreet.verification.figures import GroupFigures
from discreet.verification.text_meanings import TextMeanings
from discreet.verification.vectors import TextCounts, text_counts

Flags = np.ndarray


@dataclass(frozen=True)
class TextProperty:
    """Which texts have a property, and of which it is not known."""

    has: Flags
    open: Flags


@dataclass(frozen=True)
class SaidTexts:
    """The different texts of a column, of which those in `silent` tell nothing."""

    texts: tuple[str | None, ...]
    silent: Flags


@dataclass(frozen=True)
class PromisedProperties:
    """What a promise speaks of."""

    properties: Iterator[TextProperty]
    all_rows: bool = False
    """Whether a person has it only if all her rows do."""
    relative: bool = False
    """Whether it is compared with what is usual."""
    unread: Flags | None = None
    """Texts that cannot be read, which breaks the promise."""

    def coarse(self, person: Ints, text: Ints, group: Ints, groups: int) -> Flags | None:
        """Return the groups with a person (each with each of her texts) who has a text that cannot be read."""
        if self.unread is None or not self.unread.any():
            return None
        return np.bincount(group[person[self.unread[text]]], minlength=groups) > 0


def properties_of(
    texts: tuple[str | None, ...], silent: Flags, policy: Policy, promise: GroupPromise
) -> PromisedProperties:
    """Return the properties that a promise speaks of, by the texts that have them."""
    return SPOKEN_OF[promise.kind](SaidTexts(texts, silent), policy, promise)


def _one_value(said: SaidTexts, policy: Policy, promise: GroupPromise) -> PromisedProperties:
    return PromisedProperties(iter([_named(said, policy.column(promise.column or ""), promise.value)]))


def _every_value(said: SaidTexts, policy: Policy, promise: GroupPromise) -> PromisedProperties:
    assert isinstance(promise, AnyValue)
    return PromisedProperties(_of_values(said, policy.column(promise.column), promise.but))


def _an_absence(said: SaidTexts, policy: Policy, promise: GroupPromise) -> PromisedProperties:
    found = _absent(said, policy.column(promise.column or ""), promise.value)
    return PromisedProperties(iter([found]), all_rows=True)


def _every_window(said: SaidTexts, policy: Policy, promise: GroupPromise) -> PromisedProperties:
    assert isinstance(promise, Window)
    column = policy.column(promise.column)
    found = _windows(said, policy, column, promise.within)
    return PromisedProperties(found, unread=_cannot_be_read(said, policy, column))


def _beside_usual(said: SaidTexts, policy: Policy, promise: GroupPromise) -> PromisedProperties:
    assert isinstance(promise, TimesUsual)
    found = _asked(said, policy, promise.column, promise.asked)
    every, reads = isinstance(promise.asked, Not), isinstance(promise.asked, Within)
    unread = _cannot_be_read(said, policy, policy.column(promise.column)) if reads else None
    return PromisedProperties(found, every, relative=True, unread=unread)


SPOKEN_OF: dict[str, Callable[[SaidTexts, Policy, GroupPromise], PromisedProperties]] = {
    "template": _one_value,
    "any-value": _every_value,
    "absence": _an_absence,
    "window": _every_window,
    "relative": _beside_usual,
}
"""What each kind of promise that limits how sure somebody can be speaks of."""
_OF_COLUMNS = {kind for kind, made in PROMISES.items() if made.template and getattr(made, "column", "") is not None}
assert set(SPOKEN_OF) == _OF_COLUMNS, "a kind that nobody counts"


def any_value(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Any value: the commonest of the values that must not be inferred."""
    counts = text_counts(table, policy, given, promises[0].column or "")
    found = []
    for promise in promises:
        assert isinstance(promise, AnyValue)
        column = policy.column(promise.column)
        if are_values(column):
            found.append(_commonest_text(counts, promise.but))
        else:
            found.append(_commonest(counts, _of_values(counts, column, promise.but)))
    return found


def absence(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """The absence of a value: the rows that are known and have another one."""
    counts = text_counts(table, policy, given, promises[0].column or "")
    found = []
    for promise in promises:
        assert isinstance(promise, Absence)
        found.append(_share(counts, _absent(counts, policy.column(promise.column), promise.value)))
    return found


def windows(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Windows: the fullest of those that begin at a number or at the lower end of an interval."""
    counts = text_counts(table, policy, given, promises[0].column or "")
    found = []
    for promise in promises:
        assert isinstance(promise, Window)
        column = policy.column(promise.column)
        properties = _windows(counts, policy, column, promise.within)
        found.append(replace(_commonest(counts, properties), coarse=_unread(counts, policy, column)))
    return found


def named_value(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """One value of a column whose texts may stand for several: those above it leave it open."""
    counts = text_counts(table, policy, given, promises[0].column or "")
    column = policy.column(promises[0].column or "")
    return [_share(counts, _named(counts, column, promise.value)) for promise in promises]


def occurs(table: Engine, policy: Policy, name: str, value: str | None) -> bool:
    """Whether some text of a column says a value."""
    counts = text_counts(table, policy, (), name)
    return bool(_named(counts, policy.column(name), value).has.any())


def relative(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Times what is usual: the largest of c N / (q n), among the rows of which it is known and among all."""
    counts = text_counts(table, policy, given, promises[0].column or "")
    found = []
    for promise in promises:
        assert isinstance(promise, TimesUsual)
        if isinstance(promise.asked, (Any, AnyBut)) and are_values(policy.column(promise.column)):
            found.append(_times_of_texts(counts, promise.asked.but))
        else:
            found.append(_times(counts, _asked(counts, policy, promise.column, promise.asked)))
            if isinstance(promise.asked, Within):
                unread = _unread(counts, policy, policy.column(promise.column))
                found[-1] = replace(found[-1], coarse=unread)
    return found


def are_values(column: Column) -> bool:
    """Whether each text of a column is a value by itself, so that all can be looked at together."""
    return column.taxonomy is None and column.scale is None and column.form != "set"


def _commonest_text(counts: TextCounts, but: Sequence[str | None]) -> GroupFigures:
    """Return the largest share of any text but some in each group."""
    meant = ~counts.silent & np.array([text not in but for text in counts.texts], dtype=np.bool_)
    above = np.zeros(counts.size, dtype=np.int64)
    kept = meant[counts.text]
    np.maximum.at(above, counts.group[kept], counts.count[kept])
    return GroupFigures(counts.groups, counts.rows, counts.hidden, above, np.maximum(counts.known, 1))


def _times_of_texts(counts: TextCounts, but: Sequence[str | None]) -> GroupFigures:
    """Return how many times as common as in all rows the worst text but some is in each group."""
    meant = ~counts.silent & np.array([text not in but for text in counts.texts], dtype=np.bool_)
    kept = meant[counts.text]
    group, hits, usual = counts.group[kept], counts.count[kept], counts.everywhere[counts.text[kept]]
    above, below = hits * int(counts.known.sum()), usual * counts.known[group]
    if counts.hidden.any():
        above = np.concatenate([above, hits * int(counts.rows.sum())])
        below = np.concatenate([below, usual * counts.rows[group]])
        group, hits = np.concatenate([group, group]), np.concatenate([hits, hits])
    rough, most = above / np.maximum(below, 1), np.zeros(counts.size)
    np.maximum.at(most, group, rough)
    chosen = np.full(counts.size, -1, dtype=np.int64)
    # Floats only choose who is looked at; a margin far above their error keeps every contender in.
    contenders = np.flatnonzero(rough >= most[group] * (1 - 1e-9))
    alone = np.bincount(group[contenders], minlength=counts.size)[group[contenders]] == 1
    chosen[group[contenders[alone]]] = contenders[alone]
    for place in contenders[~alone].tolist():
        best = int(chosen[group[place]])
        ahead = 1 if best < 0 else int(above[place]) * int(below[best]) - int(above[best]) * int(below[place])
        if ahead > 0 or (ahead == 0 and hits[place] > hits[best]):
            chosen[group[place]] = place
    there = chosen >= 0
    figures = [np.where(there, each[chosen], least) if len(each) else np.full(counts.size, least)
               for each, least in ((above, 0), (below, 1), (hits, 0))]  # fmt: skip
    return GroupFigures(counts.groups, counts.rows, counts.hidden, figures[0], figures[1], hits=figures[2])


def _asked(counts: TextCounts | SaidTexts, policy: Policy, column: str, asked: ValueKind) -> Iterator[TextProperty]:
    if isinstance(asked, (Any, AnyBut)):
        yield from _of_values(counts, policy.column(column), asked.but)
    elif isinstance(asked, Not):
        yield _absent(counts, policy.column(column), asked.value)
    elif isinstance(asked, Within):
        yield from _windows(counts, policy, policy.column(column), asked.within or "")
    else:
        (value,) = asked.named()
        yield _named(counts, policy.column(column), value)


def _named(counts: TextCounts | SaidTexts, column: Column, value: str | None) -> TextProperty:
    """Return a value that somebody named: what is above it leaves it open."""
    has, may = TextMeanings(column, counts.texts).of_named(value)
    itself = np.array([text == value for text in counts.texts], dtype=np.bool_)
    return TextProperty(itself | (has & ~counts.silent), counts.silent | may)


def _absent(counts: TextCounts | SaidTexts, column: Column, value: str | None) -> TextProperty:
    has, may = TextMeanings(column, counts.texts).of_named(value)
    return TextProperty(~has & ~may & ~counts.silent, counts.silent | may)


def _of_values(counts: TextCounts | SaidTexts, column: Column, but: Sequence[str | None]) -> Iterator[TextProperty]:
    """Yield every text but some as a property: whoever has it, or something below it or inside it, has it."""
    texts = TextMeanings(column, counts.texts)
    for place in texts.all_but(but, counts.silent):
        has, may = texts.of_text(place)
        yield TextProperty(has & ~counts.silent, counts.silent | may)


def _windows(counts: TextCounts | SaidTexts, policy: Policy, column: Column, width: str) -> Iterator[TextProperty]:
    """Yield every window that begins at a number, or at the lower end of an interval."""
    if column.scale is None:
        return
    wide = Fraction(width.split()[0])
    told = np.zeros(len(counts.texts), dtype=np.bool_)
    found: list[tuple[int, Fraction, Fraction]] = []
    for place, meaning in enumerate(TextMeanings(column, counts.texts).meanings):
        if counts.silent[place]:
            continue
        told[place] = policy.declares_missing(counts.texts[place]) or (meaning.stretches and not meaning.several)
        found += [(place, low, high) for (low, _), (high, _) in meaning.stretches
                  if isinstance(low, Fraction) and isinstance(high, Fraction)]  # fmt: skip
    begins, ends = sorted({low for _, low, _ in found}), sorted({high for _, _, high in found})
    places = np.array([place for place, _, _ in found], dtype=np.int64)
    first = np.array([bisect_left(begins, low) for _, low, _ in found], dtype=np.int64)
    last = np.array([bisect_left(ends, high) for _, _, high in found], dtype=np.int64)
    for at, begin in enumerate(begins):
        has = np.zeros(len(told), dtype=np.bool_)
        has[places[(first >= at) & (last < bisect_right(ends, begin + wide))]] = True
        yield TextProperty(has, ~(told | has))


def _unread(counts: TextCounts, policy: Policy, column: Column) -> Flags:
    """Return the groups with a text that is no number or day, and no interval: nobody knows where it lies."""
    return counts.summed(_cannot_be_read(counts, policy, column)) > 0


def _cannot_be_read(counts: TextCounts | SaidTexts, policy: Policy, column: Column) -> Flags:
    """Return the texts that are no number or day, and no interval."""
    meanings = TextMeanings(column, counts.texts).meanings
    unread = [
        not silent and not meaning.stretches and not policy.declares_missing(text)
        for text, silent, meaning in zip(counts.texts, counts.silent.tolist(), meanings, strict=True)
    ]
    return np.array(unread, dtype=np.bool_)


def _share(counts: TextCounts, one: TextProperty) -> GroupFigures:
    """Return the share of one property in each group."""
    known = below_all(counts, one)
    return GroupFigures(counts.groups, counts.rows, counts.rows - known, counts.summed(one.has), known)


def _commonest(counts: TextCounts, properties: Iterator[TextProperty] | Sequence[TextProperty]) -> GroupFigures:
    """Return the largest share of any of the properties in each group."""
    above, below = np.zeros(counts.size, dtype=np.int64), np.maximum(counts.known, 0)
    for each in properties:
        hits = counts.summed(each.has)
        known = below_all(counts, each)
        larger = hits * np.maximum(below, 1) > above * np.maximum(known, 1)
        above, below = np.where(larger, hits, above), np.where(larger, known, below)
    return GroupFigures(counts.groups, counts.rows, counts.rows - np.maximum(below, 0), above, np.maximum(below, 1))


def below_all(counts: TextCounts, each: TextProperty) -> Ints:
    """Return the rows of each group of which it is known whether they have a property."""
    return counts.rows - (counts.hidden if each.open is counts.silent else counts.summed(each.open))


def _times(counts: TextCounts, properties: Iterator[TextProperty]) -> GroupFigures:
    """Return how many times as common as in all rows the worst of the properties is in each group."""
    all_rows = int(counts.rows.sum())
    best: list[Fraction] = [Fraction(0)] * counts.size
    hits_of, hidden_of = np.zeros(counts.size, dtype=np.int64), counts.hidden.copy()
    rough = np.zeros(counts.size)
    for each in properties:
        hits, known = counts.summed(each.has), below_all(counts, each)
        usual, all_known = int(hits.sum()), int(known.sum())
        if not usual:
            continue
        here = hits / np.maximum(known, 1) * (all_known / usual)
        among_all = hits / np.maximum(counts.rows, 1) * (all_rows / usual)
        now = np.maximum(here, among_all)
        # Floats only choose who is looked at; a margin far above their error keeps every contender in.
        for place in np.flatnonzero((hits > 0) & (now >= rough * (1 - 1e-9))).tolist():
            count = int(hits[place])
            exact = max(
                Fraction(count * all_known, usual * max(int(known[place]), 1)),
                Fraction(count * all_rows, usual * max(int(counts.rows[place]), 1)),
            )
            if (exact, count) > (best[place], hits_of[place]):
                best[place], hits_of[place] = exact, count
                hidden_of[place] = counts.rows[place] - known[place]
        rough = np.maximum(rough, now)
    above = np.array([figure.numerator for figure in best], dtype=np.int64)
    below = np.array([figure.denominator for figure in best], dtype=np.int64)
    return GroupFigures(counts.groups, counts.rows, hidden_of, above, below, hits=hits_of)
