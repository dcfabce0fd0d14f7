"""The paper's methods and the baseline: SMC, the R-graph, hitting sets, CR. Reference, slow on purpose."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from tests.reference.rules_model import (
    NOT_FOUND,
    SAFE,
    Answer,
    Cell,
    Pattern,
    Rule,
    Table,
    Task,
    carriers,
    counts,
    groups,
    is_safe,
    is_unsafe,
    known,
    matches,
    may_hide,
    min_hide,
    release,
    relevant,
    subsets,
    true_value,
    unsafe_rules,
)


def answer(task: Task, hidden: list[Cell], method: str) -> Answer:
    """What a method did, counted once more at the end."""
    return Answer(SAFE if is_safe(task, hidden) else NOT_FOUND, hidden, None, method)


def in_rounds(task: Task, group_step: Callable[[int, str, list[Cell]], None], method: str) -> Answer:
    """One protected value after the other, again until nothing is hidden: one can raise the other's rules."""
    hidden: list[Cell] = []
    while True:
        before = len(hidden)
        for column, value in groups(task):
            group_step(column, value, hidden)
        if len(hidden) == before:
            return answer(task, hidden, method)


def smc(task: Task) -> Answer:
    """Case a, greedy set multi-cover: the sensitive cell that lowers most unsafe rules, lowest row first."""
    free = may_hide(task)

    def cover(column: int, value: str, hidden: list[Cell]) -> None:
        while True:
            released = release(task, hidden)
            wanted = [r for r in unsafe_rules(task, released) if (r.column, r.value) == (column, value)]
            score = {
                i: sum(matches(row, rule.pattern) for rule in wanted)
                for i, row in enumerate(released)
                if row[column] == value and Cell(i, column) in free
            }
            if not any(score.values()):
                return
            hidden.append(Cell(max(score, key=lambda i: (score[i], -i)), column))

    return in_rounds(task, cover, "SMC")


@dataclass(frozen=True)
class Node:
    """A rule of the R-graph: its counts, MinHide, and the relevant rows that support no ancestor's rule."""

    numerator: int
    denominator: int
    min_hide: int
    exact_rows: list[int]


@dataclass(frozen=True)
class Graph:
    """The patterns of one protected value's rows; an edge leads from a pattern to it less one entry."""

    nodes: dict[Pattern, Node]

    @property
    def edges(self) -> set[tuple[Pattern, Pattern]]:
        return {(p, q) for p in self.nodes for q in self.nodes if set(p) > set(q) and len(p) == len(q) + 1}

    def descendants(self, pattern: Pattern) -> list[Pattern]:
        """The node itself and all its parts."""
        return [q for q in self.nodes if set(q) <= set(pattern)]

    def unsafe_below(self, pattern: Pattern) -> list[Pattern]:
        return [q for q in self.descendants(pattern) if self.nodes[q].min_hide]

    def active(self) -> list[Pattern]:
        """Nodes with rows of their own."""
        return [p for p, node in self.nodes.items() if node.exact_rows]


