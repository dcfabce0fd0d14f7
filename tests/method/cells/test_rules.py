"""The fast methods against association rules hide what the slow reference hides, and keep what they promise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import inf
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.method.cells import rule_kernels as kernels
from discreet.method.cells import rules, rules_exact, rules_greedy, rules_search
from discreet.method.cells.rule_table import Codes, columns_of
from discreet.method.cells.rules_exact import exact
from tests.profiles import FEW
from tests.reference import rules as slow
from tests.reference.rules_general import certificate, optimum, to_do
from tests.reference.rules_golden import FIG2, TINY, TRAPS, golden_task, trap_task
from tests.reference.rules_model import (
    CASES,
    INFEASIBLE,
    SAFE,
    Cell,
    Rule,
    Task,
    carriers,
    counts,
    is_safe,
    may_hide,
    min_hide,
    release,
    unsafe_rules,
)
from tests.reference.rules_views import absence_view, aware_warnings

LONG = Fraction("0.3333333333333333333333333333333333")
"""More digits than a machine number has."""


@dataclass
class Fast:
    """A task of the reference with one sensitive column, as the fast methods want it."""

    task: Task
    column: int = -1
    free: set[Cell] | None = None
    """What may be hidden; by the task's regions when absent."""

    def __post_init__(self) -> None:
        if self.column < 0:
            (self.column,) = self.task.sensitive
        self.conditions = sorted(self.task.sensitive[self.column])
        self.rows = sorted(cell.row for cell in self.task.minus if cell.column == self.column)
        self.texts = [
            sorted({value for row in self.task.table if (value := row[c]) is not None})
            for c in range(len(self.task.table[0]))
        ]
        columns = [self.codes(c) for c in self.conditions]
        free = may_hide(self.task) if self.free is None else self.free
        may = np.array([[Cell(row, c) in free for row in range(len(self.task.table))] for c in self.conditions])
        self.table = rules.RuleTable(
            np.stack(columns),
            self.codes(self.column),
            self.rows,
            rules.Limits(self.task.min_confidence, self.task.min_support, self.task.denominator == "published"),
            may,
            np.array([Cell(row, self.column) in free for row in range(len(self.task.table))]),
        )

    def codes(self, column: int) -> Codes:
        texts = self.texts[column]
        values = [row[column] for row in self.task.table]
        return np.array([kernels.NOTHING if value is None else texts.index(value) for value in values], dtype=np.int32)

    def cell(self, cell: rules.Cell) -> Cell:
        row, place = cell
        return Cell(row, self.column if place == rules.SENSITIVE else self.conditions[place])

    @property
    def hidden(self) -> list[Cell]:
        return [self.cell(cell) for cell in self.table.hidden]

    def rule(self, pattern: int, mask: int) -> Rule:
        codes = self.table.rules.patterns[pattern]
        said = [(c, self.texts[c][codes[place]]) for place, c in enumerate(self.conditions) if mask >> place & 1]
        return Rule(self.column, tuple(said), self.texts[self.column][self.table.rules.values[pattern]])

    def counted(self) -> dict[Rule, tuple[int, int]]:
        """Numerator and denominator of every rule about a confidential row."""
        found: dict[Rule, tuple[int, int]] = {}
        counts_of = self.table.rules
        for pattern, known in enumerate(counts_of.known.tolist()):
            for mask in range(1, counts_of.num.shape[1]):
                if mask & ~known == 0:
                    rule = self.rule(pattern, mask)
                    now = int(counts_of.num[pattern, mask]), int(counts_of.den[pattern, mask])
                    assert found.setdefault(rule, now) == now
        return found

    def unsafe(self) -> list[Rule]:
        return [self.rule(pattern, mask) for pattern, mask in self.table.unsafe().tolist()]


def pairs(hidden: Sequence[Cell]) -> list[list[int]]:
    return sorted([cell.row, cell.column] for cell in hidden)


def cr_of(case: str) -> Callable[[rules.RuleTable], rules.HidingAnswer]:
    return lambda table: rules.cr(table, conditions=case == "b")


# ---- Figure 2


def test_figure_2_counts() -> None:
    found = Fast(golden_task(FIG2, "b"))
    expected = FIG2["conventions"]["null"]["nodes"]
    named = {"".join(text for _, text in rule.pattern): counted for rule, counted in found.counted().items()}
    assert named == {name: tuple(node[:2]) for name, node in expected.items()}
    confidence = found.table.rules.confidence
    least = {name: int(kernels.least_hidden(*counted, 0, confidence, True)) for name, counted in named.items()}
    assert least == {name: node[2] for name, node in expected.items()}


