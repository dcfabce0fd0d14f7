"""The reference of the cells safe against association rules gives the worked examples and keeps its promises."""

from collections.abc import Callable, Collection
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.rules import Step, cr, graph_method, hitting_sets, r_graph, random_max, random_node, smc
from tests.reference.rules_general import certificate, general, give_back, optimum, solve
from tests.reference.rules_golden import FIG2, TINY, TRAPS, golden_task, trap_task
from tests.reference.rules_model import (
    CASES,
    INFEASIBLE,
    NOT_FOUND,
    SAFE,
    Answer,
    Cell,
    Certificate,
    Denominator,
    Exhausted,
    Rule,
    Task,
    beta,
    carriers,
    counts,
    is_safe,
    may_hide,
    min_hide,
    region,
    release,
    unsafe_rules,
)
from tests.reference.rules_views import (
    VIEWS,
    absence_view,
    aware_warnings,
    decoys,
    frequent_anyway,
    removal_rates,
    shares,
)

pytestmark = pytest.mark.reference


def cells(pairs: Collection[Collection[int]]) -> set[Cell]:
    return {Cell(*pair) for pair in pairs}


# ---- Figure 2


def test_figure_2_nodes_and_edges() -> None:
    task = golden_task(FIG2, "b")
    graph = r_graph(task, release(task, []), 3, "s")
    expected = FIG2["conventions"]["null"]
    found = {
        "".join(v for _, v in p): [node.numerator, node.denominator, node.min_hide, len(node.exact_rows)]
        for p, node in graph.nodes.items()
    }
    assert found == expected["nodes"]
    assert (len(graph.nodes), len(graph.edges)) == (expected["n_nodes"], expected["n_edges"]) == (11, 16)


def test_figure_2_max_descendant_step_by_step() -> None:
    trace: list[Step] = []
    found = graph_method(golden_task(FIG2, "b"), trace=trace)
    assert [
        {"entry": list(s.entry), "m": len(s.rows), "node": [list(e) for e in s.node], "rows": s.rows} for s in trace
    ] == FIG2["trace"]
    assert set(found.hidden) == cells(FIG2["max_descendant"]["hidden"])
    assert found.status == SAFE


def test_figure_2_smc_in_order() -> None:
    found = smc(golden_task(FIG2, "a"))
    assert found.hidden == [Cell(*c) for c in FIG2["smc"]["order"]]
    assert found.status == SAFE


@pytest.mark.parametrize(("case", "hide"), [("a", "sensitive"), ("b", "conditions")])
def test_figure_2_cr(case: str, hide: str) -> None:
    task = golden_task(FIG2, case)
    found = cr(task, hide)
    assert set(found.hidden) == cells(FIG2[f"cr_{case}"]["hidden"])
    assert found.status == cr(task, hide, largest_first=False).status == SAFE


@pytest.mark.parametrize("case", "abcdefg")
def test_figure_2_solve_and_optimum(case: str) -> None:
    task, expected = golden_task(FIG2, case), FIG2["per_case"][case]
    found = solve(task)
    assert optimum(task).cost == expected["optimum"]
    assert found.cost <= expected["solve"]["cost"]
    assert set(found.hidden) == cells(expected["solve"]["hidden"])


def test_figure_2_with_its_marks_has_no_safe_table_in_case_a() -> None:
    """All sensitive cells are marked +: only conditions of others may go."""
    marks = {Cell(i, j) for i, j, mark in FIG2["table"]["marks"] if mark == "+"}
    marked = replace(golden_task(FIG2, "a"), plus=marks)
    found = solve(marked)
    assert found.status == INFEASIBLE
    assert isinstance(found.proof, Certificate)
    assert solve(replace(marked, regions=CASES["f"])).cost == FIG2["per_case"]["b"]["optimum"]


