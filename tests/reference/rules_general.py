"""Any marks: one-rule repairs, the general greedy, giving back, the exact search, and which method serves which case.

Reference, slow on purpose. A repair of a rule is a choice of cells that makes this one rule safe, or no longer about
anyone; only the cells of `helpers` can repair it, because hiding any other cell at most lowers its denominator.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

from tests.reference.rules import graph_method, hitting_sets, smc
from tests.reference.rules_model import (
    INFEASIBLE,
    NOT_FOUND,
    SAFE,
    Answer,
    Cell,
    Certificate,
    Exhausted,
    Rule,
    Table,
    Task,
    carriers,
    counts,
    is_safe,
    is_unsafe,
    may_hide,
    region,
    release,
    relevant,
    unsafe_rules,
)

FEW_CELLS = 12
"""Up to so many free cells the exact search decides what nothing else decides."""


def helpers(released: Table, rule: Rule, rows: list[int], free: set[Cell]) -> list[Cell]:
    """The cells one of which must be hidden to repair the rule: of its relevant rows, and of the rows it is about."""
    columns = [c for c, _ in rule.pattern]
    cells = {Cell(i, c) for i in relevant(released, rule) for c in [*columns, rule.column]}
    cells |= {Cell(r, c) for r in rows for c in columns}
    return sorted(cells & free)


def best_counts(task: Task, released: Table, rule: Rule, free: set[Cell]) -> list[tuple[int, int]]:
    """The rule's counts when 0, 1, 2, ... cells of others are hidden as well as can be: sensitive cells first."""
    n, d = counts(released, rule, task.denominator)
    rows = relevant(released, rule)
    by_value = sum(Cell(i, rule.column) in free for i in rows)
    by_pattern = sum(
        Cell(i, rule.column) not in free and any(Cell(i, c) in free for c, _ in rule.pattern) for i in rows
    )
    out = [(n, d)]
    for _ in range(by_value):
        n, d = n - 1, d - (task.denominator == "published")
        out.append((n, d))
    for _ in range(by_pattern):
        n, d = n - 1, d - 1
        out.append((n, d))
    return out


def repair(task: Task, released: Table, rule: Rule, rows: list[int], free: set[Cell]) -> int | None:
    """The fewest cells that repair the rule; None: there is no repair."""
    for x, (n, d) in enumerate(best_counts(task, released, rule, free)):
        if not is_unsafe(n, d, task.min_support, task.min_confidence):
            return x if not own_repair(rule, rows, free) else min(x, len(rows))
    return len(rows) if own_repair(rule, rows, free) else None


def own_repair(rule: Rule, rows: list[int], free: set[Cell]) -> bool:
    """Every row that the rule is about could hide a condition of its own."""
    return all(any(Cell(r, c) in free for c, _ in rule.pattern) for r in rows)


def certificate(task: Task) -> Certificate | None:
    """A rule without repair, and a row it is about that cannot hide a condition: no release is safe."""
    released, free = release(task, []), may_hide(task)
    rows = carriers(task, released)
    for rule in unsafe_rules(task, released):
        if repair(task, released, rule, rows[rule], free) is None:
            stuck = next(r for r in rows[rule] if not own_repair(rule, [r], free))
            return Certificate(stuck, rule, *best_counts(task, released, rule, free)[-1])
    return None


def to_do(task: Task, hidden: list[Cell], free: set[Cell]) -> tuple[int, int]:
    """Unsafe rules without repair, and the sum of the others' cheapest repairs."""
    released = release(task, hidden)
    rows = carriers(task, released)
    left = free - set(hidden)
    repairs = [repair(task, released, rule, rows[rule], left) for rule in unsafe_rules(task, released)]
    return repairs.count(None), sum(x for x in repairs if x is not None)


def general(task: Task) -> Answer:
    """Hide the cell after which least is to do, lowest row, then lowest column; when none can help, whole regions.

    The best cell is taken even where it does not lower what is to do: hiding own conditions raises other rules.
    """
    free = may_hide(task)
    hidden: list[Cell] = []
    now = to_do(task, hidden, free)
    while now > (0, 0):
        released = release(task, hidden)
        rows = carriers(task, released)
        left = free - set(hidden)
        cells = sorted({c for rule in unsafe_rules(task, released) for c in helpers(released, rule, rows[rule], left)})
        after = {cell: to_do(task, [*hidden, cell], free) for cell in cells}
        if not cells:
            return whole_regions(task)
        hidden.append(min(cells, key=lambda cell: (after[cell], cell)))
        now = after[hidden[-1]]
    return Answer(SAFE, hidden, None, "general greedy")