@pytest.mark.parametrize(
    ("case", "method", "expected"),
    [
        ("a", rules.smc, FIG2["smc"]["hidden"]),
        ("b", rules.r_graph, FIG2["max_descendant"]["hidden"]),
        ("a", cr_of("a"), FIG2["cr_a"]["hidden"]),
        ("b", cr_of("b"), FIG2["cr_b"]["hidden"]),
        ("c", rules.hitting_sets, FIG2["per_case"]["c"]["solve"]["hidden"]),
    ],
)
def test_figure_2_methods(case: str, method: Callable[[rules.RuleTable], rules.HidingAnswer], expected: Any) -> None:
    found = Fast(golden_task(FIG2, case))
    answer = method(found.table)
    assert answer.status == "safe"
    assert answer.hidden == found.table.hidden
    assert pairs(found.hidden) == expected
    assert is_safe(found.task, found.hidden)


@pytest.mark.parametrize("case", "abcdefg")
def test_figure_2_solve_and_optimum(case: str) -> None:
    expected = FIG2["per_case"][case]
    best, fewest = Fast(golden_task(FIG2, case)), Fast(golden_task(FIG2, case))
    assert rules.solve(best.table).status == exact(fewest.table).status == "safe"
    assert len(fewest.hidden) == expected["optimum"] <= len(best.hidden) <= expected["solve"]["cost"]
    assert is_safe(best.task, best.hidden)
    assert is_safe(fewest.task, fewest.hidden)


def test_figure_2_nothing_may_be_hidden() -> None:
    found = Fast(golden_task(FIG2, "h"))
    answer = rules.solve(found.table)
    assert (answer.status, answer.hidden) == ("infeasible", [])
    assert answer.why.startswith("a rule with ")
    assert exact(Fast(golden_task(FIG2, "h")).table).status == "infeasible"


# ---- Random tables with the results of every method


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(TINY)))
def test_random_tables(number: int) -> None:
    golden = TINY[number]
    for case, expected in golden["cases"].items():
        task = golden_task(golden, case)
        methods = {"SMC": rules.smc, "MAX-DESCENDANT": rules.r_graph, "CR": cr_of(case)}
        for name, method in {**methods, "hitting-set": rules.hitting_sets}.items():
            if name in expected:
                found = Fast(task)
                assert method(found.table).status == "safe"
                assert len(found.hidden) == expected[name], (case, name)
                if name == "SMC":
                    assert pairs(found.hidden) == sorted(expected["smc_hidden"])
        best, fewest = Fast(task), Fast(task)
        assert rules.solve(best.table).status == exact(fewest.table).status == "safe"
        assert len(fewest.hidden) == expected["optimum"] <= len(best.hidden) <= expected["solve"]
        assert is_safe(task, best.hidden)
        assert is_safe(task, fewest.hidden)


# ---- Traps


@pytest.mark.parametrize("name", [name for name in TRAPS if "[num,den,minsupp,minconf,beta,minhide]" in name])
def test_least_hidden_is_exact_at_the_threshold(name: str) -> None:
    for num, den, support, confidence, beta, minhide in TRAPS[name]:
        share = Fraction(confidence)
        limit = np.array([share.numerator, share.denominator], dtype=np.int64)
        assert kernels.least_hidden(num, den, support, limit, False) == beta
        assert kernels.least_hidden(num, den, support, limit, True) == minhide


def test_hiding_conditions_of_one_value_raises_the_rules_of_another() -> None:
    found = Fast(trap_task("nonmonotone_b", "b"))
    expected = TRAPS["nonmonotone_b"]
    (before,) = found.unsafe()
    assert [before.value, *found.counted()[before]] == ["s", 4, 9]
    assert rules.r_graph(found.table).status == "safe"
    assert pairs(found.hidden) == expected["final"]["hidden"]
    halfway = Fast(found.task)
    for row in (1, 2):
        halfway.table.hide((row, 0))
    (after,) = halfway.unsafe()
    assert [after.value, *halfway.counted()[after]] == ["u", 3, 7]


def test_hiding_own_conditions_raises_the_rules_of_another_row() -> None:
    name = "nonmonotone_c {a}->s [num,den]"
    found = Fast(trap_task(name, "c", "0.5"))
    rule = Rule(2, ((0, "a"),), "s")
    assert found.counted()[rule] == tuple(TRAPS[name]["before"])
    found.table.hide((0, 0))
    assert found.counted()[rule] == tuple(TRAPS[name]["after hiding A of row 0"])


def test_smc_is_not_optimal() -> None:
    trap, task = TRAPS["smc_suboptimal"], trap_task("smc_suboptimal", "a")
    found, fewest = Fast(task), Fast(task)
    rules.smc(found.table)
    assert pairs(found.hidden) == trap["smc_hidden"]
    assert len(found.hidden) == trap["smc"] == 9
    assert exact(fewest.table).status == "safe"
    assert len(fewest.hidden) == trap["optimum"] == 8


def test_safe_tables_may_leak_by_what_is_absent() -> None:
    """The paper's adversary does not take "hidden" for a condition; the methods do not either."""
    trap, task = TRAPS["absence_d"], trap_task("absence_d", "d")
    found = Fast(task)
    for row, column in trap["hidden"]:
        if Cell(row, column) not in task.minus:
            found.table.hide((row, column))
    assert found.table.is_safe()
    assert [[s.value, [list(e) for e in s.pattern], s.numerator, s.denominator] for s in
            absence_view(task, found.hidden)] == trap["absence"]  # fmt: skip


