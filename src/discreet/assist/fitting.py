"""Does an existing taxonomy fit a column: what it lacks, what it has for nothing, how it looks at each level."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from discreet.assist.preview import ALL, PreviewLevel, level_of, root_of, tree_cuts
from discreet.assist.proposing.notes import ROOT
from discreet.assist.proposing.tally import ValueTally
from discreet.columns.taxonomy import Taxonomy


@dataclass(frozen=True)
class Fit:
    """What was found out about a taxonomy and a column. Values are secrets: `to_dict` names them only if told to."""

    taxonomy: Taxonomy
    column: str
    rows: int
    blank: int
    lacking: tuple[str, ...]
    """Values of the column that are no leaf."""
    lacking_rows: int
    nearly: int
    """How many of them are a leaf but for capitals and blanks."""
    unused: int
    """Leaves that no row has."""
    single: int
    """Groups with one member, which is released in their place."""
    alike: tuple[str, ...]
    """Labels that differ from another one in capitals and blanks only."""
    depths: tuple[int, int]
    """The least and the greatest number of labels above a value."""
    marked: bool
    """Whether a label other than the root is the usual marker."""
    levels: tuple[PreviewLevel, ...]

    @property
    def fits(self) -> bool:
        """Whether a policy can use it for the column."""
        return not self.lacking

    def to_dict(self, *, values: bool = False) -> dict[str, object]:
        """Return plain data, with the values and labels themselves only if asked for."""
        return {
            "fits": self.fits,
            "column": self.column,
            "rows": self.rows,
            "cells_without_a_value": self.blank,
            "leaves": len(self.taxonomy.leaves),
            "lacking_values": len(self.lacking),
            "lacking_rows": self.lacking_rows,
            "lacking_but_for_capitals_and_blanks": self.nearly,
            "leaves_without_rows": self.unused,
            "groups_with_one_member": self.single,
            "labels_alike": len(self.alike),
            "labels_above_a_value": list(self.depths),
            "marker_is_a_label": self.marked,
            "levels": [_told(level, values=values) for level in self.levels],
            **({"lacking": list(self.lacking), "alike": list(self.alike)} if values else {}),
        }


def _told(level: PreviewLevel, *, values: bool) -> dict[str, object]:
    told = level.to_dict()
    if not values:
        del told["such_as"]
    return told


def fit(taxonomy: Taxonomy, tally: ValueTally) -> Fit:
    """Return how a taxonomy fits the counted values of a column."""
    lacking = taxonomy.missing_from(tally.values)
    absent = set(lacking)
    sized = dict(zip(tally.values, tally.rows, strict=True))
    known = [value for value in tally.values if value not in absent]
    rows = np.array([sized[value] for value in known], dtype=np.int64)
    levels = [level_of(name, groups, labels, rows, None) for name, groups, labels in tree_cuts(taxonomy, known)]
    levels.append(level_of(ALL, np.zeros(len(rows), dtype=np.int64), [root_of(taxonomy)], rows, None))
    near = {_folded(leaf) for leaf in taxonomy.leaves}
    labels = [label for node in taxonomy.nodes for label in node.labels]
    often = Counter(map(_folded, labels))
    heights = [len(path) - 1 for path in taxonomy.to_paths()]
    return Fit(
        taxonomy=taxonomy,
        column=tally.column,
        rows=tally.total + tally.blank,
        blank=tally.blank,
        lacking=tuple(lacking),
        lacking_rows=sum(sized[value] for value in lacking),
        nearly=sum(_folded(value) in near for value in lacking),
        unused=len(taxonomy.leaves) - len(known),
        single=sum(len(node.dropped) for node in taxonomy.nodes),
        alike=tuple(label for label in labels if often[_folded(label)] > 1),
        depths=(min(heights), max(heights)),
        marked=ROOT in labels and root_of(taxonomy) != ROOT,
        levels=tuple(levels),
    )


def _folded(label: str) -> str:
    return " ".join(label.casefold().split())
