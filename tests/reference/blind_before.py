"""Blind protection of a row of which earlier releases told something, slow and obvious.

Readers are listed one by one: who has this release alone, or with one earlier one, or with all; whichever he believes
first where two tell of one column; aware of the method or not. What each knows is put together anew at every step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.reference.blind import SLACK, BlindTable, Element, Fact


@dataclass(frozen=True)
class Telling:
    """What a release tells of a column of a row; a `star` only to who knows the method."""

    fact: Fact
    star: bool = False


Release = Mapping[str, Telling]


@dataclass(frozen=True)
class ToldAgain:
    """What this release tells of a row: values, and by stars which value is no longer so, as which release told it."""

    values: dict[str, Element] = field(default_factory=dict)
    denied: dict[str, tuple[Element, int]] = field(default_factory=dict)
    failed: bool = False


def readers(number: int) -> list[tuple[list[int | str], bool]]:
    """The releases that each reader has, the most believed first (`now` is this one), and whether he reads stars."""
    orders: list[list[int | str]] = [["now"]]
    for one in range(number):
        orders += [["now", one], [one, "now"]]
    latest = list(range(number))[::-1]
    orders.append(["now", *latest])
    for one in latest:
        orders.append([one, "now", *[other for other in latest if other != one]])
    return [(order, aware) for order in orders for aware in (True, False)]


def knows(
    table: BlindTable, told: ToldAgain, past: Sequence[Release], order: Sequence[int | str], aware: bool
) -> dict[str, tuple[Fact, int | str]]:
    """What a reader knows of each column, and from which release."""
    found: dict[str, tuple[Fact, int | str]] = {}
    for release in order:
        said: dict[str, Fact] = {}
        if release == "now":
            said = {name: (element,) for name, element in told.values.items()}
            for name, (element, by) in told.denied.items():
                if aware and by in order:
                    said[name] = tuple(each for each in table.domains[name] if each != element)
        else:
            assert isinstance(release, int)
            said = {name: each.fact for name, each in past[release].items() if aware or not each.star}
        for name, fact in said.items():
            found.setdefault(name, (fact, release))
    return found


def figures(table: BlindTable, row: int, facts: Mapping[str, Fact]) -> tuple[bool, Fraction]:
    """Whether all references are within the limits, naive Bayes by a slack, and the largest figure."""
    fine, top = True, Fraction(0)
    for secret in table.secrets(row) if facts else ():
        for reference in table.references:
            for value, chance in table.reckon(reference, secret, facts).items():
                slack = SLACK if reference == "naive_bayes" else 0
                fine = fine and chance <= table.limit(row, secret, value) - slack
                top = max(top, round(chance, 9))
    return fine, top


def asked(
    table: BlindTable, row: int, outcomes: Sequence[ToldAgain], past: Sequence[Release], name: str
) -> Fraction | None:
    """The largest figure of all who go by what would be told of a column, in any outcome; None past a limit."""
    worst = Fraction(0)
    for told in outcomes:
        for order, aware in readers(len(past)):
            facts = knows(table, told, past, order, aware)
            if facts.get(name, ((), 0))[1] == "now":
                fine, top = figures(table, row, {column: fact for column, (fact, _) in facts.items()})
                if not fine:
                    return None
                worst = max(worst, top)
    return worst


def tell_before(table: BlindTable, row: int, past: Sequence[Release]) -> ToldAgain:
    """What is told of a row, given what each earlier release told of its predictors."""
    own, predictors = table.elements[row], table.predictors(row)
    past = [{name: told for name, told in one.items() if name in predictors} for one in past]
    known = table.known(row)
    told = ToldAgain({name: own[name] for name in known})
    for order, aware in readers(len(past)):
        facts = {name: fact for name, (fact, _) in knows(table, told, past, order, aware).items()}
        if not figures(table, row, facts)[0]:
            return ToldAgain(told.values, {}, failed=True)
    while True:
        open_ = [name for name in predictors if name not in told.values and name not in told.denied]
        found: list[tuple[int, Fraction, int, str, tuple[Element, int] | None]] = []
        for place, name in enumerate(predictors):
            if name not in open_:
                continue
            rank = table.order.index(name) if name in table.order else len(table.names)
            shown = {each: ToldAgain({**told.values, name: each}, told.denied) for each in table.domains[name]}
            worst = asked(table, row, list(shown.values()), past, name)
            if worst is not None:
                found.append((rank, worst, place, name, None))
                continue
            last = [(release, one[name]) for release, one in enumerate(past) if name in one][-1:]
            if last and not last[0][1].star and len(last[0][1].fact) == 1 and last[0][1].fact != (table.marker,):
                (element,), by = last[0][1].fact, last[0][0]
                other = ToldAgain(told.values, {**told.denied, name: (element, by)})
                worst = asked(table, row, [shown[element], other], past, name)
                if worst is not None:
                    found.append((rank, worst, place, name, (element, by)))
        if not found:
            return told
        *_, name, again = min(found, key=lambda each: each[:3])
        if again is None or own[name] == again[0]:
            told = ToldAgain({**told.values, name: own[name]}, told.denied)
        else:
            told = ToldAgain(told.values, {**told.denied, name: again})