def test_two_sensitive_columns_are_two_tables() -> None:
    """Each with the other's confidential cells hidden."""
    task = trap_task("two_attributes", "a")
    hidden: list[Cell] = []
    for column in task.sensitive:
        own = {cell for cell in task.minus if cell.column == column}
        seen = Task(release(replace(task, minus=task.minus - own), hidden), {column: task.sensitive[column]}, own,
                    task.min_confidence, 0, task.regions)  # fmt: skip
        found = Fast(seen)
        assert {(rule.column, rule.value, rule.pattern) for rule in found.unsafe()} == {
            (rule.column, rule.value, rule.pattern) for rule in unsafe_rules(seen, release(seen, []))
        }
        assert rules.solve(found.table).status == "safe"
        hidden += found.hidden
    assert len(hidden) == TRAPS["two_attributes"]["optimum"]
    assert is_safe(task, hidden)


# ---- Random tables against the reference


SHARES = [*map(Fraction, ("0.5", "0.55", "0.3", "2/3", "1/4", "0.4", "1/3", "0", "1")), LONG]


def drawn_task(generator: Random, case: str, rows: int, most_conditions: int) -> Task:
    """One sensitive column after a few conditions, that depend on each other; unknown cells, marks, several values."""
    conditions, values = generator.randint(1, most_conditions), generator.randint(2, 3)
    table: list[list[str | None]] = []
    for _ in range(generator.randint(2, rows)):
        like = generator.randrange(values)
        drawn = [like if generator.random() < 0.5 else generator.randrange(values) for _ in range(conditions + 1)]
        line: list[str | None] = ["stuv"[x] if j == conditions else "abcd"[x] for j, x in enumerate(drawn)]
        table.append([None if generator.random() < 0.08 else value for value in line])
    table[0][conditions] = "s"
    known = [row for row, line in enumerate(table) if line[conditions] is not None]
    minus = {Cell(row, conditions) for row in generator.sample(known, min(len(known), generator.randint(1, 4)))}
    marked = generator.choice([0.0, 0.0, 0.2, 0.5])
    plus = {Cell(i, j) for i in range(len(table)) for j in range(conditions + 1) if generator.random() < marked}
    return Task(
        table,
        {conditions: list(range(conditions))},
        minus,
        generator.choice(SHARES),
        generator.choice([0, 0, 0, 1, 2]),
        CASES[case],
        plus - minus,
        generator.choice(["all", "published"]),
    )


@st.composite
def tasks(draw: st.DrawFn, cases: str = "abcdefgh", rows: int = 14, most_conditions: int = 3) -> Task:
    """Random tables: most of them leak."""
    generator = Random(draw(st.integers(0, 2**64)))
    case = draw(st.sampled_from(cases))
    for _ in range(generator.choice([1, 20, 20, 20])):
        task = drawn_task(generator, case, rows, most_conditions)
        if not is_safe(task, []):
            break
    return task


@given(tasks(), st.integers(0, 2**32))
def test_counts_follow_every_change(task: Task, seed: int) -> None:
    generator, found = Random(seed), Fast(task)
    hidden: list[Cell] = []
    for _ in range(12):
        free = [cell for cell in sorted(may_hide(task)) if cell not in hidden]
        if hidden and (not free or generator.random() < 0.4):
            cell = generator.choice(hidden)
            hidden.remove(cell)
            change = found.table.show
        elif free:
            cell = generator.choice(free)
            hidden.append(cell)
            change = found.table.hide
        else:
            break
        place = rules.SENSITIVE if cell.column == found.column else found.conditions.index(cell.column)
        assert found.table.may((cell.row, place)) == (change == found.table.hide)
        change((cell.row, place))
        released = release(task, hidden)
        expected = {rule: counts(released, rule, task.denominator) for rule in carriers(task, released)}
        assert found.counted() == expected
        unsafe = found.unsafe()
        assert len(unsafe) == len(set(unsafe))
        assert set(unsafe) == set(unsafe_rules(task, released))
        assert found.table.is_safe() == (not unsafe)
        about = carriers(task, released)
        assert set(found.table.leaking()) == {row for rule in unsafe for row in about[rule]}
    assert sorted(found.hidden) == sorted(hidden)
    found.table.take_back(0)
    assert found.hidden == []
    assert found.counted() == Fast(task).counted()


def table_of(lines: str) -> list[list[str | None]]:
    """One word for each row; a dash is unknown."""
    return [[None if value == "-" else value for value in line] for line in lines.split()]


SHARES_THAT_RISE = Task(
    table_of("aas bau bas aau aas bbu bbs bat abu aas abu"),
    {2: [0, 1]},
    {Cell(row, 2) for row in (0, 1, 2, 5)},
    Fraction(1, 4),
    regions=CASES["a"],
    denominator="published",
)
"""What is hidden of one value makes rules to another unsafe in the same round."""