def whole_regions(task: Task) -> Answer:
    """Hide whole regions, fewer regions first, and give back what can be: the best of these, the first on ties."""
    free = may_hide(task)
    names = [
        name for name in ("others_sensitive", "own_conditions", "others_conditions") if getattr(task.regions, name)
    ]
    found = []
    for size in range(1, len(names) + 1):
        for chosen in combinations(names, size):
            hidden = sorted(cell for cell in free if region(task, cell) in chosen)
            if is_safe(task, hidden):
                found.append(Answer(SAFE, give_back(task, hidden), None, "whole regions"))
    return min(found, key=lambda a: a.cost, default=Answer(NOT_FOUND, [], None, "general greedy"))


def give_back(task: Task, hidden: list[Cell]) -> list[Cell]:
    """Publish every cell whose release stays safe, first hidden first, until no single cell can be given back."""
    left = list(hidden)
    changed = True
    while changed:
        changed = False
        for cell in list(left):
            rest = [c for c in left if c != cell]
            if is_safe(task, rest):
                left = rest
                changed = True
    return left


@dataclass
class Search:
    """Depth-first over the helpers of one unsafe rule at a time, with at most `limit` cells."""

    task: Task
    free: set[Cell]
    limit: int
    was_cut: bool = False

    def run(self, hidden: list[Cell], barred: frozenset[Cell]) -> list[Cell] | None:
        released = release(self.task, hidden)
        unsafe = unsafe_rules(self.task, released)
        if not unsafe:
            return hidden
        rows = carriers(self.task, released)
        left = self.free - set(hidden) - barred
        costs = {rule: repair(self.task, released, rule, rows[rule], left) for rule in unsafe}
        if None in costs.values():
            return None
        hardest = max(unsafe, key=lambda rule: costs[rule] or 0)
        if len(hidden) + (costs[hardest] or 0) > self.limit:
            self.was_cut = True
            return None
        for cell in helpers(released, hardest, rows[hardest], left):
            found = self.run([*hidden, cell], barred)
            if found is not None:
                return found
            barred |= {cell}
        return None


def optimum(task: Task) -> Answer:
    """The fewest cells, by trying every limit in turn; infeasible when a search ends without having been cut."""
    free = may_hide(task)
    for limit in range(len(free) + 1):
        search = Search(task, free, limit)
        found = search.run([], frozenset())
        if found is not None:
            return Answer(SAFE, sorted(found), None, "exact")
        if not search.was_cut:
            break
    return Answer(INFEASIBLE, [], Exhausted(), "exact")


Method = Callable[[Task], Answer]


def lemma_1_holds(task: Task) -> bool:
    """Where sensitive cells of others may be hidden, their conditions need not be: one column, every row counted."""
    return task.denominator == "all" and len(task.sensitive) == 1


def methods(task: Task) -> list[Method]:
    """The cases of the paper; f and g are e and a only where Lemma 1 holds."""
    others_conditions, others_sensitive, own_conditions = task.regions
    out: list[Method] = []
    if others_sensitive:
        out.append(smc)
        others_conditions = others_conditions and not lemma_1_holds(task)
    if others_conditions:
        out.append(graph_method)
    if own_conditions:
        out.append(hitting_sets)
    return [*out, general] if len(out) > 1 else out


def marks_matter(task: Task) -> bool:
    """A cell marked + could be hidden without its mark."""
    return may_hide(task) != may_hide(replace(task, plus=set()))


def solve(task: Task, few_cells: int = FEW_CELLS) -> Answer:
    """The best of the case's methods, each after giving back; the first method on ties."""
    if is_safe(task, []):
        return Answer(SAFE, [], None, "nothing to do")
    proof = certificate(task)
    if proof is not None:
        return Answer(INFEASIBLE, [], proof, "certificate")
    tried = methods(task)
    if marks_matter(task) and general not in tried:
        tried = [*tried, general]
    answers = [method(task) for method in tried]
    if general not in tried and not any(a.status == SAFE for a in answers):
        answers.append(general(task))
    found = [replace(a, hidden=give_back(task, a.hidden)) for a in answers if a.status == SAFE]
    if found:
        return min(found, key=lambda a: a.cost)
    if len(may_hide(task)) <= few_cells:
        return optimum(task)
    return Answer(NOT_FOUND, [], None, "general greedy")
