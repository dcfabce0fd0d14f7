"""Taxonomies as text files: a line for each value, with the groups above it up to the root."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from discreet.columns.taxonomy_draft import TaxonomyProblems

SEPARATORS = (";", ",", "\t", "|")
_SAMPLE = 200


def text_of(paths: list[tuple[str, ...]]) -> str:
    """Return the text of a file that is read as these lines; see `Taxonomy.to_csv`."""
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):  # with all labels in quotes no other separator makes sense
        file = io.StringIO(newline="")
        csv.writer(file, delimiter=SEPARATORS[0], quoting=quoting, lineterminator="\n").writerows(paths)
        text = file.getvalue()
        if _reads_back(text, paths):
            return text
    raise ValueError("a label is too long for a file, or has a NUL character in it; change it in the table first")


def _reads_back(text: str, paths: list[tuple[str, ...]]) -> bool:
    """Whether a text is read as the lines that it was written from."""
    if "\0" in text or text.startswith("\ufeff"):
        return False
    problems = TaxonomyProblems()
    rows = [tuple(row) for _, row in lines_of(text, problems)]
    return rows == paths and not problems


def lines_of(text: str, problems: TaxonomyProblems) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not blank, with their numbers; a label in quotes may go over several."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    line = 1
    try:
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        fix = 'write a quote inside a quoted label twice: "a ""b"" c"'
        if "unexpected end" in str(error):
            problems.add("bad quotes", line, f"a quote is opened and never closed; {fix}")
        elif "field limit" in str(error):
            problems.add("bad quotes", line, f"a label is too long, or a quote is not closed; {fix}")
        else:
            problems.add("bad quotes", line, f"a label goes on after its closing quote; {fix}")


def _separator(text: str) -> str:
    """The separator that makes the best sense of the first lines.

    Lines may differ in length, so their number of fields decides little. But quotes end at a separator, lines have
    at least two labels, end with the same root and share their groups: a separator inside the values would make
    more groups, not fewer.
    """

    def sense(separator: str) -> tuple[int, ...]:
        rows, broken = [], 0
        try:
            for row in islice(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), _SAMPLE):
                if len(row) > 1:
                    rows.append(row)  # noqa: PERF401 (those before an error count)
        except csv.Error:
            broken = 1
        same_root = max(Counter(row[-1] for row in rows).values(), default=0)
        return -broken, len(rows), same_root, -len({tuple(row[1:]) for row in rows}), sum(map(len, rows))

    return max(SEPARATORS, key=sense)