@given(tasks(cases="aefg"))
@example(SHARES_THAT_RISE)
def test_smc_is_the_references(task: Task) -> None:
    found, expected = Fast(task), slow.smc(task)
    answer = rules.smc(found.table)
    assert found.hidden == expected.hidden
    assert answer.status == expected.status


def chosen(seed: int) -> slow.Draw:
    generator = Random(seed)
    return lambda nodes: nodes[generator.randrange(len(nodes))]


@given(tasks(cases="bdf"), st.sampled_from(["max-descendant", "random", "random-max"]), st.integers(0, 99))
def test_r_graph_is_the_references(task: Task, how: str, seed: int) -> None:
    """With the same draws also the random ones."""
    task = replace(task, regions=task.regions._replace(own_conditions=False))
    choose = {"random": slow.random_node(chosen(seed)), "random-max": slow.random_max(chosen(seed))}
    expected = slow.graph_method(task, choose.get(how, slow.max_descendant))
    found, generator = Fast(task), Random(seed)
    answer = rules.r_graph(found.table, how, generator.randrange)
    assert found.hidden == expected.hidden
    assert answer.status == expected.status


ROWS_THAT_LEAK_LATER = Task(
    table_of("abbs aaat babt babt abbs bbas abas"),
    {3: [0, 1, 2]},
    {Cell(row, 3) for row in (0, 1, 2, 5, 6)},
    Fraction(1, 4),
    regions=CASES["c"],
)
"""What one row hides makes a rule of a later row unsafe in the same round."""


@given(tasks(cases="cdef"))
@example(ROWS_THAT_LEAK_LATER)
def test_hitting_sets_are_the_references(task: Task) -> None:
    found, expected = Fast(task), slow.hitting_sets(task)
    answer = rules.hitting_sets(found.table)
    assert found.hidden == expected.hidden
    assert answer.status == expected.status


@given(tasks(cases="abg"), st.booleans(), st.booleans())
def test_cr_is_the_references(task: Task, conditions: bool, largest_first: bool) -> None:
    found = Fast(task)
    expected = slow.cr(task, "conditions" if conditions else "sensitive", largest_first)
    answer = rules.cr(found.table, conditions=conditions, largest_first=largest_first)
    assert found.hidden == expected.hidden
    assert answer.status == expected.status


def marked(
    lines: str, case: str, minus: Sequence[int], share: Fraction | str, plus: str = "", denominator: Any = "all"
) -> Task:
    """A table with one sensitive column, the last; `plus` has the row and column of each cell to publish."""
    table = table_of(lines)
    column = len(table[0]) - 1
    publish = {Cell(*map(int, pair.split(","))) for pair in plus.split()}
    secret = {Cell(row, column) for row in minus}
    return Task(table, {column: [*range(column)]}, secret, Fraction(share), 0, CASES[case], publish, denominator)


BELOW_A_BOUND_NODE = marked("bas ab- bas -bt aas abt", "b", [0, 3, 5], "1/2", "2,0 2,1")
"""The largest pattern is that of row 2, which may hide nothing; what helps is row 4, below it."""


@pytest.mark.parametrize("how", ["max-descendant", "random-max", "random"])
def test_the_r_graph_goes_below_nodes_that_may_hide_nothing(how: str) -> None:
    found = Fast(BELOW_A_BOUND_NODE)
    assert rules.r_graph(found.table, how).status == "safe"
    assert is_safe(found.task, found.hidden)
    assert len(found.hidden) == optimum(found.task).cost == 1


FEW_MAY = "0,0 0,1 2,1 3,0 3,1 6,0 6,1 6,2"
SOME_MAY_NOT = marked("abs bas abt bbt abt -as aas", "f", [0, 1, 2, 3, 5], LONG, FEW_MAY)
"""The cheapest cell for all rules is not the cheapest for those that have little else."""
OWN_OR_OTHERS = marked("abs ab- aas -bs -a- abs a-s bas aas", "d", [7, 8], "11/20", "0,0 0,1 2,1 3,1 5,0 5,1 8,0")
TWO_TOGETHER = marked("bas aas -at aat aas aat abt", "c", [0, 2, 4, 5], "1/4")
"""No single cell leaves less to do: hiding one row's conditions raises another's rules."""


@pytest.mark.parametrize("task", [SOME_MAY_NOT, OWN_OR_OTHERS, TWO_TOGETHER])
def test_the_general_search_knows_what_may_be_hidden_and_looks_ahead(task: Task) -> None:
    found = Fast(task)
    assert rules.greedy(found.table).status == "safe"
    rules.prune(found.table)
    assert is_safe(task, found.hidden)
    assert len(found.hidden) == optimum(task).cost


