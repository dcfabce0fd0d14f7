"""What is kept, in words: how far from the best, what groups tell of targets, what edits cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Console

from discreet.cli.terminal import escape

if TYPE_CHECKING:
    from discreet.measure.cells import CellMeasures
    from discreet.measure.usefulness import ToldTarget, Usefulness

LEAST_BOUND = 0.01
"""Bounds below this say nothing."""


def how_far(bound: float) -> str:
    """Say how far the best possible cut may be from one that costs 1 if none costs less than `bound`."""
    if bound == 1:
        return "proven best"
    if bound < LEAST_BOUND:
        return "nothing is known about how far the best possible is"
    return f"at most {math.ceil(1000 * (1 / bound - 1)) / 10:.1f}% above the best possible"


def print_usefulness(to: Console, found: Usefulness) -> None:
    """Say what groups there are, and what they tell of each target."""
    if found.groups:
        to.print(
            f"{found.groups} groups of rows alike, {found.average:.1f} rows on average, at least {found.smallest}."
        )
    for told in found.targets:
        to.print(f"{escape(told.target)}: {_in_words(told)}.", soft_wrap=True)


def _in_words(told: ToldTarget) -> str:
    if told.measure == "RM":
        return f"the groups explain {1 - told.released:.1%} of its spread ({1 - told.original:.1%} in the original)"
    if told.costs:
        beside = f"{told.original:.3g} in the original, {told.nothing:.3g} if nothing were known"
        return f"taking each row for its group's majority costs {told.released:.3g} on average ({beside})"
    beside = f"{told.original:.1%} in the original, {told.nothing:.1%} if nothing were known"
    return f"{told.released:.1%} of the rows are not of their group's majority ({beside})"


def print_cell_measures(to: Console, found: CellMeasures | None) -> None:
    """Say what the edits for confidential cells cost."""
    if found is None:
        return
    lost = "infinite (a value is not released any more)" if found.skld == math.inf else f"{found.skld:.3g}"
    to.print(f"Cells changed: {found.dd}. Distributions: distance (SKLD) {lost}, uncertainty (SCE) {found.sce:.3g}.")
    some = f" of {found.of_pairs}" if found.pairs < found.of_pairs else ""
    to.print(
        f"Mutual information of {found.pairs}{some} pairs of columns: {found.mutual_information_change:.3g} bits "
        f"changed on average (ACMI {found.acmi:.4g}, {found.acmi_infinite} lost all of it).",
        soft_wrap=True,
    )