@pytest.mark.parametrize(("audit", "method", "case"), [("audit_a", "smc", "a"), ("audit_b", "max_descendant", "b")])
def test_figure_2_what_other_adversaries_see(audit: str, method: str, case: str) -> None:
    task, hidden = golden_task(FIG2, case), cells(FIG2[method]["hidden"])
    assert {name: len(view(task, hidden)) for name, view in VIEWS.items()} == FIG2[audit]


# ---- traps


@pytest.mark.parametrize("kind", ["float_traps", "regular"])
def test_thresholds_are_exact(kind: str) -> None:
    for n, d, support, confidence, hide_values, hide_rows in TRAPS[f"{kind} [num,den,minsupp,minconf,beta,minhide]"]:
        assert beta(n, d, support, Fraction(confidence)) == hide_values
        assert min_hide(n, d, support, Fraction(confidence)) == hide_rows
        assert beta(n, d, support, Fraction(confidence), "published") == hide_rows


def seen(task: Task, hidden: Collection[Cell]) -> list[Any]:
    found = unsafe_rules(task, release(task, hidden))
    return [[rule.value, [list(e) for e in rule.pattern], n, d] for rule, (n, d) in found.items()]


def test_hiding_one_value_raises_the_other() -> None:
    trap, task = TRAPS["nonmonotone_b"], trap_task("nonmonotone_b", "b")
    assert seen(task, []) == trap["before"]
    assert seen(task, [Cell(1, 0), Cell(2, 0)]) == trap["after_hiding_two_s"]
    assert graph_method(task).hidden == [Cell(*c) for c in trap["final"]["hidden"]]


def test_hiding_own_conditions_raises_other_rows() -> None:
    name = "nonmonotone_c {a}->s [num,den]"
    task, rule = trap_task(name, "c", "0.3"), Rule(2, ((0, "a"),), "s")
    assert list(counts(release(task, []), rule, "all")) == TRAPS[name]["before"]
    assert list(counts(release(task, [Cell(0, 0)]), rule, "all")) == TRAPS[name]["after hiding A of row 0"]


def test_a_hidden_condition_is_a_condition() -> None:
    trap, task = TRAPS["absence_d"], trap_task("absence_d", "d")
    hidden = cells(trap["hidden"]) - task.minus
    assert is_safe(task, hidden) is trap["paper_safe"]
    found = [[s.value, [list(e) for e in s.pattern], s.numerator, s.denominator] for s in absence_view(task, hidden)]
    assert found == trap["absence"]


def test_two_sensitive_columns() -> None:
    trap, task = TRAPS["two_attributes"], trap_task("two_attributes", "f")
    names = trap["columns"]
    found = [
        [names[rule.column], rule.value, [[names[c], v] for c, v in rule.pattern], n, d]
        for rule, (n, d) in unsafe_rules(task, release(task, [])).items()
    ]
    assert sorted(found) == sorted(trap["unsafe"])
    assert set(solve(task).hidden) == cells(trap["solve"]["hidden"])
    assert optimum(task).cost == trap["optimum"]


def test_smc_is_not_optimal() -> None:
    trap, task = TRAPS["smc_suboptimal"], trap_task("smc_suboptimal", "a")
    found = smc(task)
    assert set(found.hidden) == cells(trap["smc_hidden"])
    assert (found.cost, optimum(task).cost) == (trap["smc"], trap["optimum"])


# ---- random tables