@given(tasks(rows=8, most_conditions=2), st.integers(0, 9))
def test_what_is_left_to_do_is_the_references(task: Task, some: int) -> None:
    """Also after a few cells are hidden."""
    found, free = Fast(task), may_hide(task)
    for cell in sorted(free)[: some // 2]:
        place = rules.SENSITIVE if cell.column == found.column else found.conditions.index(cell.column)
        found.table.hide((cell.row, place))
    assert rules_greedy._left(found.table) == to_do(task, found.hidden, free)


METHODS = ["best", "smc", "max-descendant", "random-max", "random", "hitting-set", "cr", "greedy"]


def cannot_be_safe(task: Task) -> bool:
    """Whether a search through all choices of cells finds none."""
    return optimum(task).status == INFEASIBLE


@given(tasks(rows=8, most_conditions=2), st.sampled_from(METHODS), st.integers(0, 99))
def test_answers_are_true(task: Task, method: str, seed: int) -> None:
    """A safe table is safe, hides only what may be hidden and nothing in vain; infeasible is so."""
    found = Fast(task)
    answer = rules.solve(found.table, method, Random(seed).randrange)
    assert len(set(found.hidden)) == len(found.hidden)
    assert set(found.hidden) <= may_hide(task)
    if answer.status == "safe":
        assert answer.hidden == found.table.hidden
        assert is_safe(task, found.hidden)
        for cell in found.hidden:
            assert not is_safe(task, [other for other in found.hidden if other != cell]), cell
    else:
        assert found.hidden == answer.hidden == []
        assert not is_safe(task, [])
    if answer.status == "infeasible":
        assert answer.why
        assert cannot_be_safe(task)
    if certificate(task) is not None:
        assert answer.status == "infeasible"


@given(tasks(rows=8, most_conditions=2))
def test_certificates_are_the_references(task: Task) -> None:
    """A rule that nothing mends: then no choice of cells is safe."""
    why = rules.certificate(Fast(task).table)
    assert bool(why) == (certificate(task) is not None)
    assert not why or cannot_be_safe(task)


@pytest.mark.slow
@given(tasks(rows=8, most_conditions=2))
def test_exact_is_the_optimum(task: Task) -> None:
    found, expected = Fast(task), optimum(task)
    answer = exact(found.table)
    assert answer.status == expected.status
    assert len(found.hidden) == expected.cost
    assert answer.hidden == found.table.hidden
    assert (expected.status == SAFE) == (found.table.is_safe() and is_safe(task, found.hidden))
    solved = rules.solve(Fast(task).table, "exact")
    assert (solved.status, len(solved.hidden)) == (expected.status, expected.cost)


@contextmanager
def without_scipy() -> Iterator[None]:
    """Nobody can import it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("scipy", "scipy.optimize", "scipy.sparse"):
            patch.setitem(sys.modules, name, None)
        yield


A_WAY = marked("bas abs bas aas abs abs abt aas", "d", [0, 3, 4], "2/5", "0,0 3,1 4,1 5,0 7,0 7,1")
NO_WAY = marked(
    "aas ccu aas bas cau aau -bs cau", "g", [1, 3, 6], "1/4", "0,2 2,0 2,1 2,2 5,1 5,2 7,0 7,1", "published"
)
NO_WAY_OF_ITS_OWN = marked(
    "cbs acu aau aau ccs aat cau", "c", [0, 1, 3, 4, 6], "3/10", "0,0 0,1 1,0 1,1 3,0 4,0 6,0 6,1"
)
NO_WAY_BY_VALUES = marked("bs bt bs bt bt bs bt bt", "a", [0, 3], "1/3", "2,1 4,1", "published")
TWO_TOO_MANY = marked("aas aat bas ba- abs aas a-t aat", "f", [0, 4, 7], "2/5", "0,1 5,0 5,2 6,0 7,1", "published")
ONE_TOO_MANY = marked("aas bat bbt bas aat bbs bbt aas", "e", [2, 3, 6], "1/3", denominator="published")


@pytest.mark.slow
@given(tasks(rows=8, most_conditions=2), st.booleans())
@example(A_WAY, True)
@example(NO_WAY, True)
@example(NO_WAY_OF_ITS_OWN, True)
@example(NO_WAY_BY_VALUES, True)
@example(TWO_TOO_MANY, True)
@example(ONE_TOO_MANY, True)
def test_the_default_hides_the_fewest_cells_of_small_tables(task: Task, scipy: bool) -> None:
    """It finds a way exactly where there is one, with and without SciPy; and so does `exact`."""
    expected = optimum(task)
    for method in ("best", "exact"):
        found = Fast(task)
        with nullcontext() if scipy else without_scipy():
            answer = rules.solve(found.table, method)
        assert (answer.status, len(answer.hidden)) == (expected.status, expected.cost)
        assert answer.hidden == found.table.hidden
        assert answer.gap == (0 if expected.status == SAFE else None)
        assert (expected.status == SAFE) == is_safe(task, found.hidden)


@given(tasks(rows=8, most_conditions=2), st.sampled_from(METHODS), st.integers(0, 99))
@example(A_WAY, "smc", 0)
@example(NO_WAY, "max-descendant", 0)
def test_every_method_finds_a_way_where_a_small_table_has_one(task: Task, method: str, seed: int) -> None:
    assert rules.solve(Fast(task).table, method, Random(seed).randrange).status == optimum(task).status


@pytest.mark.slow
@given(tasks(rows=8, most_conditions=2), st.integers(1, 12), st.integers(0, 3000))
def test_a_search_says_what_it_has_proven(task: Task, fewer_than: int, work: int) -> None:
    """Also when it ends too soon, or looks for fewer cells than there are."""
    assume(not is_safe(task, []))
    expected = optimum(task)
    found = Fast(task)
    for answer in (rules.search(found.table), rules.search(found.table, work=work)):
        assert answer.status in (expected.status, "not found")
        if answer.status == SAFE:
            assert is_safe(task, [found.cell(cell) for cell in answer.hidden])
            assert answer.least in (None, expected.cost)
            assert answer.least is None or len(answer.hidden) == expected.cost
    assert rules.search(found.table).gap == (0 if expected.status == SAFE else None)
    fewer = rules.search(found.table, fewer_than)
    if expected.status == SAFE and expected.cost < fewer_than:
        assert (fewer.status, len(fewer.hidden), fewer.least) == (SAFE, expected.cost, expected.cost)
    else:
        assert (fewer.status, fewer.hidden, fewer.least) == ("not found", [], fewer_than)
    assert found.hidden == []


def test_a_search_hears_that_it_is_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between a few steps; the table is as it was, and the default takes what else it found."""
    monkeypatch.setattr(rules_search, "AT_ONCE", 1)
    table, asked = crowded(), 0

    def ends() -> bool:
        nonlocal asked
        asked += 1
        return asked < 3

    assert rules.search(table, None, ends).least is None
    assert asked == 3

    def stops() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rules.search(table, None, stops)
    assert table.hidden == []
    assert not table.is_safe()
    answer = rules.solve(table, carry_on=lambda: False)
    assert (answer.status, answer.least) == ("safe", None)
    assert table.is_safe()


def test_large_tables_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_search, "MOST", 10)
    table = Fast(A_WAY).table
    assert rules.search(table) == rules.HidingAnswer("not found", [], "search")
    with without_scipy(), pytest.raises(InputError, match="needs SciPy for a table of this size"):
        rules.solve(table, "exact")
    assert rules.solve(table).status == "safe"  # by whole regions or the general search


