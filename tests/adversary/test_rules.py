"""Rules guess as the slow reference and the worked examples do, exactly at the thresholds."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.adversary.lattice import Kinds, superset_sums
from discreet.adversary.make import make
from discreet.adversary.rules import Denominator, Judged, Leak, Rule, RulesGuesser, TrainedRules, aware
from discreet.adversary.view import Lines, Seen, View, flat_tree
from discreet.errors import InputError
from discreet.policy.adversaries import Rules
from tests.adversary.releases import policy_for, view_of
from tests.conftest import load_golden
from tests.reference.rules_model import Cell, Table, Task, release
from tests.reference.rules_views import VIEWS
from tests.reference.rules_views import Seen as SeenRule


class Asked:
    """The confidential cells of one column of a reference task, on its release."""

    def __init__(self, task: Task, column: int, hidden: Sequence[Cell] = ()) -> None:
        self.task, self.column = task, column
        cells = sorted(cell for cell in task.minus if cell.column == column)
        conditions = sorted(task.sensitive[column])
        policy = policy_for(len(task.table[0]), [cell.row for cell in cells], column, conditions, {})
        self.view = view_of(release(task, hidden), policy, task.table)
        self.rows = np.array([cell.row for cell in cells], dtype=np.int64)
        self.lines = self.view.lines(self.rows)
        domain = self.view.classes.tree.domain
        self.truth = np.array([-1 if row[column] is None else domain.index(row[column]) for row in task.table])
        self.true = self.truth[self.rows]

    def guesser(self, **options: Any) -> RulesGuesser:
        return RulesGuesser(
            self.task.min_confidence, self.task.min_support, **{"denominator": self.task.denominator, **options}
        )

    def leaks(self, view: View | None = None, **options: Any) -> list[Leak]:
        trained = self.guesser(**options).train(view or self.view)
        return trained.leaks(self.lines, self.true)

    def seen(self, denominator: Denominator = "all", view: View | None = None, **options: Any) -> set[SeenRule]:
        """The unsafe rules as the reference writes them."""
        found = set()
        for leak in self.leaks(view, denominator=denominator, **options):
            places = [int(name[1:]) for name in leak.rule.columns]
            among = leak.rule.rows if denominator == "all" else leak.rule.published
            pattern = tuple(zip(places, leak.texts, strict=True))
            found.add(SeenRule(self.column, pattern, str(leak.value), leak.rule.support, among))
        return found


def golden_task(said: dict[str, Any]) -> Task:
    """A task of the golden files; rows and columns are counted from 0."""
    table = said["table"]
    names = table["attrs"]
    sensitive = {names.index(name): [names.index(other) for other in table["cond"][name]] for name in table["sens"]}
    minus = {Cell(row, column) for row, column, mark in table["marks"] if mark == "-"}
    return Task(table["rows"], sensitive, minus, Fraction(said["minconf"]), said["minsupp"])


@pytest.mark.parametrize("number", range(8))
def test_golden_random_tables(number: int) -> None:
    said = load_golden("safe_random_tiny.json")[number]
    task = golden_task(said)
    asked = Asked(task, next(iter(task.sensitive)))
    names = said["table"]["attrs"]
    found = [
        [
            leak.value,
            [[names[int(name[1:])], text] for name, text in zip(leak.rule.columns, leak.texts, strict=True)],
            leak.rule.support,
            leak.rule.rows,
            [int(asked.rows[line]) for line in leak.lines],
        ]
        for leak in asked.leaks()
    ]
    assert sorted(found) == sorted(said["unsafe"])
    exposed = {int(row) for row in asked.rows[asked.guesser().train(asked.view).judge(asked.lines, asked.true).exposed]}
    assert exposed == {row for rule in said["unsafe"] for row in rule[4]}


def test_figure_2_counts_of_every_node() -> None:
    said = load_golden("safe_fig2.json")
    asked = Asked(golden_task(said), 3)
    everything = RulesGuesser(Fraction(0)).train(asked.view).leaks(asked.lines, asked.true)
    found = {"".join(map(str, leak.texts)): leak.rule for leak in everything}
    for name, (support, rows, *_) in said["conventions"]["null"]["nodes"].items():
        if support:
            assert (found[name].support, found[name].rows) == (support, rows)
    excluded = said["conventions"]["excluded"]["nodes"]
    assert {name: (rule.support, rule.published) for name, rule in found.items()} == {
        name: (support, rows) for name, (support, rows, *_) in excluded.items() if support
    }


@pytest.mark.parametrize(("audit", "answer"), [("audit_a", "smc"), ("audit_b", "max_descendant")])
def test_figure_2_as_others_read_it(audit: str, answer: str) -> None:
    said = load_golden("safe_fig2.json")
    hidden = [Cell(*cell) for cell in said[answer]["hidden"]]
    asked = Asked(golden_task(said), 3, hidden)
    assert len(asked.leaks()) == said[audit]["paper"]
    assert len(asked.leaks(denominator="published")) == said[audit]["visible"]
    assert len(asked.leaks(absence=True)) == said[audit]["absence"]
    assert len(asked.leaks(aware(asked.view, asked.truth))) == said[audit]["nullset"]


def trap(name: str) -> tuple[dict[str, Any], Table]:
    said = load_golden("safe_traps.json")[name]
    return said, said["rows"]


def test_traps_where_hiding_raises_a_rule() -> None:
    said, table = trap("nonmonotone_b")
    task = Task(table, {1: [0]}, {Cell(*cell) for cell in said["minus"]}, Fraction(said["minconf"]))
    for hidden, expected in (([], said["before"]), ([Cell(1, 0), Cell(2, 0)], said["after_hiding_two_s"])):
        found = [[leak.value, leak.rule.support, leak.rule.rows] for leak in Asked(task, 1, hidden).leaks()]
        assert found == [[value, support, rows] for value, _, support, rows in expected]
    said, table = trap("nonmonotone_c {a}->s [num,den]")
    task = Task(table, {2: [0, 1]}, {Cell(*cell) for cell in said["minus"]}, Fraction(0))
    for key, hidden in (("before", []), ("after hiding A of row 0", [Cell(0, 0)])):
        (rule,) = [leak.rule for leak in Asked(task, 2, hidden).leaks() if leak.texts == ("a",)]
        assert [rule.support, rule.rows] == said[key]


def test_trap_of_absence() -> None:
    said, table = trap("absence_d")
    task = Task(table, {1: [0]}, {Cell(*cell) for cell in said["minus"]}, Fraction(said["minconf"]))
    asked = Asked(task, 1, [Cell(*cell) for cell in said["hidden"]])
    assert asked.leaks() == []
    (leak,) = asked.leaks(absence=True)
    assert [[leak.value, [[0, leak.texts[0]]], leak.rule.support, leak.rule.rows]] == said["absence"]


def test_trap_of_two_sensitive_columns() -> None:
    said, table = trap("two_attributes")
    task = Task(table, {1: [0, 2], 2: [0, 1]}, {Cell(*cell) for cell in said["minus"]}, Fraction(said["minconf"]))
    found = [
        [said["columns"][column], leak.value,
         [[said["columns"][int(name[1:])], text] for name, text in zip(leak.rule.columns, leak.texts, strict=True)],
         leak.rule.support, leak.rule.rows]
        for column in (1, 2)
        for leak in Asked(task, column).leaks()
    ]  # fmt: skip
    assert sorted(found) == sorted(said["unsafe"])


def rows_of(support: int, rows: int) -> View:
    """A table of one condition: so many rows have it, so many of these the value."""
    classes = np.where(np.arange(rows + 1) < support, 1, 2)
    classes[-1] = 0
    conditions = np.ones(rows + 1, dtype=np.int64)
    conditions[-1] = 0
    return View(Seen("y", flat_tree(["s", "t"]), classes), (Seen("x", flat_tree(["a"]), conditions),))


def asking_a() -> Lines:
    return Lines(np.array([0]), np.array([0]), np.array([[1]]))


def test_golden_thresholds() -> None:
    traps = load_golden("safe_traps.json")
    said = [
        case
        for key, cases in traps.items()
        if key.startswith(("float_traps", "regular"))
        for case in cases
    ]  # fmt: skip
    for support, rows, least, confidence, beta, min_hide in said:
        guesser = RulesGuesser(Fraction(confidence), least)
        for hidden_values in {0, max(beta - 1, 0), beta}:
            view = rows_of(support - hidden_values, rows)
            (unsafe,) = guesser.train(view).judge(asking_a(), np.array([0])).exposed
            assert unsafe == (hidden_values < beta)
        for hidden_rows in {0, max(min_hide - 1, 0), min_hide}:
            view = rows_of(support - hidden_rows, rows - hidden_rows)
            (unsafe,) = guesser.train(view).judge(asking_a(), np.array([0])).exposed
            assert unsafe == (hidden_rows < min_hide)


@given(st.integers(1, 40), st.integers(0, 40), st.integers(-1, 1), st.integers(1, 10**30))
def test_no_float_decides_however_long_the_decimal(rows: int, support: int, sign: int, scale: int) -> None:
    support = min(support, rows)
    limit = max(Fraction(0), Fraction(support, rows) + Fraction(sign, scale * 10**20))
    guesser = RulesGuesser(limit)
    above = guesser.above(np.array([support, 0]), np.array([rows, 0]))
    assert above.tolist() == [Fraction(support, rows) > limit, False]


@st.composite
def tasks(draw: st.DrawFn) -> tuple[Task, list[Cell]]:
    """Random tables with unknown values, some cells confidential, others hidden."""
    width = draw(st.integers(1, 4))
    cells = [st.sampled_from(["a", "b", None]) for _ in range(width)] + [st.sampled_from(["s", "t", "u", None])]
    table: Table = [list(row) for row in draw(st.lists(st.tuples(*cells), min_size=1, max_size=14))]
    table.append([*["a"] * width, "s"])
    known = [Cell(row, width) for row, line in enumerate(table) if line[width] is not None]
    minus = set(draw(st.lists(st.sampled_from(known), min_size=1, max_size=4)))
    hidden = draw(st.lists(st.builds(Cell, st.integers(0, len(table) - 1), st.integers(0, width)), max_size=8))
    limit = draw(st.sampled_from(["0", "1/4", "1/3", "1/2", "0.6", "2/3", "1"]))
    task = Task(table, {width: list(range(width))}, minus, Fraction(limit), draw(st.integers(0, 2)))
    return task, [cell for cell in hidden if cell not in minus and table[cell.row][cell.column] is not None]


@given(tasks())
def test_every_reading_is_that_of_the_reference(drawn: tuple[Task, list[Cell]]) -> None:
    task, hidden = drawn
    column = len(task.table[0]) - 1
    asked = Asked(task, column, hidden)
    assert asked.seen() == set(VIEWS["paper"](task, hidden))
    assert asked.seen("published") == set(VIEWS["visible"](task, hidden))
    with_absence = asked.seen(absence=True)
    assert {rule for rule in with_absence if any(text is None for _, text in rule.pattern)} == set(
        VIEWS["absence"](task, hidden)
    )
    assert with_absence >= asked.seen()
    assert asked.seen(view=aware(asked.view, asked.truth)) == set(VIEWS["nullset"](task, hidden))


@given(tasks(), st.sampled_from(["all", "published"]))
def test_judged_by_brute_force(drawn: tuple[Task, list[Cell]], denominator: Denominator) -> None:
    task, hidden = drawn
    column = len(task.table[0]) - 1
    asked = Asked(task, column, hidden)
    trained = asked.guesser(denominator=denominator).train(asked.view)
    judged, guesses = trained.judge(asked.lines, asked.true), trained.guess(asked.lines)
    assert guesses.exposes(asked.true).tolist() == judged.exposed.tolist()
    assert guesses.exposes(asked.true, strict=True).tolist() == judged.exposed.tolist()
    released = release(task, hidden)
    for line, row in enumerate(asked.rows.tolist()):
        assert judged.unsafe_all[line] == _unsafe(task, released, row, "all")
        assert judged.unsafe_published[line] == _unsafe(task, released, row, "published")
        rules = _rules(released, row, task.table[row][column])
        enough = [rule for rule in rules if rule.support > task.min_support]
        best = max((rule.confidence(denominator) for rule in enough), default=Fraction(0))
        tied = [rule for rule in enough if rule.confidence(denominator) == best]
        worst = judged.worst(line)
        expected = min(tied, key=lambda rule: (-rule.support, len(rule.columns), rule.columns), default=None)
        assert worst == expected
        assert guesses.weights[line, asked.true[line]] == pytest.approx(float(best))
        assert judged.confidence[line] == pytest.approx(float(best))


def _rules(released: Table, row: int, value: str | None) -> list[Rule]:
    width = len(released[0]) - 1
    known = [place for place in range(width) if released[row][place] is not None]
    found = []
    for size in range(1, len(known) + 1):
        for places in combinations(known, size):
            having = [other for other in released if all(other[place] == released[row][place] for place in places)]
            told = [other[width] for other in having if other[width] is not None]
            found.append(Rule(tuple(f"c{place}" for place in places), told.count(value), len(having), len(told)))
    return found


def _unsafe(task: Task, released: Table, row: int, denominator: Denominator) -> int:
    rules = _rules(released, row, task.table[row][-1])
    return sum(rule.support > task.min_support and rule.confidence(denominator) > task.min_confidence for rule in rules)


@given(st.integers(0, 5).flatmap(lambda k: st.lists(st.integers(0, 99), min_size=1 << k, max_size=1 << k)))
def test_superset_sums(counts: list[int]) -> None:
    expected = [sum(n for other, n in enumerate(counts) if other & s == s) for s in range(len(counts))]
    assert superset_sums(np.array(counts)).tolist() == expected


def wide(columns: int, rows: int = 50) -> View:
    chance = np.random.default_rng(3)
    tree = flat_tree(["a", "b"])
    predictors = tuple(Seen(f"x{place}", tree, chance.integers(1, 3, rows)) for place in range(columns))
    return View(Seen("y", flat_tree(["s", "t"]), chance.integers(0, 3, rows)), predictors)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 7), st.integers(1, 9)), max_size=30), st.data())
def test_rules_to_some_values_at_once_are_those_to_each(drawn: list[tuple[int, int, int]], data: st.DataObject) -> None:
    told, agree, rows = np.array(sorted(drawn), dtype=np.int64).reshape(-1, 3).T
    kinds = Kinds((), rows, np.searchsorted(told, np.arange(1, 6)))  # 0 tells no value
    values = np.array(data.draw(st.lists(st.integers(0, 3), unique=True)), dtype=np.int64)
    found = kinds.counted_of(agree.astype(np.int32), values, 8)
    assert found.shape == (len(values), 8)
    for line, value in zip(found, values.tolist(), strict=True):
        first, stop = int(kinds.starts[value]), int(kinds.starts[value + 1])
        assert line.tolist() == kinds.counted(agree.astype(np.int32), first, stop, 8).tolist()


def test_twenty_conditions_and_no_more() -> None:
    guesser = RulesGuesser(Fraction(1, 2), 3)
    view = wide(20)
    judged = guesser.train(view).judge(view.lines(np.array([0])), np.array([0]))
    assert judged.worst(0) is not None
    with pytest.raises(InputError, match=r"21 conditions make 2\^21 - 1 rules"):
        guesser.train(wide(21))


def test_columns_of_very_many_values_do_not_overflow() -> None:
    chance = np.random.default_rng(5)
    tree = flat_tree([str(place) for place in range(5000)])
    predictors = tuple(Seen(f"x{place}", tree, chance.integers(0, 5001, 300)) for place in range(9))
    predictors[0].nodes[:200] = 7
    view = View(Seen("y", flat_tree(["s", "t"]), chance.integers(1, 3, 300)), predictors)
    (found,) = _all_rules(RulesGuesser(Fraction(0)).train(view), view, 0)
    same = view.predictors[0].nodes == 7
    assert found.support == (same & (view.classes.nodes == 1)).sum()
    assert found.rows == same.sum()


def _all_rules(trained: TrainedRules, view: View, row: int) -> list[Rule]:
    lines = view.lines(np.array([row]))
    lines.nodes[:, 1:] = 0
    return [leak.rule for leak in trained.leaks(lines, np.array([0]))]


def test_nothing_known_and_nobody_asked() -> None:
    view = wide(0)
    trained = RulesGuesser(Fraction(0)).train(view)
    judged = trained.judge(view.lines(np.array([0, 1])), np.array([0, 1]))
    assert judged.exposed.tolist() == [False, False]
    assert judged.worst(0) is None
    nobody = wide(2).lines(np.empty(0, dtype=np.int64))
    assert len(RulesGuesser(Fraction(0)).train(wide(2)).judge(nobody, np.empty(0, dtype=np.int64))) == 0
    assert RulesGuesser(Fraction(0)).train(wide(2)).guess(nobody).weights.shape == (0, 2)
    assert RulesGuesser(Fraction(0)).train(wide(2)).leaks(nobody, np.empty(0, dtype=np.int64)) == []


def test_at_most_so_many_rules_are_listed() -> None:
    view = wide(5)
    trained = RulesGuesser(Fraction(0)).train(view)
    lines = view.lines(np.array([0]))
    every = trained.leaks(lines, np.array([0]))
    assert trained.leaks(lines, np.array([0]), most=4) == every[:4]
    assert [len(leak.rule.columns) for leak in every] == sorted(len(leak.rule.columns) for leak in every)


def test_what_a_policy_names() -> None:
    assert make(Rules(min_confidence="60%", min_support=5, denominator="published")) == RulesGuesser(
        Fraction(3, 5), 5, "published"
    )
    judged = Judged(("x",), "all", *(np.zeros(1, dtype=np.int64) for _ in range(6)))
    assert len(judged) == 1
    assert Rule(("x",), 0, 0, 0).confidence() == 0
    assert Rule(("x", "y"), 2, 5, 3).to_dict() == {"columns": ["x", "y"], "support": 2, "rows": 5, "published": 3}


def test_adult_has_a_few_hundred_unsafe_rules(data_dir: Path) -> None:
    """As measured on 30,000 random rows: about 480, nearly all for one value."""
    lines = [line.split(", ") for line in (data_dir / "adult.data").read_text().splitlines() if line]
    rows = [lines[place] for place in np.random.default_rng(0).permutation(len(lines))[:30_000]]

    def seen(column: int) -> Seen:
        tree = flat_tree(sorted({row[column] for row in rows} - {"?"}))
        return Seen(str(column), tree, np.array([tree.node_of.get(row[column], 0) for row in rows]))

    view = View(seen(6), tuple(seen(column) for column in (9, 5, 1, 3, 4, 14, 8)))
    known = np.flatnonzero(view.classes.nodes)
    true = view.classes.tree.leaf_of[view.classes.nodes[known]]
    leaks = RulesGuesser(Fraction("0.6"), 60).train(view).leaks(view.lines(known), true)
    assert 400 <= len(leaks) <= 560
    assert sum(leak.value == "Prof-specialty" for leak in leaks) >= 0.95 * len(leaks)