@pytest.mark.parametrize("place", range(len(TINY)))
@pytest.mark.parametrize("case", "abcdefg")
def test_random_tables(place: int, case: str) -> None:
    golden = TINY[place]
    expected, task = golden["cases"][case], golden_task(golden, case)
    draws = Random(place)
    ours: dict[str, Callable[[Task], Answer]] = {
        "SMC": smc,
        "MAX-DESCENDANT": graph_method,
        "hitting-set": hitting_sets,
        "CR": lambda task: cr(task, "conditions" if case == "b" else "sensitive"),
    }
    compared = {name: method(task).cost for name, method in ours.items() if name in expected}
    assert compared == {name: expected[name] for name in compared}
    assert len(compared) == sum(name in expected for name in ours)
    if expected["smc_hidden"] is not None:
        assert set(smc(task).hidden) == cells(expected["smc_hidden"])
    if "RANDOM" in expected:
        assert graph_method(task, random_node(draws.choice)).status == SAFE
        assert graph_method(task, random_max(draws.choice)).status == SAFE
    if "general" in expected:
        assert general(task).cost <= expected["general"]
    assert solve(task).cost <= expected["solve"]
    assert optimum(task).cost == expected["optimum"]


@pytest.mark.parametrize("golden", TINY)
def test_random_tables_unsafe_rules(golden: Any) -> None:
    task = golden_task(golden, "h")
    released, names = release(task, []), golden["table"]["attrs"]
    rows = carriers(task, released)
    found = [
        [rule.value, [[names[c], v] for c, v in rule.pattern], n, d, rows[rule]]
        for rule, (n, d) in unsafe_rules(task, released).items()
    ]
    assert sorted(found) == sorted(golden["unsafe"])


# ---- properties


def brute_force_safe(task: Task, hidden: Collection[Cell]) -> bool:
    """Every row marked -, every choice of known conditions, counted in the plainest way."""
    gone = task.minus | set(hidden)
    shown = [[None if (i, j) in gone else v for j, v in enumerate(row)] for i, row in enumerate(task.table)]
    for r, s in task.minus:
        for picks in product([False, True], repeat=len(task.sensitive[s])):
            used = [c for c, pick in zip(task.sensitive[s], picks, strict=True) if pick]
            if not used or any(shown[r][c] is None for c in used):
                continue
            same = [row for row in shown if [row[c] for c in used] == [shown[r][c] for c in used]]
            if task.denominator == "published":
                same = [row for row in same if row[s] is not None]
            good = len([row for row in same if row[s] == task.table[r][s]])
            if good > task.min_support and Fraction(good, len(same)) > task.min_confidence:
                return False
    return True


def brute_force_optimum(task: Task, free: Collection[Cell]) -> int | None:
    for size in range(len(free) + 1):
        if any(brute_force_safe(task, chosen) for chosen in combinations(sorted(free), size)):
            return size
    return None


THRESHOLDS = [Fraction(x) for x in ("0", "0.3", "0.36", "0.5", "0.55", "0.6", "0.75", "1")]


@st.composite
def tasks(draw: st.DrawFn, case: str | None = None, most_rows: int = 8, marks: bool = False) -> Task:
    """Small tables with one or two sensitive columns, missing values and, if asked for, + marks."""
    width = draw(st.integers(2, 4))
    value = st.sampled_from(["a", "a", "b", None])
    table = draw(st.lists(st.lists(value, min_size=width, max_size=width), min_size=2, max_size=most_rows))
    last = width - 1
    sensitive = {last: list(range(last))}
    if width > 2 and draw(st.booleans()):
        sensitive[last - 1] = [*range(last - 1), last] if draw(st.booleans()) else list(range(last - 1))
    may = [Cell(i, s) for i in range(len(table)) for s in sensitive if table[i][s] is not None]
    minus = set(draw(st.lists(st.sampled_from(may), max_size=3))) if may else set()
    everywhere = {Cell(i, j) for i in range(len(table)) for j in range(width)} - minus
    plus = set(draw(st.lists(st.sampled_from(sorted(everywhere)), max_size=8))) if marks and everywhere else set()
    regions = CASES[case or draw(st.sampled_from("abcdefgh"))]
    denominator: Denominator = draw(st.sampled_from(["all", "published"]))
    confidence, support = draw(st.sampled_from(THRESHOLDS)), draw(st.sampled_from([0, 0, 0, 1, 2]))
    return Task(table, sensitive, minus, confidence, support, regions, plus, denominator)