MARKED = "1,1 1,2 4,0 8,0 9,0 9,2 10,1 10,2 12,0 12,2"
BASELINE_IS_BETTER = Task(
    table_of("abas baas bbct aacs cccu bcbt ccc- a-at bbbu b--s --bs caas aaas"),
    {3: [0, 1, 2]},
    {Cell(row, 3) for row in (0, 3, 8, 10)},
    Fraction(1, 2),
    regions=CASES["b"],
    plus={Cell(*map(int, pair.split(","))) for pair in MARKED.split()},
)
"""With these marks the R-graph hides more than the baseline."""


@given(tasks(cases="abg"))
@example(BASELINE_IS_BETTER)
def test_solve_never_hides_more_than_the_baseline(task: Task) -> None:
    baseline, found = Fast(task), Fast(task)
    conditions = not task.regions.others_sensitive
    expected = rules.cr(baseline.table, conditions=conditions)
    answer = rules.solve(found.table)
    if expected.status == "safe":
        assert answer.status == "safe"
        assert len(answer.hidden) <= len(expected.hidden)


@given(tasks(), st.integers(0, 5))
def test_prune_leaves_nothing_that_could_be_shown(task: Task, keep: int) -> None:
    found = Fast(task)
    for row, place in [*np.argwhere(found.table.free.T).tolist()]:
        if found.table.may((row, place)):
            found.table.hide((row, place))
    for row in np.flatnonzero(found.table.free_sensitive).tolist():
        if found.table.may((row, rules.SENSITIVE)):
            found.table.hide((row, rules.SENSITIVE))
    assume(found.table.is_safe())
    before = list(found.hidden)
    rules.prune(found.table, keep)
    assert is_safe(task, found.hidden)
    assert found.hidden[:keep] == before[:keep]
    assert found.hidden == [cell for cell in before if cell in found.hidden]
    for cell in found.hidden[keep:]:
        assert not is_safe(task, [other for other in found.hidden if other != cell])


@given(tasks(cases="aeg"))
def test_decoys_bring_shares_within_the_limit(task: Task) -> None:
    """Or no cell is left that would help more rules than it harms, without making a rule unsafe."""
    found = Fast(task)
    assume(rules.solve(found.table).status == "safe")
    before = list(found.hidden)
    decoys = [Cell(row, found.column) for row in rules.decoys(found.table)]
    assert found.hidden == [*before, *decoys]
    assert is_safe(task, found.hidden)
    assert set(decoys) <= may_hide(task)
    short = set(aware_warnings(task, found.hidden))
    assert short <= set(aware_warnings(task, before)) | {rule for rule in short if decoys}
    if task.min_confidence == 0:
        assert decoys == []
        return
    for cell in may_hide(task) - set(found.hidden) if short else ():
        if cell.column == found.column and is_safe(task, [*found.hidden, cell]):
            assert gain(task, found.hidden, cell, short) <= 0


