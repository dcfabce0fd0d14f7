"""From a policy's confidential cells to edits: what is released as an adversary sees it, protected, written back.

Works on the release as the recodings made it. Columns of group requirements, targets and columns that go out unchanged
are left alone: only other columns are edited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from discreet.adversary.view import Seen, domain_of, see_column
from discreet.chance import chance_from
from discreet.common.watch import Watch
from discreet.encoded import Ints
from discreet.errors import TellingCells, Unprotected, UnprotectedCells
from discreet.fit.cells import confidential_places, known_to, predictors_of, seen_by_adversaries, untouchable
from discreet.fit.telling import INSTEAD, all_have_it
from discreet.method.cells.chance import drawn
from discreet.method.cells.decoys import DecoyColumn, one_value_only
from discreet.method.cells.job import ROUNDS, Job, Ward
from discreet.method.cells.kernels import REFUSE
from discreet.method.cells.table import CellTable
from discreet.method.cells.trees import Nodes, ValueTree
from discreet.plan.parts import Decoy, Edit, Protected
from discreet.plan.plan import Plan
from discreet.plan.removal import Removal
from discreet.planning.decoys import Asking, Drawn, not_enough
from discreet.planning.defences import Defences
from discreet.planning.shadows import Shadows
from discreet.planning.unprotected import Words
from discreet.policy.adversaries import Adversary
from discreet.policy.bind import known_to_groups, recoded
from discreet.policy.confidential import Confidential
from discreet.table.engine import Engine

DRAWS = 3
"""How often all decoys are drawn anew, where too few of those that were drawn can be protected."""


@dataclass(frozen=True)
class CellPlan:
    """What is done for the confidential cells."""

    edits: tuple[Edit, ...]
    removed: tuple[int, ...]
    """Row numbers."""
    cells: tuple[Protected, ...]
    removal: tuple[Removal, ...] = ()
    """What is hidden against rules."""
    decoys: tuple[Decoy, ...] = ()


def plan_cells(
    released: Engine,
    source: Engine,
    plan: Plan,
    seed: int | None,
    watch: Watch,
) -> CellPlan:
    """Return the edits that protect every confidential cell on a release.

    Parameters
    ----------
    released
        The release as the recodings made it.
    source
        The table it was made from.
    plan
        How it was made, without the edits.
    seed
        For tests: the same chance every time.
    watch
        Hears how many cells are done and left in a round, and may end the search; says how long an exact search, which
        cannot ask, may take.

    Raises
    ------
    UnprotectedCells
        With the rows, by number, whose cells cannot be protected.
    TellingCells
        Where to be hidden would tell the value.
    """
    chance = chance_from(seed)
    for draw in range(1, DRAWS + 1):
        decoys = Drawn(plan.policy, chance)
        try:
            for _ in range(ROUNDS):  # what is done for cells may ask for more decoys, or show that some do not fit
                found = _Planning(released, source, plan, decoys, watch).run()
                if found is not None:
                    return found
        except TellingCells:
            if draw == DRAWS or not decoys.unfit:
                raise
    raise TellingCells(decoys.exhausted())


class _Planning:
    """The columns that the requirements name, as an adversary sees them."""

    def __init__(self, released: Engine, source: Engine, plan: Plan, decoys: Drawn, watch: Watch) -> None:
        policy = plan.policy
        self.released, self.source, self.plan, self.policy = released, source, plan, policy
        self.decoys, self.chance, self.watch = decoys, decoys.source, watch
        self.requirements = list(policy.cells())
        self.columns = seen_by_adversaries(policy, released.columns)
        self.seen: list[Seen] = []
        """Each column without its rows: they are in `table`, once."""
        table = np.empty((len(self.columns), released.rows), dtype=np.int32)
        for place, column in enumerate(self.columns):
            seen = self._seen(column)
            table[place] = seen.nodes
            self.seen.append(replace(seen, nodes=seen.nodes[:0].copy()))
        self.trees = [_tree(seen) for seen in self.seen]
        self.numbers = released.numbers()
        self.own = {index: self._rows(requirement) for index, requirement in self.requirements}
        """The confidential rows of each requirement."""
        for index, requirement in self.requirements:
            table[self._place(requirement.column), self.own[index]] = self._actuals(self.own[index], requirement)
        confidential = list(dict.fromkeys(self._place(requirement.column) for _, requirement in self.requirements))
        locked = self._locked()
        self.askings = [self._asking(index, requirement, table) for index, requirement in self.requirements]
        for asking in self.askings:
            decoys.add(asking, self._least_hidden(asking.made, table), ~locked[self._place(asking.made.column)])
        self.rows = {i: np.sort(np.concatenate([self.own[i], decoys.rows(i)])) for i, _ in self.requirements}
        """Those whose cells are protected: the confidential ones, and decoys beside them."""
        self.actuals = {i: self._actuals(self.rows[i], requirement) for i, requirement in self.requirements}
        self.shadows: dict[int, list[tuple[int, int]]] = {}
        """For each requirement its rows and their shadows, pair by pair."""
        real = np.arange(len(self.numbers), dtype=np.int64)
        for index, requirement in self.requirements:
            shadows, of = self._shadows(index, requirement).among(table)
            order = np.argsort(of, kind="stable")
            self.shadows[index] = list(zip(of[order].tolist(), (len(real) + order).tolist(), strict=True))
            if len(of):
                table = np.concatenate([table, shadows], axis=1)
                locked = np.concatenate([locked, locked[:, of]], axis=1)
                real = np.concatenate([real, of])
        self.table = CellTable(list(table), self.trees, confidential, locked, real)
        self.wards = [self._ward(index, requirement) for index, requirement in self.requirements]

    def _predictors(self, requirement: Confidential) -> tuple[str, ...]:
        return predictors_of(requirement, self.policy, self.released.columns)

    def _known_to(self, requirement: Confidential, adversary: Adversary) -> tuple[str, ...]:
        return known_to(adversary, requirement, self.policy, self.released.columns)

    def _place(self, column: str) -> int:
        return self.columns.index(column)

    def _seen(self, column: str) -> Seen:
        coarser = column in recoded(self.policy)
        domain = () if coarser else domain_of(self.source, self.policy, column)
        return see_column(self.released, self.policy, column, domain, taxonomic=not coarser)

    def _rows(self, requirement: Confidential) -> Ints:
        """Return where the confidential rows that are released stand."""
        numbers = self.source.numbers()[confidential_places(requirement, self.source)]
        return np.flatnonzero(np.isin(self.numbers, numbers)).astype(np.int64)

    def _actuals(self, rows: Ints, requirement: Confidential) -> npt.NDArray[np.int32]:
        """Return the true value of each of some rows, a leaf of the column's tree."""
        encoded = self.source.encoded(requirement.column)
        node_of = self.seen[self._place(requirement.column)].tree.node_of
        nodes = np.array([node_of.get(value, 0) for value in encoded.domain], dtype=np.int32)
        places = np.searchsorted(self.source.numbers(), self.numbers[rows])
        return nodes[encoded.codes[places]]

    def _asking(self, index: int, made: Confidential, table: Nodes) -> Asking:
        """Return what decoys of a requirement must stand beside."""
        place = self._place(made.column)
        node_of = self.seen[place].tree.node_of
        chosen = (made.where or {}).get(made.column)
        together = None if chosen is None else np.array([node_of.get(v, 0) for v in chosen], dtype=np.int64)
        known = [self._place(name) for name in self._predictors(made) if name in self.columns]
        return Asking(index, made, self.own[index], together, self.trees[place], [table[at] for at in known])

    def _least_hidden(self, made: Confidential, table: Nodes) -> DecoyColumn:
        """Return a column with all confidential cells and decoys hidden as little as can be, and nothing else."""
        place = self._place(made.column)
        true = table[place].astype(np.int64)
        told, parent = true.copy(), self.trees[place].parent
        for index, other in self.requirements:
            if other.column == made.column:
                rows = self.own[index]
                told[rows] = 0 if other.change == "delete" else parent[true[rows]]
                for row, node in self.decoys.floors(index).items():
                    told[row] = node
        return DecoyColumn(told, true, (told != true) | self._blank(made.column, true))

    def _now_hidden(self, made: Confidential) -> DecoyColumn:
        """Return a column as it is now, without the rows that were taken out."""
        place, rows = self._place(made.column), len(self.numbers)
        start = int(self.table.first[place])
        told = self.table.frame.codes[place, :rows].astype(np.int64) - start
        true = self.table.original[place, :rows].astype(np.int64) - start
        return DecoyColumn(told, true, ((told != true) | self._blank(made.column, true)) & ~self.table.gone[:rows])

    def _blank(self, column: str, true: Ints) -> npt.NDArray[np.bool_]:
        """Say which cells look hidden and never told a value."""
        encoded = self.released.encoded(column)
        marked = np.array([text == self.policy.marker for text in encoded.domain], dtype=np.bool_)
        blank: npt.NDArray[np.bool_] = marked[encoded.codes] & (true == 0)
        return blank

    def _locked(self) -> npt.NDArray[np.bool_]:
        """Return which cells must stay as they are."""
        locked = np.zeros((len(self.columns), len(self.numbers)), dtype=np.bool_)
        for column in untouchable(self.policy) & set(self.columns):
            locked[self._place(column)] = True
        for _, requirement in self.requirements:
            for item in requirement.must_publish:
                if item.column in self.columns:
                    rows = slice(None) if item.rows is None else np.isin(self.numbers, item.rows)
                    locked[self._place(item.column), rows] = True
        return locked

    def _shadows(self, index: int, requirement: Confidential) -> Shadows:
        known = [self._known_to(requirement, each) for each in requirement.adversaries]
        several = known_to_groups(self.policy) & set(self.plan.recoded)  # fixed intervals: each value has one only
        chosen = dict.fromkeys(tuple(name for name in names if name in several) for names in known)
        sets = [names for names in chosen if names and requirement.knows == "original"]
        return Shadows(self.plan, self.source, self.numbers, self.columns, self.seen, index, self.rows[index], sets)

    def _ward(self, index: int, requirement: Confidential) -> Ward:
        column = self._place(requirement.column)
        rows, actuals = self.rows[index].tolist(), self.actuals[index].tolist()
        levels = int(self.trees[column].depth.max(initial=1))
        chances = drawn(len(rows), self.chance, levels)
        if requirement.two_values == "refuse":
            chances = [replace(chance, coin=REFUSE) for chance in chances]
        place_of = {row: place for place, row in enumerate(rows)}
        known_to_one, rows_released = partial(self._known_to, requirement), len(self.numbers)
        defences = Defences(requirement, self._place, known_to_one, self.seen, rows_released, self.chance, self.watch)
        for row, shadow in self.shadows[index]:
            rows.append(shadow)
            actuals.append(actuals[place_of[row]])
            chances.append(chances[place_of[row]])
        return Ward(
            column=column,
            predictors=tuple(self._place(name) for name in self._predictors(requirement) if name in self.columns),
            rows=tuple(rows),
            actuals=tuple(actuals),
            defences=tuple(defences.of(*pair) for pair in requirement.defences),
            chances=tuple(chances),
            strict=requirement.strict,
            deletes=requirement.change == "delete",
            fall_back=requirement.may("others.conditions"),
            removes=requirement.on_failure == "remove",
            floors=self.decoys.floors(index),
        )

    def run(self) -> CellPlan | None:
        """Protect the cells and return what was changed; None if other or more decoys are to be tried."""
        job = Job(self.table, self.wards)
        job.run(self.watch.protected)
        lost = [self._lost(index, ward, job) for ward, (index, _) in enumerate(self.requirements)]
        if unprotected := self._unprotected(job):
            raise UnprotectedCells(unprotected)
        if any(lost):
            for asking, rows in zip(self.askings, lost, strict=True):
                self.decoys.give_back(asking.index, rows, self._now_hidden(asking.made))
            return None
        gone = self.table.gone[: len(self.numbers)]
        more = [self.decoys.add(each, self._now_hidden(each.made), self._free(each.made)) for each in self.askings]
        if any(more):
            return None
        if telling := self.telling():
            raise TellingCells(telling)
        edits = tuple(self._edits())
        return CellPlan(
            edits,
            tuple(self.numbers[np.flatnonzero(gone)].tolist()),
            tuple(self._stories(job)),
            tuple(self._removal(job, edits)),
            tuple(self._decoys(job)),
        )

    def _lost(self, index: int, ward: int, job: Job) -> list[int]:
        """Return the decoys of a requirement that were not protected, or are not in the release."""
        failing = {story.row for story in job.failing if story.ward == ward}
        return [row for row in self.decoys.rows(index).tolist() if row in failing or self.table.gone[row]]

    def _free(self, made: Confidential) -> npt.NDArray[np.bool_]:
        """Say which cells of a column may still become decoys."""
        rows = len(self.numbers)
        return ~self.table.frame.locked[self._place(made.column), :rows] & ~self.table.gone[:rows]

    def telling(self) -> list[tuple[int, str]]:
        """Return the requirements whose hidden cells tell their value by being hidden, and why."""
        found: list[tuple[int, str]] = []
        for asking in self.askings:
            made, column = asking.made, self._now_hidden(asking.made)
            found += not_enough(self.policy, asking, column)
            cells = one_value_only(column, asking.rows, self.table.gone[: len(self.numbers)])
            if cells > 1 and made.tells == "refuse":
                message = f"protect[{asking.index}]: {all_have_it(made.column, cells)}; {INSTEAD}"
                found.append((asking.index, message))
        return found

    def _decoys(self, job: Job) -> Iterator[Decoy]:
        """Yield the cells that were hidden only so that hidden ones tell less."""
        for ward, (index, requirement) in enumerate(self.requirements):
            for row in sorted({*self.decoys.rows(index).tolist(), *job.decoys(ward)}):
                yield Decoy(index, int(self.numbers[row]), requirement.column)

    def _removal(self, job: Job, edits: Sequence[Edit]) -> Iterator[Removal]:
        """Yield how much of the columns that rules use is hidden."""
        hidden = Counter(edit.column for edit in edits)
        marked = {(asked.column, row) for index, asked in self.requirements for row in self.own[index].tolist()}
        secret = Counter(column for column, row in marked if not self.table.gone[row])
        for ward, (index, requirement) in enumerate(self.requirements):
            for adversary in requirement.adversaries:
                if adversary.mines_rules:
                    names = {requirement.column, *self._known_to(requirement, adversary)}
                    yield Removal(
                        requirement=index,
                        hidden=sum(hidden[name] - secret[name] for name in names),
                        confidential=sum(secret[name] for name in names),
                        cells=len(names) * int((~self.table.gone[: len(self.numbers)]).sum()),
                        decoys=len(job.decoys(ward)) + len(self.decoys.rows(index)),
                        gap=job.gap(ward) if requirement.method == "exact" else None,
                    )

    def _unprotected(self, job: Job) -> list[Unprotected]:
        """Return the confidential cells that fail, and why; decoys may, unless the search was stopped."""
        failing, found = job.failing, []
        for ward, (index, requirement) in enumerate(self.requirements):
            own = set(self.own[index].tolist())
            rows = [each.row for each in failing if each.ward == ward and (each.row in own or job.stopped)]
            if rows:
                words = Words(index, requirement, self.policy, self.columns, self.numbers)
                found.append(words.unprotected(job, ward, rows))
        return found

    def _edits(self) -> Iterator[Edit]:
        """Yield every changed cell of the rows that are released, row by row."""
        columns, rows = self.table.changed()
        for place, row in zip(columns.tolist(), rows.tolist(), strict=True):
            if not self.table.gone[row]:
                yield Edit(int(self.numbers[row]), self.columns[place], self._text(place, row))

    def _text(self, place: int, row: int) -> str:
        node = self.table.node(place, row)
        return self.trees[place].texts[node][0] if node else self.policy.marker

    def _stories(self, job: Job) -> Iterator[Protected]:
        for (ward, row), story in job.stories.items():
            index, requirement = self.requirements[ward]
            if row in self.decoys.nodes.get(index, ()):
                continue
            place = self._place(requirement.column)
            changed = dict.fromkeys((int(self.numbers[r]), self.columns[c]) for r, c in story.changes.tolist())
            yield Protected(
                requirement=index,
                row=int(self.numbers[row]),
                column=requirement.column,
                status=story.status,
                guess=None if story.guess is None else self.trees[place].texts[story.guess][0],
                rounds=story.rounds,
                changed=tuple(changed),
            )


def _tree(seen: Seen) -> ValueTree:
    """Return a column's tree as the methods want it; each node by the text that is released for it."""
    texts: list[tuple[str, ...]] = [()] * len(seen.tree.parent)
    for text, node in seen.tree.node_of.items():
        if node and text is not None and not texts[node]:
            texts[node] = (text,)
    return ValueTree(tuple(texts), seen.tree.parent.astype(np.int32))
