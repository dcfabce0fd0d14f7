"""A release read by its method statement: elements of columns, rows with confidential cells and the others.

By code of verification alone; nothing of it is used in making a release.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import date
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.columns.scale import day_form
from discreet.plan.blind_statement import BlindStatement, StatedColumn
from discreet.table.engine import Engine
from discreet.verification.told_blocks import block_text
from discreet.verification.value_texts import DateTexts, NumberTexts, TextKind

MISSING, OTHER = ("missing",), ("other",)
"""Elements that are no texts and no classes."""
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]


class StatedTable:
    """The released columns that a statement names."""

    def __init__(self, released: Engine, statement: BlindStatement) -> None:
        self.released, self.statement = released, statement
        self.rest: Flags = np.ones(released.rows, dtype=np.bool_)
        for each in statement.rows:
            self.rest[np.array(each.rows) - 1] = False
        self._read: dict[str, ReleasedColumn] = {}

    def column(self, name: str) -> ReleasedColumn:
        """Return a column as the statement reads it."""
        if name not in self._read:
            self._read[name] = ReleasedColumn(self, name, self.statement.columns.get(name, StatedColumn()))
        return self._read[name]


class ReleasedColumn:
    """One column: its elements in order, and that of each row."""

    def __init__(self, table: StatedTable, name: str, stated: StatedColumn) -> None:
        encoded, said = table.released.encoded(name), table.statement
        self.domain, self.texts, self.stated = encoded.domain, encoded.codes, stated
        in_rest = set(np.unique(encoded.codes[table.rest]).tolist())
        missing = {None, *said.missing}
        cuts = None if stated.type is None else [stated_value(stated, text) for text in stated.cuts]
        self.of_text: list[object] = []
        """The element that each text means, before it is known which the rest has."""
        for text in encoded.domain:
            if text in missing:
                self.of_text.append(MISSING)
            elif cuts is None:
                self.of_text.append(text)
            else:
                number = stated_value(stated, text or "")
                self.of_text.append(OTHER if number is None else bisect_right(cuts, number))  # type: ignore[type-var]
        seen = {element for code, element in enumerate(self.of_text) if code in in_rest}
        plain = {element for element in seen if element not in (MISSING, OTHER)}
        if cuts is None:
            ordered: list[object] = sorted(plain, key=str)
        else:
            ordered = list(range(len(cuts) + 1)) if plain else []
        self.elements = [*ordered, *([MISSING] if MISSING in seen else []), OTHER]
        place = {element: at for at, element in enumerate(self.elements)}
        of_code = np.array([place.get(element, place[OTHER]) for element in self.of_text], dtype=np.int64)
        self.codes: Places = of_code[encoded.codes]
        self.size = len(self.elements)
        knows = np.array(
            [
                element != MISSING and text != said.marker
                for element, text in zip(self.of_text, encoded.domain, strict=True)
            ],
            dtype=np.bool_,
        )
        self.known_in_rest = int(knows[encoded.codes[table.rest]].sum())
        """Rows without confidential cells that have a value."""
        marks = [code for code, text in enumerate(encoded.domain) if text == said.marker]
        self.starred: Flags = np.isin(encoded.codes, marks)
        own = place.get(self.of_text[marks[0]]) if marks and marks[0] in in_rest else None
        self.marked = None if own == place[OTHER] else own
        own_stars = self.marked is not None or said.marker in said.missing
        self.hidden_surely: Flags = self.starred & (not own_stars)
        """Where the marker cannot have stood before."""
        self.secret_values = [
            at for at, element in enumerate(self.elements) if element not in (MISSING, OTHER, said.marker)
        ]
        self.below = self._below(stated, place)

    def _below(self, stated: StatedColumn, place: dict[object, int]) -> Flags | None:
        """Say, by element, the elements of rows that agree with it; None where each agrees with itself alone."""
        if not stated.parents:
            return None
        agree = np.eye(self.size, dtype=np.bool_)
        for at, element in enumerate(self.elements):
            above = stated.parents.get(element) if isinstance(element, str) else None
            for _ in range(len(stated.parents)):
                if above is None:
                    break
                if above in place:
                    agree[place[above], at] = True
                above = stated.parents.get(above)
        return agree if agree.sum() > self.size else None

    def is_block(self, block: frozenset[int]) -> Flags:
        """Say of each row whether its cell is written as a block must be."""
        stated = self.stated
        kind = ("; " if stated.decimal == "," else ", ", "0")
        if stated.type == "date":
            day = date(2000, 1, 1)
            kind = (", ", day.isoformat() if stated.date_format is None else day.strftime(day_form(stated.date_format)))
        cuts = None if stated.type is None else stated.cuts
        text = block_text(self.elements, block, MISSING, OTHER, cuts, kind, stated.parents)
        return np.isin(self.texts, [code for code, each in enumerate(self.domain) if each == text])

    @cached_property
    def block_texts(self) -> frozenset[str]:
        """The texts that are written as blocks are, whichever: sets, intervals of numbers, groups of the taxonomy.

        Where blocks are told, no table has such a text of its own.
        """
        texts = [text for text in self.domain if text is not None]
        found = {text for text in texts if text.startswith(("{", "not {")) and text.endswith("}")}
        if self.stated.type is not None:
            found |= {text for text in texts if text.startswith(("<", ">"))}
            found |= {text for text in texts if text.startswith("[") and text.endswith(")")}
        groups = {*(self.stated.parents or {}).values()}.difference(self.elements)
        return frozenset(found | groups.intersection(texts))

    @cached_property
    def like_blocks(self) -> Flags:
        """Say of each row whether its cell is written as blocks are."""
        found: Flags = np.array([text in self.block_texts for text in self.domain], dtype=np.bool_)[self.texts]
        return found

    def agreeing(self, elements: list[int] | frozenset[int]) -> list[int]:
        """Return the elements of rows that agree with one of some elements."""
        wanted = sorted(elements)
        if self.below is None:
            return wanted
        found: list[int] = np.flatnonzero(self.below[wanted].any(axis=0)).tolist()
        return found


def stated_value(stated: StatedColumn, text: str) -> Fraction | None:
    """Return what the text of a number or date comes to."""
    kind: TextKind
    if stated.type == "number":
        kind = NumberTexts(comma=stated.decimal == ",")
    else:
        kind = DateTexts(stated.date_format, stated.date_format)
    return kind.value(text)
