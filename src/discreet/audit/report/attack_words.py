"""What an attack found in sentences: what it means, what may be done about it, and what its further figures say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from discreet.attack.base import Attack, Kind
from discreet.audit.report.remedies import remedy_of
from discreet.audit.report.words import many, number, sentence, share
from discreet.common.rates import Rate

MANY = 20
"""Attacks among which one that stands alone may do so by chance."""
RIGHT: dict[Kind, str] = {
    "linkage": "of the rows are found",
    "inference": "of the values are guessed",
    "cells": "of the confidential cells are guessed",
    "aware": "are guessed by who knows the method",
}


def meaning(attack: Attack) -> str:
    """Return what it means for the people of the release how often an attack is right."""
    if attack.released.share is None:
        return "There was nobody to attack."
    beside = "; ".join(_beside(attack))
    uniform = attack.figures.get("homogeneous_rows")
    alike = f"{many(int(uniform), 'row stands', 'rows stand')} in groups that have one value only." if uniform else ""
    return " ".join(filter(None, (sentence(beside) if beside else "", _learned(attack), alike)))


def _beside(attack: Attack) -> Iterator[str]:
    named: tuple[tuple[str, Rate | None], ...] = (
        ("picked blindly" if attack.kind == "linkage" else "by the commonest value", attack.baseline),
        ("about people who are not in the release", attack.control),
        ("where the cells alone are hidden", attack.only_hidden),
        ("on the original", attack.original),
    )
    for words, rate in named:
        if rate is not None and rate.share is not None:
            yield f"{words}: {share(rate.share)}"


def _learned(attack: Attack) -> str:
    if attack.leaks:
        return "It learns more about the people of the release than about anybody else."
    if attack.beside is None or attack.beside.share is None:
        return "There is nothing to compare it with."
    if attack.kind == "linkage" and attack.control is None:
        return "Any table makes it easier to find a row than to pick one blindly: what counts is how many look alike."
    if attack.control is not None:
        return "It learns nothing of them that it would not learn of anybody."
    return "It learns no more than whoever knows how common each value is."


def remedy(attack: Attack) -> str:
    """Return what the owner may do about an attack, in words."""
    return remedy_of(attack).words


def by_chance(attacks: Sequence[Attack]) -> str | None:
    """Return a word of caution where one attack among many stands out."""
    tried = [attack for attack in attacks if attack.released.share is not None]
    if len(tried) >= MANY and sum(attack.leaks for attack in tried) == 1:
        return (
            f"One of {len(tried)} attacks may look better by chance: run a thorough audit before you change anything."
        )
    return None


def _counted(one: str, more: str, none: str | None = None) -> Callable[[float], str | None]:
    def said(figure: float) -> str | None:
        if not figure:
            return none
        return (one if figure == 1 else more).format(number(figure))

    return said


def _plainly(text: str, *, as_share: bool = False) -> Callable[[float], str | None]:
    return lambda figure: text.format(share(figure) if as_share else number(figure))


_SAID: Mapping[str, Callable[[float], str | None]] = {
    "groups": _counted("There is one group of rows that look alike", "There are {} groups of rows that look alike"),
    "smallest_group": _counted("somebody stands alone", "the smallest group has {}"),
    "median_group": _plainly("half of the rows stand in groups of {} or more"),
    "largest_group": _plainly("the largest group has {}"),
    "unique_rows": _counted(
        "one row is the only one to look as it does",
        "{} rows are the only ones to look as they do",
        "no row is the only one to look as it does",
    ),
    "unique_before": _counted("before, one row was", "before, {} rows were", "before, none was either"),
    "unique_persons": _counted("one person stands alone", "{} persons stand alone", "no person stands alone"),
    "largest_probability": _plainly("whoever is easiest to find is found with a probability of {}", as_share=True),
    "suppressed_rows": _counted("one row is suppressed", "{} rows are suppressed"),
    "suppressed_group": _plainly("of the suppressed rows at least {} look alike"),
    "k": _plainly("promised are {} alike"),
    "rows_above": _counted("one row has fewer", "{} rows have fewer", "no row has fewer"),
    "fewest": _plainly("at least {} rows may be those of a person"),
    "median": _plainly("for half of the people {} or more"),
    "exactly_one": _counted("for one person exactly one row", "for {} people exactly one row"),
    "nobody": _counted("one row fits nobody of the population", "{} rows fit nobody of the population"),
    "population": _plainly("the population has {} people"),
    "outside_fit_none": _plainly("no row fits {} of the people outside"),
    "outside_fit_one": _plainly("exactly one row fits {} of them"),
    "rows": _plainly("there are {} rows"),
    "persons": _plainly("there are {} persons"),
    "homogeneous_rows": _counted(
        "one row stands in a group that has one value only",
        "{} rows stand in groups that have one value only",
        "no group has one value only",
    ),
    "homogeneous_groups": _counted("there is one such group", "there are {} such groups"),
    "homogeneous_alone": _counted("one of them is a single row", "{} of them are single rows"),
    "homogeneous_suppressed_rows": _counted("one of these rows is suppressed", "{} of these rows are suppressed"),
    "largest_share": _plainly("the commonest value of a group has at most {} of it", as_share=True),
    "refinements": _counted("one finer step was refused", "{} finer steps were refused", "no finer step was refused"),
    "highest": _plainly("whoever asks why is up to {} sure", as_share=True),
    "limit": _plainly("the policy allows {}", as_share=True),
    "plain_right": _plainly("{} are guessed without knowing the method"),
    "changed": _plainly("something was changed for {} of the cells"),
    "changed_right": _plainly("{} of these are guessed"),
    "removed": _counted("one cell was removed with its row", "{} cells were removed with their rows"),
    "all_alike": _plainly("of {} all hidden cells with the same conditions have one value"),
    "rules_all": _plainly("an unsafe rule leads to {}, counting all rows with its conditions"),
    "rules_published": _plainly("to {}, counting those whose cell is told"),
    "without": _plainly("rules without that condition lead to {}"),
    "lacking_right": _plainly("{} are right by the value that the release lacks"),
    "mostly_right": _plainly("{} by the value that is hidden most"),
    "lacking": _counted("one value is not released any more", "{} values are not released any more"),
}


def figures_said(attack: Attack) -> str:
    """Return the further figures of an attack as a sentence; an unknown one by its name.

    >>> from discreet.common.rates import Rate
    >>> figures = {"groups": 67, "smallest_group": 10, "odd_figure": 3}
    >>> print(figures_said(Attack("linkage", "a", "b", None, (), Rate(1, 2), 2, figures=figures)))
    There are 67 groups of rows that look alike; the smallest group has 10; odd figure: 3.
    """
    parts = []
    for name, figure in attack.figures.items():
        if figure is None:
            continue
        say = _SAID.get(name)
        text = f"{name.replace('_', ' ')}: {number(figure)}" if say is None else say(figure)
        if text is not None:
            parts.append(text)
    return sentence("; ".join(parts)) if parts else ""