def check(task: Task, found: Answer) -> None:
    """What every answer must keep."""
    assert len(set(found.hidden)) == found.cost
    assert set(found.hidden) <= may_hide(task)
    if found.status == SAFE:
        assert brute_force_safe(task, found.hidden)


@given(tasks(marks=True), st.integers(0, 99))
def test_safe_answers_are_safe(task: Task, seed: int) -> None:
    draws = Random(seed)
    check(task, solve(task))
    check(task, general(task))
    check(task, smc(task))
    check(task, hitting_sets(task))
    check(task, graph_method(task))
    check(task, graph_method(task, random_node(draws.choice)))
    check(task, graph_method(task, random_max(draws.choice)))
    for hide, order in product(["sensitive", "conditions"], [True, False]):
        check(task, cr(task, hide, order))


@given(tasks(most_rows=5, marks=True))
def test_infeasible_is_true_and_the_optimum_is_the_fewest(task: Task) -> None:
    free = may_hide(task)
    found, best = solve(task), optimum(task)
    check(task, best)
    if len(free) > 10:
        return
    truth = brute_force_optimum(task, free)
    assert found.status in ((INFEASIBLE,) if truth is None else (SAFE,)), "so few cells are searched exactly"
    assert (best.status == INFEASIBLE) == (truth is None)
    if truth is not None:
        assert found.cost >= best.cost == truth


@given(tasks(most_rows=6, marks=True))
def test_a_certificate_proves(task: Task) -> None:
    """At best the rule's counts are those named, and they are unsafe; no search finds a safe table."""
    proof = certificate(task)
    if proof is None:
        return
    assert proof.numerator > task.min_support
    assert proof.numerator > task.min_confidence * proof.denominator
    assert not any(Cell(proof.row, c) in may_hide(task) for c, _ in proof.rule.pattern)
    assert optimum(task).status == INFEASIBLE


@given(tasks(marks=True))
def test_without_exact_search_nothing_is_called_infeasible_but_by_certificate(task: Task) -> None:
    found = solve(task, few_cells=-1)
    check(task, found)
    if found.status == INFEASIBLE:
        assert isinstance(found.proof, Certificate)


@given(st.sampled_from("abcdefg").flatmap(lambda case: tasks(case)))
def test_one_sensitive_column_without_marks_always_has_a_safe_table(task: Task) -> None:
    if len(task.sensitive) == 1:
        assert solve(task).status == SAFE


@given(tasks(most_rows=6))
def test_nothing_can_be_given_back(task: Task) -> None:
    hidden = solve(task).hidden
    if solve(task).status == SAFE:
        assert not any(brute_force_safe(task, set(hidden) - {cell}) for cell in hidden)


@given(tasks("g", most_rows=5))
def test_lemma_1(task: Task) -> None:
    """Conditions of other rows need not be hidden where their sensitive cells may be: one column, all rows counted."""
    if len(task.sensitive) > 1:
        return
    task = replace(task, denominator="all")
    for wide, narrow in (("g", "a"), ("f", "e")):
        assert optimum(replace(task, regions=CASES[wide])).cost == optimum(replace(task, regions=CASES[narrow])).cost


def random_task(draws: Random, case: str) -> Task:
    width, rows = draws.choice([2, 3, 3]), draws.randint(8, 18)
    values = draws.choice(["st", "sst", "ssst", "stu", "sstu"])
    table: list[list[str | None]] = [
        [*(draws.choice("abc"[: draws.choice([2, 3])]) for _ in range(width)), draws.choice(values)]
        for _ in range(rows)
    ]
    minus = {Cell(i, width) for i in draws.sample(range(rows), draws.randint(1, 4))}
    threshold = Fraction(draws.choice(["0.3", "0.4", "0.5", "0.55", "0.6"]))
    return Task(table, {width: list(range(width))}, minus, threshold, draws.choice([0, 0, 1]), CASES[case])


