"""The fast cell methods on tables as the slow reference has them: rows of texts, null is the root of every tree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.method.cells import bayes, hid3, many
from discreet.method.cells.bayes import Outcome
from discreet.method.cells.chance import FIRST, Chance
from discreet.method.cells.job import Defence, Job, Ward
from discreet.method.cells.table import Bayes, CellTable
from discreet.method.cells.trees import ValueTree, coded, flat, from_nested
from discreet.method.cells.walks import Grow
from tests.reference.cells_model import (
    DECLINED,
    DELETED,
    NOT_NEEDED,
    SUPPRESSED,
    Cell,
    Nested,
    Table,
    copied,
    differences,
)

STATUS = {"safe": NOT_NEEDED, "done": SUPPRESSED, "by lot": DECLINED, "failed": DELETED}


def flat_tree(nested: Nested) -> ValueTree:
    """The leaves alone: of the deletion methods."""
    tree = from_nested(nested)
    return flat(tree.texts[node][0] for node in tree.leaves)


class Replayed:
    """The reference's choices from the numbers that the fast methods drew, one `Chance` for each cell."""

    def __init__(self, chances: Mapping[int, Chance] | Chance) -> None:
        self.chances = chances
        self.chance = chances if isinstance(chances, Chance) else FIRST
        self.level = 1

    def about(self, cell: int, level: int) -> None:
        self.chance = self.chances if isinstance(self.chances, Chance) else self.chances[cell]
        self.level = level

    def pick(self, candidates: Sequence[str]) -> str:
        return candidates[self.chance.draw(self.level) % len(candidates)]

    def coin(self) -> bool:
        return self.chance.coin == 0


@dataclass
class Fast:
    """A table for the fast methods; each method may be run once."""

    before: Table
    trees: Sequence[ValueTree]
    confidential: Sequence[int]
    locked: npt.NDArray[np.bool_] | None = None
    deletes: bool = False
    table: CellTable = field(init=False)

    def __post_init__(self) -> None:
        columns = [coded([row[c] for row in self.before], tree, [None]) for c, tree in enumerate(self.trees)]
        self.table = CellTable(columns, self.trees, self.confidential, self.locked)

    def published(self, blanked: Sequence[int] = ()) -> Table:
        """The table as it is now; failed rows are blank, as in the thesis."""
        after = copied(self.before)
        for r, row in enumerate(after):
            for c in range(len(row)):
                node = self.table.node(c, r)
                row[c] = self.trees[c].texts[node][0] if node and r not in blanked else None
        return after

    def changed(self, blanked: Sequence[int] = ()) -> list[tuple[int, int, Cell]]:
        return differences(self.before, self.published(blanked))

    def actual(self, i: int, j: int) -> int:
        """The value to protect, a leaf of its tree."""
        cell = self.before[i][j]
        assert cell is not None
        return self.trees[j].place_of()[cell]

    def bayes(self, method: str, i: int, j: int, predictors: Sequence[int], options: Bayes, chance: Chance) -> Outcome:
        guesser = self.table.guesser(j, predictors, options, deletes=self.deletes)
        return bayes.protect(self.table, guesser, i, self.actual(i, j), method, chance)

    def hid3(self, i: int, j: int, predictors: Sequence[int], chance: Chance) -> Outcome:
        trees = hid3.Trees(self.table)
        return hid3.protect(trees, j, predictors, i, self.actual(i, j), chance, deletes=self.deletes)

    def hybrid(
        self,
        method: str,
        i: int,
        j: int,
        predictors: Sequence[int],
        options: Bayes,
        chance: Chance,
        grow: Grow | None = None,
    ) -> str:
        defences = (Defence("hid3", grow=grow), Defence(method, options))
        actuals, strict = (self.actual(i, j),), grow is not None and options.strict
        ward = Ward(j, tuple(predictors), (i,), actuals, defences, (chance,), strict=strict, deletes=self.deletes)
        job = Job(self.table, [ward])
        job.take_turns(0, i)
        return job.stories[0, i].status

    def e_decp(
        self, rows: Sequence[int], j: int, predictors: Sequence[int], options: Bayes, chances: Mapping[int, Chance]
    ) -> dict[int, Outcome]:
        guesser = self.table.guesser(j, predictors, options, deletes=self.deletes)
        return many.e_decp(self.table, guesser, rows, self.actual(rows[0], j), [chances[row] for row in rows])

    def e_dropp(
        self, i: int, columns: Sequence[int], predictors: Sequence[int], options: Bayes, chances: Mapping[int, Chance]
    ) -> dict[int, Outcome]:
        free = [c for c in predictors if c not in columns]
        guessers = {
            j: self.table.guesser(j, [*free, *(c for c in columns if c != j)], options, deletes=self.deletes)
            for j in columns
        }
        return many.e_dropp(self.table, guessers, i, {j: self.actual(i, j) for j in columns}, chances)
