"""Codes by their beginnings: 12345, 1234*, 123**."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from discreet.assist.proposing.column import MOST_STRAYS
from discreet.assist.proposing.grouping import NOT_IN_ANY, GroupLevel, ProposedGroups, refuse_levels, thinned
from discreet.errors import InputError

MOST_LEVELS = 6
SHORTEST, LONGEST = 2, 20
"""Characters of codes that are found out; any others must be asked for."""
_BRITISH = re.compile(r"([A-Z]{1,2})(\d[A-Z\d]?) (\d)([A-Z]{2})", re.ASCII)
_BRITISH_STEPS = ("sector", "district", "area")


def prefixes(values: Sequence[str], steps: Sequence[str] | None, levels: int | None) -> ProposedGroups:
    """Return the codes by ever shorter beginnings; those of another shape are strays.

    >>> found = prefixes(["10115", "10117", "10243", "12043", "80331"], None, None)
    >>> for level in found.levels:
    ...     print(level.labels)
    ['1011*', '1024*', '1204*', '8033*']
    ['10***', '12***', '80***']
    ['1****', '8****']
    """
    codes = shaped(values) or list(values)
    known = set(codes)
    strays = [value for value in values if value not in known]
    if steps is None and all(map(_BRITISH.fullmatch, codes)):
        made = _useful([_level(codes, step, _british(step)) for step in _BRITISH_STEPS], len(codes))
    elif steps is None:
        longest = min(max(map(len, codes)), LONGEST)
        made = _useful([_cut(codes, kept) for kept in range(longest - 1, 0, -1)], len(codes))
    else:
        cuts = [_cut(codes, kept) for kept in _checked(steps, max(map(len, codes)))]
        made = [
            level
            for level, finer in zip(cuts, [None, *cuts], strict=False)
            if finer is None or level.groups != finer.groups
        ]
    if steps is None:
        refuse_levels(levels, len(made), "prefixes")
        wanted = levels if levels is not None else min(len(made), MOST_LEVELS)
        made = [made[place] for place in thinned(range(len(made)), wanted)]
    return ProposedGroups(sorted(codes), _in_order(made, codes), strays, "other codes")


def shaped(values: Sequence[str]) -> list[str]:
    """Return the values that are codes of the most usual shape, if nearly all are; else none.

    A shape is: British postcodes; one length, with the same signs between letters and digits; or the same beginning
    of letters and digits with more or less behind it (E11, E11.9). Every code has a digit.

    >>> shaped(["SW1A 1AA", "M1 1AE", "n/a"]), shaped(["E11", "E11.9", "J45.0"]), shaped(["flu", "HIV"])
    ([], ['E11', 'E11.9', 'J45.0'], [])
    """
    shapes: tuple[Callable[[str], str | None], ...] = (_british_shape, _even_shape, _growing_shape)
    for shape in shapes:
        found = {value: shape(value) for value in values}
        usual = Counter(form for form in found.values() if form is not None).most_common(1)
        if usual and len(values) - usual[0][1] <= MOST_STRAYS * len(values):
            return [value for value, form in found.items() if form == usual[0][0]]
    return []


def _british_shape(value: str) -> str | None:
    return "postcode" if _BRITISH.fullmatch(value) else None


def _even_shape(value: str) -> str | None:
    """The length and the signs between letters and digits."""
    if not SHORTEST <= len(value) <= LONGEST or not _is_code(value):
        return None
    return re.sub(r"[^\W_]", "x", value)


def _growing_shape(value: str) -> str | None:
    """The kinds of the first three signs, if the code may go on after them."""
    beginning = re.match(r"[A-Za-z]\d\d|\d\d\.(?=\d)|[A-Za-z]\d", value, re.ASCII)
    if beginning is None or len(value) > LONGEST or not _is_code(value):
        return None
    return re.sub(r"\d", "9", re.sub(r"[A-Za-z]", "a", beginning[0]))


def _is_code(value: str) -> bool:
    return re.fullmatch(r"[^\W_]+([ ./-][^\W_]+)*", value) is not None and re.search(r"\d", value) is not None


def _british(step: str) -> Callable[[str], str]:
    def label(code: str) -> str:
        parts = _BRITISH.fullmatch(code)
        assert parts is not None
        area, district, sector, _ = parts.groups()
        if step == "area":
            return f"{area} (area)"
        return f"{area}{district} {sector}**" if step == "sector" else f"{area}{district} ***"

    return label


def _cut(codes: Sequence[str], kept: int) -> GroupLevel:
    """The level of beginnings of so many characters; a star for each other one, or one for any number of them."""
    even = len(set(map(len, codes))) == 1

    def label(code: str) -> str | None:
        if even:
            return code[:kept] + re.sub(r"[^\W_]", "*", code[kept:])
        return f"{code[:kept]}*" if len(code) >= kept else None

    return _level(codes, str(kept), label)


def _level(codes: Sequence[str], name: str, label: Callable[[str], str | None]) -> GroupLevel:
    labels = [label(code) for code in codes]
    used = dict.fromkeys(text for text in labels if text is not None)
    places = {text: place for place, text in enumerate(used)}
    return GroupLevel(name, [NOT_IN_ANY if text is None else places[text] for text in labels], list(places))


def _useful(levels: Sequence[GroupLevel], distinct: int) -> list[GroupLevel]:
    """Return the levels that bring something together, and not everything."""
    useful, before = [], distinct
    for level in levels:
        alone = sum(group == NOT_IN_ANY for group in level.groups)
        if 1 < len(level.labels) + alone < before:
            useful.append(level)
            before = len(level.labels) + alone
    return useful


def _in_order(levels: Sequence[GroupLevel], codes: Sequence[str]) -> list[GroupLevel]:
    """Return the levels with the groups of the codes in alphabetical order."""
    order = sorted(range(len(codes)), key=codes.__getitem__)
    return [GroupLevel(level.name, [level.groups[place] for place in order], level.labels) for level in levels]


def _checked(steps: Sequence[str], longest: int) -> list[int]:
    kept = [int(step) if step.isascii() and step.isdigit() else 0 for step in steps]
    if not all(0 < number < longest for number in kept) or sorted(set(kept), reverse=True) != kept:
        raise InputError("steps: for prefixes write how many characters are kept, fewer and fewer, such as 4,3,2")
    return kept