def top_level(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Those without ancestors among them."""
    return [p for p in patterns if not any(set(q) > set(p) for q in patterns)]


def r_graph(task: Task, released: Table, column: int, value: str) -> Graph:
    rules = [rule for rule in carriers(task, released) if (rule.column, rule.value) == (column, value)]
    patterns = [rule.pattern for rule in rules]
    nodes = {}
    for rule in rules:
        n, d = counts(released, rule, task.denominator)
        above = [p for p in patterns if set(p) > set(rule.pattern)]
        exact = [i for i in relevant(released, rule) if not any(matches(released[i], p) for p in above)]
        nodes[rule.pattern] = Node(n, d, min_hide(n, d, task.min_support, task.min_confidence), exact)
    return Graph(nodes)


Choose = Callable[[Graph, Sequence[Pattern]], Pattern]
Draw = Callable[[Sequence[Pattern]], Pattern]


def max_descendant(graph: Graph, eligible: Sequence[Pattern]) -> Pattern:
    """Most unsafe descendants; ties: more attributes, then column order, then value."""
    return min(eligible, key=lambda p: (-len(graph.unsafe_below(p)), -len(p), [c for c, _ in p], [v for _, v in p]))


def random_node(draw: Draw) -> Choose:
    """RANDOM: any eligible node, offered in the order of MAX-DESCENDANT's ties."""
    return lambda _, eligible: draw(sorted(eligible, key=pattern_order))


def random_max(draw: Draw) -> Choose:
    """RANDOM-MAX: any eligible node of the most attributes."""

    def choose(graph: Graph, eligible: Sequence[Pattern]) -> Pattern:
        most = max(len(p) for p in eligible)
        return draw(sorted((p for p in eligible if len(p) == most), key=pattern_order))

    return choose


def pattern_order(pattern: Pattern) -> tuple[int, list[int], list[str]]:
    return -len(pattern), [c for c, _ in pattern], [v for _, v in pattern]


@dataclass(frozen=True)
class Step:
    """One step of an R-graph method: this entry of the node is hidden in these rows."""

    node: Pattern
    entry: tuple[int, str]
    rows: list[int]


def best_entry(graph: Graph, node: Pattern, free: set[Cell]) -> tuple[tuple[int, str], list[int]] | None:
    """The entry in most unsafe descendants, lowest column first, among those that may be hidden in some exact row."""
    below = graph.unsafe_below(node)
    best = None
    for entry in node:
        score = sum(entry in q for q in below)
        rows = [i for i in graph.nodes[node].exact_rows if Cell(i, entry[0]) in free]
        if score and rows and (best is None or score > best[0]):
            best = score, entry, rows
    return best and best[1:]


def graph_method(task: Task, choose: Choose = max_descendant, trace: list[Step] | None = None) -> Answer:
    """Case b: hide entries of top-level active nodes until every node is safe.

    A node whose own rows may hide nothing that helps is no active one: what is below it may help.
    """
    free = may_hide(task)
    steps = [] if trace is None else trace

    def work(column: int, value: str, hidden: list[Cell]) -> None:
        while True:
            graph = r_graph(task, release(task, hidden), column, value)
            options = {p: best_entry(graph, p, free) for p in graph.active()}
            eligible = top_level([p for p, option in options.items() if option])
            if not eligible:
                return
            node = choose(graph, eligible)
            option = options[node]
            assert option is not None
            entry, rows = option
            least = min(graph.nodes[q].min_hide for q in graph.unsafe_below(node) if entry in q)
            steps.append(Step(node, entry, rows[: min(least, len(rows))]))
            hidden.extend(Cell(i, entry[0]) for i in steps[-1].rows)

    return in_rounds(task, work, "R-graph")


def smallest_hitting_set(columns: Sequence[int], patterns: Sequence[Pattern]) -> tuple[int, ...] | None:
    """The fewest of the columns that touch every pattern; ties: lowest columns."""
    for size in range(len(columns) + 1):
        for chosen in combinations(sorted(columns), size):
            if all(any(c in chosen for c, _ in pattern) for pattern in patterns):
                return chosen
    return None


def hitting_sets(task: Task) -> Answer:
    """Case c: row by row the fewest own conditions that touch all unsafe patterns, again until nothing changes."""
    free = may_hide(task)
    hidden: list[Cell] = []
    while True:
        before = len(hidden)
        for cell in sorted(task.minus):
            released = release(task, hidden)
            unsafe = [p for p in subsets(known(released, task, cell)) if leaks(task, released, cell, p)]
            columns = [c for c in task.sensitive[cell.column] if Cell(cell.row, c) in free]
            chosen = smallest_hitting_set(columns, unsafe)
            hidden.extend(Cell(cell.row, c) for c in chosen or ())
        if len(hidden) == before:
            return answer(task, hidden, "hitting set")


def leaks(task: Task, released: Table, cell: Cell, pattern: Pattern) -> bool:
    n, d = counts(released, Rule(cell.column, pattern, true_value(task, cell)), task.denominator)
    return is_unsafe(n, d, task.min_support, task.min_confidence)


def cr(task: Task, hide: str, largest_first: bool = True) -> Answer:
    """The baseline of Saygin and others, rule after rule: `hide` is "sensitive" (case a) or "conditions" (case b)."""
    free = may_hide(task)
    hidden: list[Cell] = []
    while True:
        before = len(hidden)
        wanted = unsafe_rules(task, release(task, hidden))
        sign = -1 if largest_first else 1
        order = sorted(wanted, key=lambda r: (sign * len(r.pattern), -wanted[r][0], r.column, r.pattern, r.value))
        for rule in order:
            hide_rule(task, rule, order, hide, free, hidden)
        if len(hidden) == before:
            return answer(task, hidden, f"CR {hide}, {'largest' if largest_first else 'smallest'} first")


def hide_rule(task: Task, rule: Rule, wanted: Sequence[Rule], hide: str, free: set[Cell], hidden: list[Cell]) -> None:
    """Relevant rows in ascending number of rules to hide that they support, then row number, until the rule is safe."""
    released = release(task, hidden)
    supported = {i: sum(i in relevant(released, r) for r in wanted) for i in relevant(released, rule)}
    for i in sorted(supported, key=lambda i: (supported[i], i)):
        released = release(task, hidden)
        n, d = counts(released, rule, task.denominator)
        if not is_unsafe(n, d, task.min_support, task.min_confidence):
            return
        columns = [rule.column] if hide == "sensitive" else [c for c, _ in rule.pattern]
        allowed = [c for c in columns if Cell(i, c) in free]
        if allowed:
            support = {c: sum(row[c] == released[i][c] for row in released) for c in allowed}
            hidden.append(Cell(i, max(allowed, key=lambda c: (support[c], -c))))