@pytest.mark.parametrize(("case", "hide"), [("a", "sensitive"), ("b", "conditions")])
def test_fewer_cells_than_cr_in_total(case: str, hide: str) -> None:
    draws = Random(5)
    batch = [random_task(draws, case) for _ in range(40)]
    ours = sum(solve(task).cost for task in batch)
    assert 0 < ours < sum(cr(task, hide).cost for task in batch)
    assert ours < sum(cr(task, hide, largest_first=False).cost for task in batch)


# ---- regions, decoys, rates, errors


def test_a_cell_belongs_to_one_region() -> None:
    """A condition of its own row's sensitive cell is that first, even in another sensitive column."""
    task = trap_task("two_attributes", "f")
    assert region(task, Cell(0, 2)) == region(task, Cell(5, 1)) == region(task, Cell(0, 0)) == "own_conditions"
    assert region(task, Cell(0, 1)) is None
    assert region(task, Cell(1, 1)) == region(task, Cell(1, 2)) == "others_sensitive"
    assert region(task, Cell(1, 0)) == "others_conditions"


def decoy_task() -> Task:
    table: list[list[str | None]] = [["a", "s"], ["a", "s"], ["a", "s"], ["a", "t"], ["a", "t"], ["a", "u"], ["b", "t"]]
    return Task(table, {1: [0]}, {Cell(0, 1)}, Fraction("0.3"), 0, CASES["a"])


def test_decoys_bring_the_share_down() -> None:
    task = decoy_task()
    hidden = solve(task).hidden
    assert hidden == [Cell(1, 1)]
    rule = Rule(1, ((0, "a"),), "s")
    assert aware_warnings(task, hidden) == {rule: (2, 2)}
    extra, left = decoys(replace(task, min_confidence=Fraction(2, 5)), hidden)
    assert (extra, left) == ([Cell(3, 1), Cell(4, 1), Cell(5, 1)], {})
    assert decoys(task, hidden) == ([], {rule: (2, 2)}), "too few other values: none is wasted"


def test_decoys_leave_the_table_safe() -> None:
    """Where only published rows count, one more hidden value would raise the rule."""
    table: list[list[str | None]] = [["a", "s"], ["a", "s"], ["a", "t"]]
    task = Task(table, {1: [0]}, {Cell(0, 1)}, Fraction(1, 2), 0, CASES["a"])
    assert decoys(task, []) == ([Cell(2, 1)], {})
    assert decoys(replace(task, denominator="published"), []) == ([], {Rule(1, ((0, "a"),), "s"): (1, 1)})


@given(tasks("a"))
def test_decoys_only_help(task: Task) -> None:
    found = solve(task)
    if found.status != SAFE:
        return
    extra, left = decoys(task, found.hidden)
    hidden = [*found.hidden, *extra]
    assert set(extra) <= may_hide(task) - set(found.hidden)
    assert brute_force_safe(task, hidden)
    assert set(left) <= set(aware_warnings(task, found.hidden)) | (set(shares(task, hidden)) if extra else set())
    assert left == aware_warnings(task, hidden)


def test_a_value_that_is_frequent_anyway() -> None:
    assert frequent_anyway(golden_task(FIG2, "a")) == {(3, "s"): Fraction(8, 9)}
    assert frequent_anyway(replace(decoy_task(), min_confidence=Fraction(3, 7))) == {}


def test_removal_rates_with_and_without_the_marked_cells() -> None:
    assert removal_rates(golden_task(FIG2, "a"), cells(FIG2["smc"]["hidden"])) == (Fraction(4, 36), Fraction(2, 36))


def test_marks_that_contradict_are_refused() -> None:
    task = decoy_task()
    with pytest.raises(ValueError, match="both"):
        replace(task, plus={Cell(0, 1)})
    with pytest.raises(ValueError, match="missing"):
        replace(task, table=[["a", None], ["a", "s"]])
    with pytest.raises(ValueError, match="outside"):
        replace(task, minus={Cell(0, 0)})


