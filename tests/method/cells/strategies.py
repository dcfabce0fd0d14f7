"""Random small tables: unknown values, ties, columns of one or two values, unbalanced trees, several classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from discreet.method.cells.chance import Chance
from discreet.method.cells.table import Bayes
from discreet.method.cells.trees import ValueTree, from_nested
from tests.method.cells.fast import Fast, Replayed, flat_tree
from tests.reference.cells_model import Nested, Row, Table, Taxonomy

SHAPES: tuple[Nested, ...] = (
    {"p": {}, "q": {}},
    {"only": {}},
    {"A": {"a1": {}, "a2": {}}, "B": {"b1": {}, "C": {"c1": {}, "c2": {}}}},
    {"L": {"l1": {}, "l2": {}, "l3": {}}, "m": {}},
    {"r": {}, "s": {}, "t": {}},
    {"S": {"single": {"x": {}}}, "T": {"y": {}, "z": {}}},
    {"v": {}, "W": {"w1": {}, "V": {"w2": {}, "U": {"w3": {}, "w4": {}}}}},
)
CLASSES = (*SHAPES, *SHAPES[2:])
"""Those with more than two values more often."""


@dataclass
class Case:
    """A table, one confidential cell of its last column, and what the adversary and chance are like."""

    nested: Sequence[Nested]
    table: Table
    i: int
    guesses: int
    strict: bool
    chances: Sequence[Chance]
    rough: bool
    """Whether values are generalised, and some are told roughly from the beginning."""
    deep: bool
    """Whether values that are deleted have a taxonomy all the same."""

    @property
    def j(self) -> int:
        return len(self.nested) - 1

    @property
    def predictors(self) -> list[int]:
        return list(range(self.j))

    @property
    def taxonomies(self) -> list[Taxonomy]:
        return [Taxonomy(nested) for nested in self.nested]

    @property
    def domains(self) -> list[list[str]]:
        return [taxonomy.domain for taxonomy in self.taxonomies]

    @property
    def trees(self) -> list[ValueTree]:
        return [from_nested(nested) if self.rough or self.deep else flat_tree(nested) for nested in self.nested]

    @property
    def bayes(self) -> Bayes:
        return Bayes("spread" if self.rough else "count", guesses=self.guesses, strict=self.strict)

    @property
    def actual(self) -> str:
        actual = self.table[self.i][self.j]
        assert actual is not None
        return actual

    def chooser(self) -> Replayed:
        """One chance for the cell at stake, whatever the method calls it."""
        return Replayed(self.chances[0])

    def fast(self, confidential: Sequence[int] | None = None) -> Fast:
        confidential = [self.j] if confidential is None else confidential
        return Fast(self.table, self.trees, confidential, deletes=not self.rough)


def filled(nested: Sequence[Nested], rows: int, generator: Random, rough: bool) -> Table:
    """Rows with frequent first values, and columns that depend on each other: there is something to hide."""
    taxonomies = [Taxonomy(shape) for shape in nested]
    table: Table = []
    for _ in range(rows):
        like = generator.expovariate(0.6)
        drawn = [like if generator.random() < 0.5 else generator.expovariate(0.8) for _ in taxonomies]
        row: Row = [t.domain[min(int(x), len(t.domain) - 1)] for t, x in zip(taxonomies, drawn, strict=True)]
        for c, taxonomy in enumerate(taxonomies):
            if generator.random() < 0.08:
                row[c] = taxonomy.up(row[c], generator.randint(1, 2)) if rough else None
        table.append(row)
    return table


@st.composite
def cases(draw: st.DrawFn, rough: bool | None = None) -> Case:
    rough = draw(st.booleans()) if rough is None else rough
    nested = [*draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)), draw(st.sampled_from(CLASSES))]
    generator = Random(draw(st.integers(0, 2**32)))
    table = filled(nested, draw(st.sampled_from([24, 16, 30, 8, 3, 2])), generator, rough)
    i = generator.randrange(len(table))
    domain = Taxonomy(nested[-1]).domain
    if table[i][-1] not in domain or generator.random() < 0.6:
        table[i][-1] = domain[0] if generator.random() < 0.8 else generator.choice(domain)  # more often guessed
    coins = draw(st.sampled_from([(0,), (0, 1)]))
    chances = [
        Chance(generator.choice(coins), tuple(generator.randrange(2**62) for _ in range(4))) for _ in range(len(table))
    ]
    return Case(nested, table, i, draw(st.integers(2, 5)), draw(st.booleans()), chances, rough, draw(st.booleans()))
