"""Who knows the method: the fast attacks equal the slow ones, and find what the thesis's examples hide."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from discreet.adversary.id3 import Id3Guesser
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.view import Flags, Seen, View, flat_tree
from discreet.attack.counting import ClassCounts, shares
from discreet.attack.inversion import invert
from discreet.attack.protected import ProtectedCells, chosen
from discreet.attack.refill import refill
from tests.conftest import load_golden
from tests.reference.attacks import by_bayes, by_tree, inverted, likeliest, refilled
from tests.reference.cells import decp, dropp, incp
from tests.reference.cells_model import Drawn, First, Table, naive_bayes
from tests.reference.cells_tree import hid3

BAYES = NaiveBayesGuesser()
FILLING = NaiveBayesGuesser("drop", Fraction(1))
DOMAINS = ["ab", "xyz", "pq", "uvw"]
J, PREDICTORS = 3, [0, 1, 2]


def protected(
    table: Table, i: int, j: int, predictors: Sequence[int], domains: Sequence[Sequence[str]]
) -> ProtectedCells:
    """A table in which everything that is null was hidden."""

    def seen(c: int) -> Seen:
        tree = flat_tree(list(domains[c]))
        return Seen(str(c), tree, np.array([0 if row[c] is None else tree.node_of[row[c]] for row in table]))

    view = View(seen(j), tuple(seen(c) for c in predictors))
    changed = np.array([[row[c] is None for c in predictors] for row in table], dtype=np.bool_)
    hidden = np.array([row[j] is None for row in table], dtype=np.bool_)
    nothing: Flags = np.zeros(len(predictors), dtype=np.bool_)
    return ProtectedCells(view, view.lines(np.array([i])), changed, hidden, True, nothing)


def taken(weights: np.ndarray, domain: Sequence[str]) -> set[str]:
    """The values that are guessed."""
    return {domain[place] for place in np.flatnonzero(chosen(weights)[0]).tolist()}


def by_refill(table: Table, i: int, j: int, predictors: Sequence[int], domains: Sequence[Sequence[str]],
              *, classes: bool = False) -> set[str]:  # fmt: skip
    there = protected(table, i, j, predictors, domains)
    guesses = BAYES.train(there.view).guess(there.lines)
    return taken(refill(there, BAYES, guesses, classes=classes).weights, domains[j])


def by_inversion(table: Table, i: int, j: int, predictors: Sequence[int], domains: Sequence[Sequence[str]],
                 *, tree: bool = False, most: int = 1000) -> set[str]:  # fmt: skip
    there = protected(table, i, j, predictors, domains)
    trained = Id3Guesser().train(there.view) if tree else BAYES.train(there.view)
    counts = ClassCounts(there.view, FILLING if tree else BAYES)
    rng = np.random.default_rng(0)
    weights = invert(there, counts, trained.guess(there.lines), trained if tree else None, most, rng)
    return taken(weights, domains[j])


rows = st.tuples(*(st.sampled_from(domain) for domain in DOMAINS)).map(list)
tables = st.lists(rows, min_size=5, max_size=16)


@given(tables)
def test_scores_are_those_of_naive_bayes(table: Table) -> None:
    table[0][J] = None
    there = protected(table, 0, J, PREDICTORS, DOMAINS)
    exact = naive_bayes(table, 0, J, PREDICTORS, DOMAINS[J])
    total = sum(exact.values())
    expected = [float(exact[value] / total) if total else 0.0 for value in DOMAINS[J]]
    assert shares(ClassCounts(there.view, BAYES).scores(there.lines))[0] == pytest.approx(expected)
    for options in (BAYES, FILLING, NaiveBayesGuesser("spread"), NaiveBayesGuesser("count", Fraction(1, 2))):
        guessed = options.train(there.view).guess(there.lines).weights
        assert shares(ClassCounts(there.view, options).scores(there.lines)) == pytest.approx(guessed)


@given(tables, st.data())
def test_refilling_equals_trying_every_value_on_a_table_of_its_own(table: Table, data: st.DataObject) -> None:
    """Whatever was hidden: by the method, or here and there."""
    table[0][J] = None
    cells = [(r, c) for r in range(1, len(table)) for c in PREDICTORS]
    value = data.draw(st.sampled_from([None, *DOMAINS[J]]))
    cells = [(r, c) for r, c in cells if value is None or table[r][J] == value]
    for r, c in data.draw(st.lists(st.sampled_from(cells), max_size=4)) if cells else []:
        table[r][c] = None
    expected = likeliest(refilled(table, 0, J, PREDICTORS, DOMAINS[J]))
    assume(expected)
    assert by_refill(table, 0, J, PREDICTORS, DOMAINS) == expected


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(tables, st.integers(0, 100))
def test_what_decp_changes_tells_the_value(table: Table, seed: int) -> None:
    """Only rows of the true value are changed: nothing else explains it."""
    done = decp(table, 0, J, PREDICTORS, DOMAINS, 3, chooser=Drawn(Random(seed)))
    assume(done.status == "suppressed")
    assert by_refill(done.published, 0, J, PREDICTORS, DOMAINS) == {table[0][J]}


@given(tables, st.sets(st.sampled_from(PREDICTORS)), st.booleans())
def test_inversion_equals_trying_every_way_to_fill_the_row(table: Table, hidden: set[int], tree: bool) -> None:
    table[0][J] = None
    for c in hidden:
        table[0][c] = None
    assume(len(hidden) < len(PREDICTORS))
    guess, weigh = by_tree(0, J, PREDICTORS, DOMAINS) if tree else by_bayes(0, J, PREDICTORS, DOMAINS[J])
    expected = likeliest(inverted(table, 0, PREDICTORS, DOMAINS, guess, weigh))
    assume(expected)
    assert by_inversion(table, 0, J, PREDICTORS, DOMAINS, tree=tree) == expected


def test_drawn_ways_weigh_what_all_of_them_do() -> None:
    """On average; the more are drawn the nearer."""
    rng = np.random.default_rng(3)
    domains = [*["abc"] * 5, "uvw"]
    rows = [["uvw".index(v) for v in "uvw" for _ in range(20)], *rng.integers(0, 3, (5, 60)).tolist()]
    table: Table = [
        [*("abc"[(value + (noise == 0)) % 3] for noise in noises), "uvw"[value]]
        for value, *noises in zip(*rows, strict=True)
    ]
    table[0] = [None, None, None, None, "b", None]
    there = protected(table, 0, 5, [0, 1, 2, 3, 4], domains)
    counts, guesses = ClassCounts(there.view, BAYES), BAYES.train(there.view).guess(there.lines)
    exact = invert(there, counts, guesses, None, 81, rng)[0]
    drawn = [invert(there, counts, guesses, None, 80, np.random.default_rng(seed))[0] for seed in range(60)]
    means = np.mean([weights / weights.sum() for weights in drawn], axis=0)
    assert means == pytest.approx(exact / exact.sum(), abs=0.02)
    assert np.std(drawn, axis=0).max() > 0


def example(number: str) -> tuple[Table, list[int], list[Sequence[str]], int]:
    """A worked example of the thesis: what is published, the predictors, all domains, and the column."""
    golden = load_golden("suppress_ex2_5.json")
    names = golden["cols"]
    published = golden[number]["published"]
    table: Table = golden["table11"]
    domains = [golden["domains"].get(name) or sorted({str(row[c]) for row in table}) for c, name in enumerate(names)]
    return published, [names.index(name) for name in golden["predictors"]], domains, names.index("Diagnosis")


@pytest.mark.parametrize(("number", "method"), [("ex2", "decp"), ("ex3", "incp"), ("ex5", "hid3")])
def test_the_examples_of_the_thesis_are_read_by_who_knows_the_method(number: str, method: str) -> None:
    published, predictors, domains, j = example(number)
    if method in ("decp", "incp"):
        found = by_refill(published, 1, j, predictors, domains, classes=method == "incp")
    else:
        found = by_inversion(published, 1, j, predictors, domains, tree=method == "hid3")
    assert found == {"Angina Pectoris"}


def test_two_symptoms_of_three_hidden_are_enough_against_who_knows_dropp() -> None:
    """Example 4 ends in a tie, and with what is left both guesses could have been ahead before."""
    published, predictors, domains, j = example("ex4")
    assert by_inversion(published, 1, j, predictors, domains) == {"Gastritis"}
    weights = inverted(published, 1, predictors, domains, *by_bayes(1, j, predictors, domains[j]))
    assert min(weights["Angina Pectoris"], weights["Gastritis"]) > 0


def test_where_nothing_was_changed_the_best_guess_is_wrong() -> None:
    table: Table = [["a", "u"], ["a", "u"], ["a", "u"], ["a", "v"], ["b", "w"], ["b", "v"]]
    published: Table = [["a", None], *table[1:]]
    domains = ["ab", "uvw"]
    assert by_refill(published, 0, 1, [0], domains) == {"v"}
    assert by_inversion(published, 0, 1, [0], domains) == {"v"}
    assert by_inversion(published, 0, 1, [0], domains, tree=True) == {"v"}


def test_a_blank_row_is_one_that_could_not_be_protected() -> None:
    """Its value is guessed with nothing known: the commonest."""
    table: Table = [[None, None], ["a", "u"], ["b", "u"], ["a", "u"], ["b", "v"], ["a", "w"]]
    assert by_refill(table, 0, 1, [0], ["ab", "uvw"]) == {"u"}
    assert by_inversion(table, 0, 1, [0], ["ab", "uvw"]) == {"u"}


def test_only_one_of_two_values_may_have_been_left_to_chance() -> None:
    """A coin decides whether a guess among two is left as it is: so the best guess weighs half."""
    table: Table = [["a", value] for value in (None, *"uuuuuuvvvv")]
    there = protected(table, 0, 1, [0], ["ab", "uv"])
    guesses = BAYES.train(there.view).guess(there.lines)
    by_lot = ProtectedCells(
        there.view, there.lines, there.changed, there.hidden, True, there.unsaid, lot=np.array([True])
    )
    for weights in (
        refill(by_lot, BAYES, guesses, classes=False).weights,
        invert(by_lot, ClassCounts(there.view, BAYES), guesses, None, 10, np.random.default_rng(0)),
    ):
        assert weights[0] / weights[0].sum() == pytest.approx([3 / 7, 4 / 7])


def test_hidden_for_its_own_sake() -> None:
    """What is hidden in a column with confidential cells of its own need not have been hidden for this one."""
    table: Table = [[None, "x", None], ["a", "x", "u"], ["a", "x", "u"], ["b", "x", "v"], ["b", "x", "v"],
                    ["b", "x", "v"], ["b", "y", "w"]]  # fmt: skip
    there = protected(table, 0, 2, [0, 1], ["ab", "xy", "uvw"])
    guesses = BAYES.train(there.view).guess(there.lines)
    counts, rng = ClassCounts(there.view, BAYES), np.random.default_rng(0)
    sure = invert(there, counts, guesses, None, 10, rng)[0]
    unsaid = np.array([True, False])
    own = ProtectedCells(there.view, there.lines, there.changed, there.hidden, True, unsaid)
    unsure = invert(own, counts, guesses, None, 10, rng)[0]
    assert sure.argmax() == unsure.argmax() == 0
    assert sure[2] == unsure[2] == 0
    assert not np.allclose(sure, unsure)


@given(tables, st.integers(0, 50))
def test_weights_are_sound_whatever_was_done(table: Table, seed: int) -> None:
    """Whatever was done, each attack gives weights, and never to what the method has seen to."""
    chance = Drawn(Random(seed))
    for done, classes in (
        (incp(table, 0, J, PREDICTORS, DOMAINS, 3, chooser=chance), True),
        (dropp(table, 0, J, PREDICTORS, DOMAINS, 3, chooser=chance), None),
        (hid3(table, 0, J, PREDICTORS, DOMAINS, chooser=First()), None),
    ):
        if done.status != "suppressed":
            continue
        there = protected(done.published, 0, J, PREDICTORS, DOMAINS)
        guesses = BAYES.train(there.view).guess(there.lines)
        if classes:
            weights = refill(there, BAYES, guesses, classes=True).weights
        else:
            weights = invert(there, ClassCounts(there.view, BAYES), guesses, None, 100, np.random.default_rng(0))
        out = there.ruled_out(guesses)
        assert not weights[out & ~there.blank[:, None]].any() or weights[~out].sum() == 0
        assert weights.min() >= 0
        assert weights.sum() > 0
        assert np.isfinite(weights).all()