def test_case_h_only_verifies() -> None:
    assert solve(golden_task(FIG2, "h")).status == INFEASIBLE
    assert solve(golden_task(TINY[0], "h")).status == SAFE


def test_not_found_is_not_called_infeasible() -> None:
    """Every rule alone has a repair, no method finds them together: only the exact search may say there is none."""
    table: list[list[str | None]] = [["a", "b"], ["a", "b"], ["a", "b"], ["a", "a"], ["a", "a"], ["a", "a"]]
    plus = {Cell(1, 0), Cell(2, 1), Cell(4, 0), Cell(4, 1)}
    minus = {Cell(1, 1), Cell(5, 1)}
    task = Task(table, {1: [0]}, minus, Fraction(2, 5), 0, CASES["b"], plus, "published")
    assert certificate(task) is None
    assert solve(task, few_cells=0) == Answer(NOT_FOUND, [], None, "general greedy")
    assert solve(task).proof == Exhausted()
    assert brute_force_optimum(task, may_hide(task)) is None


LEMMA_FAILS: list[tuple[list[list[str | None]], dict[int, list[int]], set[Cell], Denominator]] = [
    (
        [["a", "a", "b"], ["a", "a", "b"], ["a", "a", "a"], ["b", "a", "a"]],
        {2: [0, 1]},
        {Cell(1, 2), Cell(2, 2)},
        "published",
    ),
    (
        [["a", "a", "a"], ["a", "a", "a"], ["b", "a", "b"], ["a", "a", "a"]],
        {2: [0, 1], 1: [0, 2]},
        {Cell(1, 1), Cell(3, 2), Cell(2, 2)},
        "all",
    ),
]


@pytest.mark.parametrize(("table", "sensitive", "minus", "denominator"), LEMMA_FAILS)
def test_lemma_1_fails_for_published_rows_and_for_two_columns(
    table: list[list[str | None]], sensitive: dict[int, list[int]], minus: set[Cell], denominator: Denominator
) -> None:
    """Case g is then better than case a, and solve finds it."""
    task = Task(table, sensitive, minus, Fraction(3, 5), 0, CASES["g"], denominator=denominator)
    assert brute_force_optimum(task, may_hide(task)) == 1 == solve(task).cost
    assert brute_force_optimum(task, may_hide(replace(task, regions=CASES["a"]))) == 2


def test_with_marks_the_general_greedy_is_tried_too() -> None:
    rows: list[list[str | None]] = [list(row) for row in ("aab", "baa", "aab", "aaa", "bba", "aba")]
    plus = {Cell(0, 1), Cell(1, 1), Cell(5, 0)}
    task = Task(rows, {2: [0, 1]}, {Cell(0, 2), Cell(5, 2)}, Fraction("0.3"), 0, CASES["b"], plus)
    assert (graph_method(task).cost, solve(task).cost, solve(task).method) == (3, 2, "general greedy")


def test_what_is_not_needed_is_given_back() -> None:
    task = golden_task(FIG2, "a")
    hidden = cr(task, "sensitive", largest_first=False).hidden
    assert (len(hidden), len(give_back(task, hidden))) == (3, 2)
    assert set(give_back(task, hidden)) < set(hidden)


def test_cr_can_be_better_on_a_single_table() -> None:
    """Hiding one value's conditions raises the other's rules, which the R-graph of the first does not see."""
    rows: list[list[str | None]] = [list(row) for row in ("aaab", "aaba", "aaba", "aaaa", "aaab", "abaa")]
    task = Task(rows, {3: [0, 1, 2]}, {Cell(5, 3), Cell(4, 3)}, Fraction(2, 5), 0, CASES["b"])
    assert (graph_method(task).cost, cr(task, "conditions").cost, general(task).cost, optimum(task).cost) == (
        3,
        1,
        1,
        1,
    )
