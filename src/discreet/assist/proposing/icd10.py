"""Codes of ICD-10 by category, block and chapter: E11.9, E11.-, E08-E14, E00-E90.

Ranges are those of the WHO's classification (compared with its edition of 2016), widened where a national one
(ICD-10-CM, ICD-10-GM) has more codes beside them, so that each label covers what it says. A category of ICD-10-CM that
ends with a letter (C7A) is in no block: it stands beside the numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from discreet.assist.proposing.column import MOST_STRAYS, words_of
from discreet.assist.proposing.grouping import NOT_IN_ANY, GroupLevel, ProposedGroups, refuse_levels, thinned
from discreet.errors import InputError

STEPS = ("category", "block", "chapter")
CODE = re.compile(r"([A-Z])(\d[\dAB])(?:\.-|\.?[0-9A-Z]{1,4})?[-+*!]?", re.ASCII)
"""A code: its letter, two digits (or a digit and a letter), and what may come behind."""
_NAMES = re.compile(r"icd|diag|\bdx|\bdg\b|\bcim\b|\bcim10|\bcie\b|\bcie10|\bcid\b|\bcid10|morbid|cause|ursache|causa")


def _ranges(text: str) -> list[str]:
    return text.split()


_CHAPTERS = _ranges(
    "A00-B99 C00-D49 D50-D89 E00-E90 F00-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K95 L00-L99 M00-M99 N00-N99 "
    "O00-O99 P00-P96 Q00-Q99 R00-R99 S00-T98 U00-U99 V00-Y99 Z00-Z99"
)
_BLOCKS = _ranges(
    "A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99 B00-B09 B10-B10 B15-B19 B20-B24 "
    "B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99-B99 C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 "
    "C50-C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80 C81-C96 C97-C97 D00-D09 D10-D36 D37-D49 D50-D53 D55-D59 "
    "D60-D64 D65-D69 D70-D77 D80-D89 E00-E07 E08-E14 E15-E16 E20-E35 E40-E46 E50-E64 E65-E68 E70-E90 F00-F09 F10-F19 "
    "F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99 G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 "
    "G40-G47 G50-G59 G60-G65 G70-G73 G80-G83 G89-G99 H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 "
    "H49-H52 H53-H54 H55-H59 H60-H62 H65-H75 H80-H83 H90-H95 I00-I02 I05-I09 I10-I16 I20-I25 I26-I28 I30-I52 I60-I69 "
    "I70-I79 I80-I89 I95-I99 J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99 K00-K14 "
    "K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K68 K70-K77 K80-K87 K90-K95 L00-L08 L10-L14 L20-L30 L40-L45 L50-L54 "
    "L55-L59 L60-L75 L80-L99 M00-M25 M26-M27 M30-M36 M40-M54 M60-M79 M80-M94 M95-M99 N00-N08 N10-N16 N17-N19 N20-N23 "
    "N25-N29 N30-N39 N40-N53 N60-N65 N70-N77 N80-N98 N99-N99 O00-O08 O10-O16 O20-O29 O30-O48 O60-O77 O80-O84 O85-O92 "
    "O94-O99 P00-P04 P05-P08 P10-P15 P19-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96 Q00-Q07 Q10-Q18 Q20-Q28 "
    "Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99 R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 "
    "R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R95-R99 S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 "
    "S70-S79 S80-S89 S90-S99 T00-T07 T08-T14 T15-T19 T20-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88 T90-T98 "
    "U00-U49 U50-U99 V00-V99 W00-W19 W20-W49 W50-W64 W65-W74 W75-W84 W85-W99 X00-X09 X10-X19 X20-X29 X30-X39 X40-X49 "
    "X50-X57 X58-X59 X60-X84 X85-Y09 Y10-Y34 Y35-Y38 Y40-Y84 Y85-Y89 Y90-Y99 Z00-Z13 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 "
    "Z69-Z76 Z77-Z99"
)


def are_icd10(column: str, values: Sequence[str]) -> bool:
    """Whether nearly all values are codes of ICD-10; plain ones (A12) only where the column's name says so.

    >>> are_icd10("x", ["E11.9", "I10", "J45.0"]), are_icd10("seat", ["A12", "B03"]), are_icd10("dx", ["A12", "B03"])
    (True, False, True)
    """
    codes = [value for value in values if CODE.fullmatch(value.strip())]
    if not codes or len(values) - len(codes) > MOST_STRAYS * len(values):
        return False
    dotted = sum("." in code for code in codes)
    return 2 * dotted >= len(codes) or _NAMES.search(" ".join(sorted(words_of(column)))) is not None


def icd10(values: Sequence[str], steps: Sequence[str] | None, levels: int | None) -> ProposedGroups:
    """Return codes by category, block and chapter; what is no code is a stray.

    >>> found = icd10(["E11.9", "E11.2", "E10.1", "E66.0", "I10"], None, None)
    >>> for level in found.levels:
    ...     print(level.name, level.labels)
    category ['E11.-']
    block ['E08-E14', 'E65-E68', 'I10-I16']
    chapter ['E00-E90', 'I00-I99']
    """
    codes = sorted(value for value in values if CODE.fullmatch(value.strip()))
    known = set(codes)
    strays = [value for value in values if value not in known]
    chosen = _checked(steps) if steps is not None else list(STEPS)
    made = [level for step in chosen if len(set((level := _level(codes, step)).groups)) > 1]
    if steps is None:
        refuse_levels(levels, len(made), "ICD-10")
        made = [made[place] for place in thinned(range(len(made)), levels)]
    return ProposedGroups(codes, made, strays, "other codes")


def _checked(steps: Sequence[str]) -> list[str]:
    places = [STEPS.index(step) if step in STEPS else -1 for step in steps]
    if -1 in places or sorted(set(places)) != places:
        raise InputError(f"steps: for ICD-10 write some of {', '.join(STEPS)}, in this order")
    return list(steps)


def _level(codes: Sequence[str], step: str) -> GroupLevel:
    """Return one level; a category of a single code, and a code outside of every block, is in no group."""
    parts = [CODE.fullmatch(code.strip()) for code in codes]
    stems = [f"{part[1]}{part[2]}" for part in parts if part is not None]
    if step == "category":
        often = Counter(stems)
        labels = [f"{stem}.-" if often[stem] > 1 else None for stem in stems]
    else:
        ranges = _BLOCKS if step == "block" else _CHAPTERS
        labels = [None if step == "block" and not stem[2].isdigit() else _range_of(stem, ranges) for stem in stems]
    places = {label: place for place, label in enumerate(dict.fromkeys(label for label in labels if label))}
    return GroupLevel(step, [NOT_IN_ANY if label is None else places[label] for label in labels], list(places))


def _range_of(stem: str, ranges: Sequence[str]) -> str | None:
    """Return the range of codes that a category lies in; ranges are in order, and begin with their first code."""
    place = bisect_right(ranges, f"{stem}-ZZZ") - 1
    return ranges[place] if place >= 0 and stem <= ranges[place][4:] else None