def gain(task: Task, hidden: Sequence[Cell], cell: Cell, short: set[Rule]) -> int:
    """How many rules that want decoys a cell would help, less those that it would harm."""
    line = release(task, hidden)[cell.row]
    about = [rule for rule in short if all(line[c] == value for c, value in rule.pattern)]
    return sum(1 if task.table[cell.row][cell.column] != rule.value else -1 for rule in about)


def test_a_decoy_does_not_make_a_rule_unsafe() -> None:
    """Where hidden cells do not count, hiding another value raises confidence."""
    table: list[list[str | None]] = [["a", value] for value in "sstuu"]
    task = Task(table, {1: [0]}, {Cell(0, 1)}, Fraction(1, 4), 0, CASES["a"], set(), "published")
    found = Fast(task)
    assert found.table.is_safe()
    assert rules.decoys(found.table) == []
    assert is_safe(task, [])
    counted_all = Fast(replace(task, denominator="all"))
    assert rules.decoys(counted_all.table) == [2, 3, 4]


def test_unknown_cells_are_no_decoys() -> None:
    """A cell that was missing from the beginning is not among those that were hidden."""
    table: list[list[str | None]] = [["a", "s"], ["a", None], ["a", None], ["a", "t"], ["a", "t"]]
    task = Task(table, {1: [0]}, {Cell(0, 1)}, Fraction(1, 2), 0, CASES["a"])
    assert rules.decoys(Fast(task).table) == [3]


# ---- Rows that may be seen in other ways


@dataclass
class Shadowed:
    """A task, with other ways in which its confidential rows may be seen: a line for each, beside the row."""

    task: Task
    shadows: Sequence[tuple[int, tuple[int | None, ...]]]
    """The row, and the row whose value each condition has (None: its own)."""

    def table(self) -> rules.RuleTable:
        found = Fast(self.task)
        cells, sensitive = found.table.original, found.table.original_sensitive
        lines, real = [cells], [np.arange(cells.shape[1], dtype=np.int64)]
        for row, others in self.shadows:
            line = [cells[place, row if other is None else other] for place, other in enumerate(others)]
            lines.append(np.array(line, dtype=np.int32)[:, None])
            real.append(np.array([row], dtype=np.int64))
        of = np.concatenate(real)
        rows = [*found.rows, *range(cells.shape[1], len(of))]
        free, also = found.table.free[:, of], found.table.free_sensitive[of]
        return rules.RuleTable(np.concatenate(lines, axis=1), sensitive[of], rows, found.table.limits, free, also, of)

    def is_safe(self, hidden: Sequence[Cell]) -> bool:
        """Count by hand for every line that may be known of a confidential row."""
        task, released = self.task, release(self.task, hidden)
        (column,) = task.sensitive
        lines = [(cell.row, tuple(released[cell.row][:column])) for cell in task.minus]
        for row, others in self.shadows:
            told = [task.table[row if other is None else other][c] for c, other in enumerate(others)]
            own = [told[c] == task.table[row][c] for c in range(column)]
            lines.append((row, tuple(released[row][c] if own[c] else told[c] for c in range(column))))
        for row, line in lines:
            known = [(c, value) for c, value in enumerate(line) if value is not None]
            value = task.table[row][column]
            assert value is not None
            for size in range(1, len(known) + 1):
                for pattern in combinations(known, size):
                    n, d = counts(released, Rule(column, pattern, value), task.denominator)
                    if n > task.min_support and n > task.min_confidence * d:
                        return False
        return True


@st.composite
def shadowed(draw: st.DrawFn) -> Shadowed:
    task = draw(tasks(rows=10))
    (column,) = task.sensitive
    generator = Random(draw(st.integers(0, 2**32)))
    found = []
    for cell in sorted(task.minus):
        for _ in range(draw(st.integers(0, 2))):
            others = tuple(generator.choice([None, generator.randrange(len(task.table))]) for _ in range(column))
            found.append((cell.row, others))
    return Shadowed(task, found)


@given(shadowed(), st.sampled_from(METHODS), st.integers(0, 99))
def test_rows_that_may_be_seen_in_several_ways(job: Shadowed, method: str, seed: int) -> None:
    table = job.table()
    (column,) = job.task.sensitive
    assert table.is_safe() == job.is_safe([])
    answer = rules.solve(table, method, Random(seed).randrange)
    hidden = [Cell(row, column if place == rules.SENSITIVE else place) for row, place in table.hidden]
    assert set(hidden) <= may_hide(job.task)
    assert table.is_safe() == job.is_safe(hidden) == (answer.status == "safe")
    if answer.status == "safe" and job.task.regions.others_sensitive:
        rules.decoys(table)
        assert table.is_safe()
    if answer.status == "infeasible":
        assert exact(job.table()).status == "infeasible"


