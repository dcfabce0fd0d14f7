"""Blind protection, slow and obvious: what is told of a row is decided from the rest and from what was told before.

Written from the specification and the rules that make it definite, before any fast version was seen. Texts in plain
lists, shares and counts as fractions, naive Bayes in decimals of 30 digits that are rounded to nine. Nothing is shared
between rows but what was reckoned from the rest.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from types import EllipsisType
from typing import TypeAlias

Element: TypeAlias = str | int | EllipsisType | None
"""A text, a class of numbers, None for missing, ... for any value that nobody in the rest has."""
Fact: TypeAlias = tuple[Element, ...]
"""What is told of a predictor: one element, or those of a block."""
Facts: TypeAlias = Mapping[str, Fact]

MARKER = "*"
CLASSES = 10
SPREAD = 10
"""The rows that `count` adds, spread like the whole column."""
LEAST_CHANCE = Fraction(1, 20)
SLACK = Fraction(1, 10**9)
GRID = range(3, 23)
"""Twentieths that tau may have."""
EVALUATED = 500


@dataclass(frozen=True)
class Item:
    """Confidential cells of one column."""

    column: str
    rows: tuple[int, ...]
    at_most: Fraction = Fraction(1, 2)
    margin: Fraction = Fraction(1, 20)
    predictors: tuple[str, ...] | None = None
    known: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """What is told of a row: values, and the blocks of hidden cells that were asked."""

    values: dict[str, Element] = field(default_factory=dict)
    blocks: dict[str, Fact] = field(default_factory=dict)
    failed: bool = False

    def readings(self) -> Iterator[Facts]:
        """Stars read as their blocks, and as nothing; a reading that says nothing is left out."""
        values: dict[str, Fact] = {name: (element,) for name, element in self.values.items()}
        for facts in ({**values, **self.blocks}, values):
            if facts:
                yield facts

    def with_value(self, column: str, element: Element) -> "Told":
        return Told({**self.values, column: element}, self.blocks)

    def with_block(self, column: str, block: Collection[Element]) -> "Told":
        return Told(self.values, {**self.blocks, column: tuple(block)})

    def agrees(self, row: Mapping[str, Element]) -> bool:
        """Whether a row (its element in each column) is as it is told."""
        return all(row[name] == element for name, element in self.values.items()) and all(
            row[name] in block for name, block in self.blocks.items()
        )


@dataclass(frozen=True)
class BlindTable:
    """A table with its confidential cells, and how it is protected."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    items: tuple[Item, ...]
    blocks: str = "starred"
    references: tuple[str, ...] = ("naive_bayes", "count")
    order: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    trees: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    marker: str = MARKER
    grows: bool = False
    """Whether blocks are those of the first form of the method statement."""

    # Which cells are confidential

    def secrets(self, row: int) -> list[str]:
        hidden = {item.column for item in self.items if row in item.rows}
        return [name for name in self.names if name in hidden]

    @cached_property
    def confidential(self) -> list[int]:
        return sorted({row for item in self.items for row in item.rows})

    @cached_property
    def rest(self) -> list[int]:
        """The rows without any confidential cell."""
        return [row for row in range(len(self.rows)) if row not in self.confidential]

    def predictors(self, row: int) -> list[str]:
        asked: set[str] = set()
        for item in self.items:
            if row in item.rows:
                asked |= set(self.names if item.predictors is None else item.predictors)
        return [name for name in self.names if name in asked and name not in self.secrets(row)]

    def known(self, row: int) -> list[str]:
        said = {name for item in self.items if row in item.rows for name in item.known}
        return [name for name in self.predictors(row) if name in said]

    # What a cell may be

    def text(self, row: int, column: str) -> str:
        return self.rows[row][self.names.index(column)]

    @cached_property
    def cuts(self) -> dict[str, list[Fraction]]:
        """The lower ends of the classes of each column of numbers, but for the first."""
        found = {}
        for column in self.numbers:
            texts = [self.text(row, column) for row in self.rest]
            known = sorted(number for text in texts if (number := self.number(text)) is not None)
            different = sorted(set(known))
            if len(different) > CLASSES:
                at = {known[q * len(known) // CLASSES] for q in range(1, CLASSES)}
                different = [known[0], *sorted(at - {known[0]})]
            found[column] = different[1:]
        return found

    @cached_property
    def domains(self) -> dict[str, list[Element]]:
        """The values of each column in the rest, missing if it occurs, and any other."""
        found: dict[str, list[Element]] = {}
        for column in self.names:
            texts = [self.text(row, column) for row in self.rest]
            values = sorted({text for text in texts if text not in self.missing})
            domain: list[Element] = list(values)
            if column in self.numbers:
                domain = (
                    list(range(len(self.cuts[column]) + 1))
                    if any(self.number(text) is not None for text in values)
                    else []
                )
            if any(text in self.missing for text in texts):
                domain.append(None)
            found[column] = [*domain, ...]
        return found

    def number(self, text: str) -> Fraction | None:
        """The number that a text is; None if it is missing or no number."""
        try:
            return None if text in self.missing else Fraction(text)
        except ValueError:
            return None

    def element(self, text: str, column: str) -> Element:
        domain = self.domains[column]
        if text in self.missing:
            return None if None in domain else ...
        if column in self.numbers:
            number = self.number(text)
            place = -1 if number is None else sum(cut <= number for cut in self.cuts[column])
            return place if place in domain else ...
        return text if text in domain else ...

    @cached_property
    def elements(self) -> list[dict[str, Element]]:
        return [
            {name: self.element(self.text(row, name), name) for name in self.names} for row in range(len(self.rows))
        ]

    def under(self, column: str, element: Element, above: Element) -> bool:
        """Whether a row with an element agrees with another: its own, or a label above it."""
        while element != above:
            if not isinstance(element, str) or element not in self.trees.get(column, {}):
                return False
            element = self.trees[column][element]
        return True

    def fits(self, row: int, column: str, fact: Fact) -> bool:
        return any(self.under(column, self.elements[row][column], element) for element in fact)

    # The secret column

    def candidates(self, column: str) -> list[Element]:
        return [element for element in self.domains[column] if element not in (None, ..., self.marker)]

    def knowing(self, column: str) -> list[int]:
        """The rows of the rest whose value is known."""
        return [row for rows in self.by_value[column].values() for row in rows]

    def having(self, column: str, value: Element) -> list[int]:
        return self.by_value[column][value]

    @cached_property
    def by_value(self) -> dict[str, dict[Element, list[int]]]:
        return {
            column: {
                value: [row for row in self.rest if self.elements[row][column] == value]
                for value in self.candidates(column)
            }
            for column in self.names
        }

    def share(self, column: str, value: Element) -> Fraction:
        return Fraction(len(self.having(column, value)), len(self.knowing(column)))

    def limit(self, row: int, column: str, value: Element) -> Fraction:
        share = self.share(column, value)
        return min(
            max(item.at_most, share + min(item.margin, (1 - share) / 2))
            for item in self.items
            if item.column == column and row in item.rows
        )

    # References

    def reckon(self, reference: str, column: str, facts: Facts) -> dict[Element, Fraction]:
        """The probability of each value by a reference; that of naive Bayes rounded to nine decimals."""
        key = (reference, column, tuple(sorted(facts.items())))
        if key not in self._reckoned:
            ways = {"naive_bayes": self.naive_bayes, "count": self.count, "kernel": self.kernel}
            self._reckoned[key] = ways[reference](column, facts)
        return self._reckoned[key]

    @cached_property
    def _reckoned(self) -> dict[object, dict[Element, Fraction]]:
        return {}

    def likelihood(self, column: str, value: Element, predictor: str, fact: Fact) -> Fraction:
        rows = self.having(column, value)
        fitting = sum(self.fits(row, predictor, fact) for row in rows)
        return Fraction(fitting + len(fact), len(rows) + len(self.domains[predictor]))

    def naive_bayes(self, column: str, facts: Facts) -> dict[Element, Fraction]:
        return {value: rounded(chance) for value, chance in self.bayes(column, facts).items()}

    def bayes(self, column: str, facts: Facts) -> dict[Element, Decimal]:
        tau = Fraction(self.tau(column)[len(facts) - 1], 20) if facts else Fraction(1)
        priors = {value: self.share(column, value) for value in self.candidates(column)}
        logs = {
            value: logarithm(self.likelihood(column, value, name, fact) for name, fact in facts.items())
            for value in priors
        }
        return posterior(priors, logs, tau)

    def count(self, column: str, facts: Facts) -> dict[Element, Fraction]:
        alike = self.alike(column, facts)
        found = {}
        for value in self.candidates(column):
            having = sum(self.elements[row][column] == value for row in alike)
            found[value] = (having + SPREAD * self.share(column, value)) / (len(alike) + SPREAD)
        return found

    def weights(self, column: str, facts: Facts) -> dict[int, Fraction]:
        """What each row that knows the column weighs: a quarter for each fact in which it differs."""
        return {
            row: Fraction(1, 4) ** sum(not self.fits(row, name, fact) for name, fact in facts.items())
            for row in self.knowing(column)
        }

    def kernel(self, column: str, facts: Facts) -> dict[Element, Fraction]:
        weights = self.weights(column, facts)
        found = {}
        for value in self.candidates(column):
            having = sum(weight for row, weight in weights.items() if self.elements[row][column] == value)
            found[value] = (having + SPREAD * self.share(column, value)) / (sum(weights.values()) + SPREAD)
        return found

    def alike(self, column: str, facts: Facts) -> list[int]:
        """The rows of the rest that know the column and agree with all facts."""
        return [row for row in self.knowing(column) if all(self.fits(row, name, fact) for name, fact in facts.items())]

    # How much naive Bayes believes

    def tau(self, column: str) -> list[int]:
        """For 1, 2, ... told predictors, the twentieths with the least log loss on two halves of the rest."""
        if column not in self._taus:
            asked = {name for row in self.confidential if column in self.secrets(row) for name in self.predictors(row)}
            told = [name for name in self.names if name in asked]
            known = sorted(self.knowing(column))
            halves = [[(t, row) for t, row in enumerate(known) if mixed(t + 1) % 2 == half] for half in (0, 1)]
            self._taus[column] = [self._best_tau(column, halves, told, k) for k in range(1, len(told) + 1)]
        return self._taus[column]

    @cached_property
    def _taus(self) -> dict[str, list[int]]:
        return {}

    def _best_tau(self, column: str, halves: list[list[tuple[int, int]]], told: list[str], k: int) -> int:
        if not any(halves):
            return 20
        evaluated = []
        for half, other in ((0, 1), (1, 0)):
            rows = halves[half]
            places = list(range(len(rows)))
            if len(rows) > EVALUATED:
                places = [place * len(rows) // EVALUATED for place in range(EVALUATED)]
            for place in places:
                t, row = rows[place]
                chosen = drawn(t, told)[:k]
                evaluated.append((row, *self._trained(column, [each for _, each in halves[other]], chosen, row)))
        losses = {}
        for m in GRID:
            with localcontext() as context:
                context.prec = 30
                loss = Decimal(0)
                for row, priors, logs in evaluated:
                    loss -= posterior(priors, logs, Fraction(m, 20))[self.elements[row][column]].ln()
                losses[m] = rounded(loss)
        return min(GRID, key=lambda m: (losses[m], m))

    def _trained(
        self, column: str, training: list[int], chosen: list[str], row: int
    ) -> tuple[dict[Element, Fraction], dict[Element, Decimal]]:
        """Shares and log likelihoods of the values by the rows of a half, for what is told of a row of the other."""
        values = self.candidates(column)
        priors, logs = {}, {}
        for value in values:
            having = [other for other in training if self.elements[other][column] == value]
            priors[value] = Fraction(len(having) + 1, len(training) + len(values))
            logs[value] = logarithm(
                Fraction(
                    sum(self.fits(other, name, (self.elements[row][name],)) for other in having) + 1,
                    len(having) + len(self.domains[name]),
                )
                for name in chosen
            )
        return priors, logs

    # The walk of a row

    def within(self, row: int, told: Told, slack: Fraction = SLACK) -> bool:
        """Whether no reference passes a limit, however stars are read; naive Bayes must keep the slack besides."""
        return all(
            chance <= self.limit(row, secret, value) - (slack if reference == "naive_bayes" else 0)
            for facts in told.readings()
            for secret in self.secrets(row)
            for reference in self.references
            for value, chance in self.reckon(reference, secret, facts).items()
        )

    def top(self, row: int, told: Told) -> Fraction:
        """The largest probability of any value, rounded."""
        return max(
            (
                round(chance, 9)
                for facts in told.readings()
                for secret in self.secrets(row)
                for reference in self.references
                for chance in self.reckon(reference, secret, facts).values()
            ),
            default=Fraction(0),
        )

    def block(self, row: int, told: Told, column: str) -> list[Element]:
        """The elements that may not be told; what is in it is told as being in it."""
        domain = self.domains[column]
        block = {element for element in domain if not self.within(row, told.with_value(column, element))}
        if block and self.marker in domain:
            block.add(self.marker)
        if block and self.blocks == "none":
            block = set(domain)
        if block and len(block) < len(domain) and not self.within(row, told.with_block(column, block)):
            block = self.grown(row, told, column, block) if self.grows else self.left(row, told, column, block)
        return [element for element in domain if element in block]

    def grown(self, row: int, told: Told, column: str, block: set[Element]) -> set[Element]:
        """The block of the first form: elements join until it may be told."""
        domain = self.domains[column]
        while len(block) < len(domain) and not self.within(row, told.with_block(column, block)):
            outside = [element for element in domain if element not in block]
            tops = [self.top(row, told.with_block(column, block | {element})) for element in outside]
            block = block | {outside[tops.index(min(tops))]}
        return block

    def left(self, row: int, told: Told, column: str, kept: set[Element]) -> set[Element]:
        """All elements at first. One leaves after the other, as long as what is left may be told.

        It is the one with the largest product of how probable it is and how much room what is left has; of equal ones
        the first.
        """
        block = list(self.domains[column])
        while True:
            best, most = None, Fraction(0)
            for element in block:
                others = [each for each in block if each != element]
                outcome = told.with_block(column, others)
                if element not in kept and self.within(row, outcome):
                    probable = 1 - self.chance(row, told, column, [element])
                    product = probable * self.room(row, outcome)
                    if best is None or product > most:
                        best, most = others, product
            if best is None:
                return set(block)
            block = best

    def room(self, row: int, told: Told) -> Fraction:
        """The least distance of a figure from its limit, stars read as their blocks, all in whole billionths."""
        facts = next(told.readings())
        return min(
            Fraction(int(self.limit(row, secret, value) * 10**9), 10**9) - round(chance, 9)
            for secret in self.secrets(row)
            for reference in self.references
            for value, chance in self.reckon(reference, secret, facts).items()
        )

    def chance(self, row: int, told: Told, column: str, block: list[Element]) -> Fraction:
        """How probable it is, by the first reference, that the value may be told."""
        if not block:
            return Fraction(1)
        if len(block) == len(self.domains[column]):
            return Fraction(0)
        secret, facts = self.secrets(row)[0], next(told.readings(), {})
        if self.references[0] == "count":
            alike, everybody = self.alike(secret, facts), self.knowing(secret)
            outside = [sum(not self.fits(at, column, tuple(block)) for at in rows) for rows in (alike, everybody)]
            return round((outside[0] + SPREAD * Fraction(outside[1], len(everybody))) / (len(alike) + SPREAD), 9)
        if self.references[0] == "kernel":
            weights, everybody = self.weights(secret, facts), self.knowing(secret)
            told_so = sum(weight for at, weight in weights.items() if not self.fits(at, column, tuple(block)))
            share = Fraction(sum(not self.fits(at, column, tuple(block)) for at in everybody), len(everybody))
            return round((told_so + SPREAD * share) / (sum(weights.values()) + SPREAD), 9)
        with localcontext() as context:
            context.prec = 30
            total = Decimal(0)
            for value, likely in self.bayes(secret, facts).items():
                total += likely * decimal(1 - self.likelihood(secret, value, column, tuple(block)))
            return rounded(total)

    def worst(self, row: int, told: Told, column: str, block: list[Element]) -> Fraction:
        """The largest probability that asking may lead to."""
        outcomes = [told.with_value(column, each) for each in self.domains[column] if each not in block]
        outcomes += [told.with_block(column, block)] if block else []
        return max(self.top(row, outcome) for outcome in outcomes)

    def chosen(self, row: int, told: Told, unasked: list[str]) -> tuple[str, list[Element]] | None:
        """The predictor to ask next and its block: a function of the rest and of what was told."""
        blocks = {name: self.block(row, told, name) for name in unasked}
        chances = {name: self.chance(row, told, name, blocks[name]) for name in unasked}
        able = [name for name in unasked if chances[name] >= LEAST_CHANCE]
        if not able:
            return None
        for name in self.order:
            if name in able:
                return name, blocks[name]
        worst = {name: self.worst(row, told, name, blocks[name]) for name in able}
        best = min(able, key=lambda name: (-chances[name], worst[name], self.names.index(name)))
        return best, blocks[best]

    def tell(self, row: int, elements: Mapping[str, Element] | None = None) -> Told:
        """What is told of a row; `elements` instead of its own."""
        own = self.elements[row] if elements is None else elements
        told, unasked = Told(), self.predictors(row)
        for name in self.known(row):
            told = told.with_value(name, own[name])
            unasked.remove(name)
        if not self.within(row, told):
            return Told(told.values, {}, failed=True)
        while (step := self.chosen(row, told, unasked)) is not None:
            name, block = step
            unasked.remove(name)
            told = told.with_block(name, block) if own[name] in block else told.with_value(name, own[name])
        return told

    # How a block is written where it is told

    def written(self, column: str, block: Fact) -> str:
        """A label of the taxonomy that means just this, an interval, the set, or what is not in it."""
        if ... in block:
            return "not " + braces(self._items(column, [each for each in self.domains[column] if each not in block]))
        labels = [label for label in self.trees.get(column, {}) if self._means(column, label, block)]
        if labels:
            return max(labels, key=lambda label: (len(list(self._above(column, label))), label))
        items = self._items(column, list(block))
        if column in self.numbers and len(items) == 1 and items[0] is not None:
            return items[0]
        return braces(items)

    def _above(self, column: str, label: str) -> Iterator[str]:
        while label in self.trees[column]:
            label = self.trees[column][label]
            yield label

    def _means(self, column: str, label: str, block: Fact) -> bool:
        """Whether a label that no row of the rest has stands above the block, and above no other value."""
        tree, domain = self.trees[column], self.domains[column]
        if label in domain or label not in tree.values():
            return False
        under = [each for each in tree if label in self._above(column, each)]
        values = [each for each in under if each not in tree.values()]
        return all(each in domain for each in values) and set(block) == {each for each in domain if each in under}

    def _items(self, column: str, elements: Sequence[Element]) -> list[str | None]:
        """Texts as they are, classes of numbers as intervals: one for all that stand side by side."""
        items: list[str | None] = []
        classes = [each for each in elements if isinstance(each, int)]
        ends = [str_of(cut) for cut in self.cuts.get(column, [])]
        while classes:
            first = last = classes.pop(0)
            while classes and classes[0] == last + 1:
                last = classes.pop(0)
            if first > 0 and last < len(ends):
                items.append(f"[{ends[first - 1]}, {ends[last]})")
            elif first > 0:
                items.append(f">={ends[first - 1]}")
            elif last < len(ends):
                items.append(f"<{ends[last]}")
            else:
                items += [f"<{(ends or ['0'])[0]}", f">={(ends or ['0'])[0]}"]
        return items + [each for each in elements if each is None or isinstance(each, str)]

    def released(self) -> list[list[str]]:
        """The release: secrets hidden, and of their rows every predictor that is not told as a value, or as a block."""
        out = [list(row) for row in self.rows]
        for row in self.confidential:
            told = self.tell(row)
            blocks = told.blocks if self.blocks == "told" else {}
            hidden = {*self.secrets(row), *self.predictors(row)} - set(told.values)
            for place, name in enumerate(self.names):
                if name in hidden:
                    out[row][place] = self.written(name, blocks[name]) if name in blocks else self.marker
        return out

    def reads_like_a_block(self, column: str, text: str) -> bool:
        """Whether a text may be a set, an interval or a group: where blocks are told no table has such a value."""
        interval = text.startswith(("<", ">", "[")) and column in self.numbers
        group = text in self.trees.get(column, {}).values() and text not in self.domains[column]
        return text.startswith(("{", "not {")) or interval or group

    def replays(self, row: int, texts: Sequence[str]) -> bool:
        """Whether a released row can have come out of this method: it is walked again, what is hidden unknown."""
        told, unasked = Told(), self.predictors(row)
        shown = dict(zip(self.names, texts, strict=True))
        for name in self.known(row):
            told = told.with_value(name, self.element(shown[name], name))
            unasked.remove(name)
        while self.within(row, told) and (step := self.chosen(row, told, unasked)) is not None:
            name, block = step
            unasked.remove(name)
            star, element = shown[name] == self.marker, self.element(shown[name], name)
            sets = self.blocks == "told"
            strange = self.reads_like_a_block(name, shown[name]) if sets else False
            if block and (shown[name] == self.written(name, tuple(block)) if sets else star):
                told = told.with_block(name, block)
            elif element in block or strange or (star and self.marker not in self.domains[name]):
                return False
            else:
                told = told.with_value(name, element)
        return all(shown[name] == self.marker for name in [*unasked, *self.secrets(row)])


def braces(items: Sequence[str | None]) -> str:
    """A set as text: what could be misread is in quotes, and a missing value is nothing."""
    texts = []
    for item in items:
        odd = item is not None and (item != item.strip() or item == "" or any(sign in item for sign in '{},"'))
        texts.append('"' + item.replace('"', '""') + '"' if odd and item is not None else item or "")
    return "{" + ", ".join(texts) + "}"


def str_of(number: Fraction) -> str:
    """A number with as few digits as it takes; all of these tables end somewhere."""
    whole, digits = number, 0
    while whole.denominator > 1:
        whole, digits = whole * 10, digits + 1
    return f"{Decimal(whole.numerator).scaleb(-digits):f}"


def posterior(
    priors: Mapping[Element, Fraction], logs: Mapping[Element, Decimal], tau: Fraction
) -> dict[Element, Decimal]:
    """Shares proportional to the prior times the likelihood to the power tau, in decimals of 30 digits."""
    with localcontext() as context:
        context.prec = 30
        weights = {value: decimal(prior) * (decimal(tau) * logs[value]).exp() for value, prior in priors.items()}
        total = sum(weights.values(), Decimal(0))
        return {value: weight / total for value, weight in weights.items()}


def logarithm(likelihoods: Iterable[Fraction]) -> Decimal:
    with localcontext() as context:
        context.prec = 30
        return sum((decimal(each).ln() for each in likelihoods), Decimal(0))


def decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def rounded(number: Decimal) -> Fraction:
    return Fraction(number.quantize(Decimal(1).scaleb(-9), rounding=ROUND_HALF_EVEN))


def drawn(number: int, told: Sequence[str]) -> list[str]:
    """The order in which predictors are told of a row that is tried for tau: the same for everybody."""
    keys = []
    for place, name in enumerate(told):
        keys.append((mixed(number * len(told) + place + 1), place, name))
    return [name for _, _, name in sorted(keys)]


def mixed(number: int) -> int:
    """A number mixed up: the same for everybody."""
    a = number * 0x9E3779B97F4A7C15 % 2**64
    a ^= a >> 32
    a = a * 0xD6E8FEB86659FD93 % 2**64
    return a ^ a >> 32


# What is not blind, and what is blind but not simulatable


def least(table: BlindTable, row: int, elements: Mapping[str, Element] | None = None) -> Told:
    """Of all sets of predictors, show the largest with which no limit is passed (the first of these): not safe."""
    own, predictors = table.elements[row] if elements is None else elements, table.predictors(row)
    for size in range(len(predictors), -1, -1):
        for shown in combinations(predictors, size):
            told = Told({name: own[name] for name in shown})
            if table.within(row, told):
                return told
    raise AssertionError("what says nothing is within the limits")


def until_wrong(table: BlindTable, row: int) -> Told:
    """Hide predictors from the left until the best guess of naive Bayes is wrong: it looks at the secret."""
    secret, predictors = table.secrets(row)[0], table.predictors(row)
    for first in range(len(predictors)):
        told = Told({name: table.elements[row][name] for name in predictors[first:]})
        guesses = table.naive_bayes(secret, next(told.readings()))
        best = max(guesses, key=lambda value: guesses[value])
        if best != table.elements[row][secret]:
            return told
    return Told()