@FEW
@given(shadowed())
def test_exact_with_rows_that_may_be_seen_in_several_ways(job: Shadowed) -> None:
    table = job.table()
    (column,) = job.task.sensitive
    answer = exact(table)
    hidden = [Cell(row, column if place == rules.SENSITIVE else place) for row, place in table.hidden]
    assert job.is_safe(hidden) == (answer.status == "safe")
    solved = rules.solve(job.table())
    assert (solved.status, len(solved.hidden)) == (answer.status, len(hidden))


def test_exact_is_for_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_exact, "MOST", 10)
    with pytest.raises(InputError, match="exact is for small tables"):
        exact(Fast(golden_task(FIG2, "a")).table)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 5), st.fractions(0, 1, max_denominator=12))
def test_least_hidden_counts(num: int, more: int, support: int, share: Fraction) -> None:
    limit = np.array([share.numerator, share.denominator], dtype=np.int64)
    den = num + more
    assert kernels.least_hidden(num, den, support, limit, True) == min_hide(num, den, support, share)


def fewest(unsafe: Sequence[int], free: Sequence[int]) -> list[int] | None:
    """The first of the smallest sets of free conditions that every unsafe rule meets, tried one after the other."""
    for size in range(len(free) + 1):
        for chosen in combinations(free, size):
            if all(any(mask >> column & 1 for column in chosen) for mask in unsafe):
                return list(chosen)
    return None


@given(st.sets(st.integers(1, 63)), st.sets(st.integers(0, 5)), st.integers(0, 63))
def test_the_hitting_set_is_the_first_of_the_smallest(unsafe: set[int], free: set[int], known: int) -> None:
    table = wide(6)
    table.rules.num[:], table.rules.den[:] = 0, 1
    table.rules.num[0, list(unsafe)] = 1
    found = int(kernels.fewest_hitting(table.rules._replace(known=np.array([known])), 0, sum(1 << c for c in free)))
    expected = fewest([mask for mask in unsafe if mask & ~known == 0], sorted(free))
    assert (None if found < 0 else columns_of(found)) == expected


def wide(conditions: int) -> rules.RuleTable:
    """Two rows alike in all conditions: every rule about the first leaks, and any of its cells may be hidden."""
    cells = np.zeros((conditions, 2), dtype=np.int32)
    free = np.tile([True, False], (conditions, 1))
    limits = rules.Limits(Fraction(1, 4))
    return rules.RuleTable(cells, np.array([1, 1], dtype=np.int32), [0], limits, free, np.zeros(2, dtype=np.bool_))


@pytest.mark.slow
def test_twenty_conditions_of_its_own_are_soon_hidden() -> None:
    table = wide(20)
    assert rules.hitting_sets(table).status == "safe"
    assert len(table.hidden) == 20


def crowded() -> rules.RuleTable:
    """Thirty rows, some rules of four of them leak; conditions of the others may be hidden."""
    generator = np.random.default_rng(1)
    cells = generator.integers(0, 2, (5, 30)).astype(np.int32)
    sensitive = (generator.random(30) < 0.6).astype(np.int32)
    sensitive[:4] = 1
    free = np.ones((5, 30), dtype=np.bool_) & (np.arange(30) >= 4)
    return rules.RuleTable(cells, sensitive, range(4), rules.Limits(Fraction(1, 2)), free, np.zeros(30, dtype=np.bool_))


def test_exact_proves_its_choice_when_there_is_time() -> None:
    for seconds in (inf, 100.0):
        table = crowded()
        answer = rules.solve(table, "exact", seconds_left=lambda seconds=seconds: seconds)  # type: ignore[misc]
        assert (answer.status, answer.least, answer.gap, answer.method) == ("safe", len(answer.hidden), 0, "exact")
        assert table.is_safe()


def test_exact_without_time_hides_what_the_others_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_search, "MOST", 0)
    monkeypatch.setattr(rules, "MOST_CELLS", 0)
    fewest, best, table = crowded(), crowded(), crowded()
    least = len(rules.solve(fewest, "exact").hidden)
    others = rules.solve(best)
    answer = rules.solve(table, "exact", seconds_left=lambda: 0.0)
    assert (answer.status, answer.hidden) == ("safe", others.hidden)
    assert table.is_safe()
    assert answer.least is not None
    assert 1 <= answer.least <= least < len(answer.hidden)  # the others are not the best here


def test_the_solver_is_given_the_seconds_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stops with a bound and no choice: the bound is said, and is what the solver has proven, rounded up."""
    monkeypatch.setattr(rules_search, "MOST", 0)
    optimize = pytest.importorskip("scipy.optimize")
    asked: list[dict[str, float]] = []

    class Stopped:
        status, x, mip_dual_bound = 1, None, 3.2

    def milp(*_: object, options: dict[str, float], **__: object) -> type[Stopped]:
        asked.append(options)
        return Stopped

    monkeypatch.setattr(optimize, "milp", milp)
    answer = rules.solve(crowded(), "exact", seconds_left=lambda: 5.0)
    assert asked[0]["time_limit"] == 5.0
    assert (answer.status, answer.least, answer.gap) == ("safe", 4, len(answer.hidden) - 4)
