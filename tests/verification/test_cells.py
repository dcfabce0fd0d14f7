"""Confidential cells on a release: what holds, what does not, and what nobody can say."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.policy import Confidential, KAnonymity, Policy
from discreet.table.engine import Engine
from discreet.table.source import open_table
from discreet.verification.answers import Answer
from discreet.verification.cell_answers import CellsFound
from discreet.verification.cells import check_cells
from discreet.verification.row_matches import Matches
from tests.adversary.releases import engine, policy_for
from tests.adversary.strategies import Case, rough_cases, written
from tests.conftest import load_golden
from tests.reference.cells_golden import CASES, TINY
from tests.reference.cells_model import Taxonomy, is_top, naive_bayes
from tests.reference.cells_tree import classify, id3, is_guessed_g

HOLDS, BROKEN, BY_LOT, NOT_CHECKABLE = (
    Answer.HOLDS, Answer.BROKEN, Answer.BY_LOT, Answer.NOT_CHECKABLE)  # fmt: skip

# x = a: mostly u; x = b: mostly v; w is rare
ROWS = [*["au"] * 4, "av", *["bv"] * 3, "bu", "bw", "cw", "cu"]


def frame(rows: Sequence[str], names: str = "xy") -> pl.DataFrame:
    return pl.DataFrame({name: [row[place] for row in rows] for place, name in enumerate(names)})


def check(
    original: pl.DataFrame | None,
    released: pl.DataFrame,
    *protect: Any,
    places: Sequence[int] | None = None,
    hide_only: pl.DataFrame | None = None,
    **options: Any,
) -> CellsFound:
    """What is found out about the last requirement."""
    policy = Policy(protect=list(protect), **options)

    def engine(table: pl.DataFrame | None) -> Engine | None:
        return None if table is None else open_table(table, policy)

    there = engine(released)
    assert there is not None
    return check_cells(
        there,
        policy,
        len(protect) - 1,
        protect[-1],
        engine(original),
        matches=None if places is None else Matches(np.array(places), np.array(places)),
        hide_only=engine(hide_only),
    )


def ask(**said: Any) -> Confidential:
    return Confidential(**{"column": "y", "predictors": ["x"], "rows": [1], **said})


def edited(table: pl.DataFrame, *edits: tuple[int, str, str]) -> pl.DataFrame:
    for row, column, text in edits:
        table = table.with_columns(table.get_column(column).scatter(row - 1, text))
    return table


def test_guessed_as_long_as_only_the_cell_is_hidden() -> None:
    original = frame(ROWS)
    found = check(original, edited(original, (1, "y", "*")), ask(), hide_only=original)
    (cell,) = found.cells
    assert (found.answer, cell.answer, cell.row, cell.hidden, cell.adversary) == (
        BROKEN,
        BROKEN,
        1,
        True,
        "naive_bayes",
    )
    # p(u) = 5/11 * 3/5, p(v) = 4/11 * 1/4, p(w) = 0
    assert cell.probability == pytest.approx(0.75)
    assert cell.guessed_when_only_hidden is True
    assert found.failing == found.rows(BROKEN) == (1,)


def test_holds_once_its_own_predictor_is_hidden_too() -> None:
    original = frame([*ROWS, "dv", "dv"])
    found = check(original, edited(original, (1, "y", "*"), (1, "x", "*")), ask(), hide_only=original)
    assert (found.answer, found.failing) == (HOLDS, ())
    (against,) = found.against
    assert (against.cells, against.guessed, against.only_hidden, against.guessed_when_only_hidden) == (1, 0, 1, 1)
    assert found.prior is not None
    assert (found.prior.value, found.prior.share) == ("v", Fraction(6, 13))
    assert against.guessed_by_prior == 0


def test_a_tie_holds_unless_strict() -> None:
    rows = ["au", "au", "av", "bw"]
    release = edited(frame(rows), (1, "y", "*"))
    assert check(frame(rows), release, ask()).answer is HOLDS
    assert check(frame(rows), release, ask(strict=True)).answer is BROKEN
    other = frame(["au", "au", "av", "av", "bw"])
    assert check(other, edited(other, (1, "y", "*")), ask(strict=True)).answer is HOLDS


@pytest.mark.parametrize("text", ["u", "v", "?", " "])
def test_a_cell_that_is_not_hidden_is_broken(text: str) -> None:
    original = frame(["av", *ROWS])  # the guess would be wrong
    found = check(original, edited(original, (1, "y", text)), ask())
    assert (found.answer, found.cells[0].hidden) == (BROKEN, False)
    nothing = original.with_columns(pl.Series("y", [None, *original["y"][1:]]))
    assert check(original, nothing, ask()).answer is BROKEN


def test_every_adversary_is_asked() -> None:
    # naive Bayes is misled by the product, the tree is not
    rows = ["axu", "axu", "ayv", "ayv", "bxv", "bxv", "byw", "byw", "byu"]
    original = frame(rows, "abc")
    release = edited(original, (1, "c", "*"))
    found = check(original, release, ask(column="c", predictors=["a", "b"], against=["naive_bayes", "id3"]))
    assert [cell.adversary for cell in found.cells] == ["naive_bayes", "id3"]
    assert [against.adversary for against in found.against] == ["naive_bayes", "id3"]
    assert found.cells[1].answer is BROKEN


def test_removed_rows_hold_and_the_others_are_matched() -> None:
    original = frame(ROWS)
    release = edited(original, (1, "y", "*"), (7, "y", "*"))
    kept = [place for place in range(len(ROWS)) if place not in (0, 4)]
    found = check(original, release[kept], ask(rows=[1, 7]), places=kept)
    first, second = found.cells
    assert (first.answer, first.removed, first.hidden, first.probability) == (HOLDS, True, None, None)
    assert (second.answer, second.row, second.hidden) == (BROKEN, 7, True)
    assert found.against[0].cells == 1


def test_all_rows_removed() -> None:
    original = frame(ROWS)
    found = check(original, original[:0], ask(), places=[], hide_only=original)
    assert (found.answer, found.against[0].cells, found.against[0].guessed_when_only_hidden) == (HOLDS, 0, 1)


def test_a_column_without_any_value() -> None:
    nothing = frame(ROWS).with_columns(pl.lit(None, pl.String).alias("y"))
    assert check(nothing, nothing, ask()).answer is NOT_CHECKABLE


def test_not_checkable() -> None:
    original = frame(ROWS)
    release = edited(original, (1, "y", "*"))
    for found, reason in (
        (check(None, release, ask()), "give the original"),
        (check(original, release[:-1], ask()), "not as many rows"),
        (check(original, release[:-1], ask(), places=[0, 1]), "could not be matched"),
        (check(original, release[:2], ask(), places=[1, 0]), "could not be matched"),
        (check(original, release[:2], ask(), places=[1, 99]), "could not be matched"),
        (check(original, release[:2], ask(), places=[-1, 0]), "could not be matched"),
        (check(original, release.drop("x"), ask()), "no column 'x'"),
        (check(original, release.drop("y"), ask()), "no column 'y'"),
        (check(original, release, ask(rows=[1, 99])), "lacks 1 of the rows"),
        (check(original, release, ask(rows=None, ids={"column": "x", "values": ["z", "q"]})), "lacks 2 of the rows"),
    ):
        assert found.answer is NOT_CHECKABLE
        assert reason in (found.reason or "")
        assert found.cells == ()
    missing = original.with_columns(pl.Series("y", [None, *original["y"][1:]]))
    found = check(missing, release, ask())
    assert (found.answer, found.cells[0].answer) == (NOT_CHECKABLE, NOT_CHECKABLE)
    assert not found.cells[0].removed


def test_of_two_values_a_right_guess_is_by_lot() -> None:
    original = frame(["au", "au", "au", "av", "bv"])
    release = edited(original, (1, "y", "*"), (4, "y", "*"))
    found = check(original, release, ask(rows=[1, 4], two_values="lot"))
    assert [cell.answer for cell in found.cells] == [BY_LOT, HOLDS]
    assert (found.answer, found.rows(BY_LOT), found.failing) == (BY_LOT, (1,), (1,))
    assert check(original, release, ask(rows=[1, 4])).answer is BROKEN
    # hidden it must be all the same
    assert check(original, edited(release, (1, "y", "u")), ask(rows=[1, 4], two_values="lot")).answer is BROKEN


TREE = {"*": {"G": ["u", "v"], "w": None, "H": {"t": None}}}


@pytest.mark.parametrize(
    ("text", "answer", "hidden"),
    [("G", BROKEN, True), ("*", HOLDS, True), ("u", BROKEN, False), ("H", BROKEN, False), ("w", BROKEN, False)],
)
def test_generalised_cells(text: str, answer: Answer, hidden: bool) -> None:
    original = frame(["xu", "xu", "xw", "xw", "xv"])
    columns = {"y": {"taxonomy": TREE}}
    release = edited(original, (1, "y", text))
    wanted = ask(change="generalise", against=["id3"], predictors=["x"])
    found = check(original, release, wanted, columns=columns)
    # among the values of G it is u or v, a tie that goes to the first; among all of them w is the commonest
    assert (found.answer, found.cells[0].hidden) == (answer, hidden)
    deleting = check(original, release, ask(against=["id3"]), columns=columns)
    assert deleting.cells[0].hidden == (text == "*")


def test_a_group_of_one_value_hides_nothing() -> None:
    original = frame(["xt", "xu", "xw", "xw", "xv"])
    release = edited(original, (1, "y", "H"))
    found = check(original, release, ask(change="generalise"), columns={"y": {"taxonomy": TREE}})
    assert (found.answer, found.cells[0].hidden, found.cells[0].probability) == (BROKEN, False, 1.0)


def test_two_values_below_the_released_group_by_lot() -> None:
    original = frame(["xu", "xu", "xw", "xw", "xv"])
    release = edited(original, (1, "y", "G"))
    wanted = ask(change="generalise", against=["id3"], two_values="lot")
    assert check(original, release, wanted, columns={"y": {"taxonomy": TREE}}).answer is BY_LOT


def recoded_case(knows: str) -> CellsFound:
    """Rows a and b are released as G or masked; whoever knows that the row has an a may think of either."""
    original = pl.DataFrame({"x": list("aabbaabbcc"), "y": list("uuvwuuuvvw")})
    released = pl.DataFrame({"x": [*"GGGG****cc"], "y": ["*", *"uvwuuuvvw"]})
    # by G: u 1, v 1, w 1 of the three: with the priors a tie; by *, which tells nothing: u is the commonest
    return check(
        original,
        released,
        KAnonymity(k=1, over=["x"]),
        ask(knows=knows),
        columns={"x": {"taxonomy": {"any": {"G": ["a", "b"], "H": ["c", "d"]}}}},
    )


def test_whoever_knows_the_original_may_think_of_every_text_that_covers_it() -> None:
    assert recoded_case("released").answer is HOLDS
    assert recoded_case("original").answer is BROKEN
    assert (recoded_case("original").cells[0].probability or 0) > (recoded_case("released").cells[0].probability or 0)


def test_texts_of_recoded_columns_are_values() -> None:
    # every x is released as a group, and the groups tell the class
    original = pl.DataFrame({"x": list("abcdabcd"), "y": list("uuvvuuvw")})
    released = pl.DataFrame({"x": [*"GGHHGGHH"], "y": ["*", *"uvvuuvw"]})
    columns = {"x": {"taxonomy": {"any": {"G": ["a", "b"], "H": ["c", "d"]}}}}
    for adversary in ("naive_bayes", "id3"):
        found = check(original, released, KAnonymity(k=2, over=["x"]), ask(against=[adversary]), columns=columns)
        assert found.answer is BROKEN


def test_numbers_in_intervals_are_known_too() -> None:
    original = pl.DataFrame({"x": ["1", "2", "3", "8", "9", "9"], "y": list("uuvwvw")})
    released = pl.DataFrame({"x": ["<5", "<5", "*", ">=5", ">=5", "*"], "y": ["*", *"uvwvw"]})
    columns = {"x": {"type": "number", "ends": [5]}}
    both = [KAnonymity(k=1, over=["x"]), ask(knows="original")]
    found = check(original, released, *both, columns=columns)
    assert found.answer is BROKEN
    (cell,) = found.cells
    assert cell.probability == pytest.approx(1)


def test_plain_data() -> None:
    original = frame(ROWS)
    found: dict[str, Any] = check(original, edited(original, (1, "y", "*")), ask(), hide_only=original).to_dict()
    assert (found["kind"], found["answer"], found["broken_rows"]) == ("confidential", "broken", [1])
    (against,) = found["against"]
    assert against["only_hidden"]["guessed"] == 1
    low, high = against["interval"]
    assert 0 < low < 1 <= high


@pytest.mark.parametrize("name", ["ex2", "ex3", "ex4"])
def test_releases_of_the_thesis_hold(name: str) -> None:
    golden = load_golden("suppress_ex2_5.json")
    original = pl.DataFrame(golden["table11"], schema=golden["cols"], orient="row")
    published = pl.DataFrame(golden[name]["published"], schema=golden["cols"], orient="row").fill_null("*")
    wanted = Confidential(column="Diagnosis", rows=[2], predictors=golden["predictors"])
    found = check(original, published, wanted, hide_only=original)
    assert (found.answer, found.cells[0].guessed_when_only_hidden) == (HOLDS, True)
    p = {value: Fraction(text) for value, text in golden[name]["p1"].items()}
    assert found.cells[0].probability == pytest.approx(float(p["Angina Pectoris"] / sum(p.values())))


METHODS = {
    "DECP": ("naive_bayes", "delete"), "INCP": ("naive_bayes", "delete"), "DROPP": ("naive_bayes", "delete"),
    "HID3": ("id3", "delete"), "DECP-G": ("naive_bayes", "generalise"), "INCP-G": ("naive_bayes", "generalise"),
    "DROPP-G": ("naive_bayes", "generalise"), "HID3-G": ("id3", "generalise"),
}  # fmt: skip


def _tree(nested: dict[str, Any]) -> dict[str, Any] | None:
    return {label: _tree(below) for label, below in nested.items()} or None


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["seed"]))
def test_what_the_methods_released_holds(case: Any, method: str) -> None:
    result = case["results"][method]
    if result["status"] == "deleted":
        assert {row for row, _, _ in result["changed"]} == {case["i"]}  # the method gave the row up
        return
    names = [f"c{place}" for place in range(len(case["D"][0]))]
    original = pl.DataFrame(case["D"], schema=names, orient="row")
    released = original.fill_null("*")
    for row, column, text in result["changed"]:
        released = edited(released, (row + 1, names[column], text or "*"))
    adversary, change = METHODS[method]
    trees = [*[TINY["taxonomy"]] * (len(names) - 1), TINY["class_taxonomy"]]
    wanted = ask(
        column=names[case["j"]],
        rows=[case["i"] + 1],
        predictors=[names[place] for place in case["predictors"]],
        against=[adversary],
        change=change,
    )
    columns = {name: {"taxonomy": {"*": _tree(tree)}} for name, tree in zip(names, trees, strict=True)}
    assert check(original, released, wanted, columns=columns).answer is HOLDS


ROUGH = {"x": {"taxonomy": {"*": ["p", "q"]}}, "y": {"taxonomy": {"*": {"A": ["a", "b", "c"], "B": ["u", "v"]}}}}


@pytest.mark.parametrize(
    ("others", "answer"),
    [
        ("pa pa pb qb qb qb", BROKEN),  # left out; as b, the commonest, the rough rows would mislead beside p
        ("pa pb pb qa qa qa", BROKEN),  # as a, the commonest; left out they would not mislead beside p
        ("pa pb pb qb qb qb", HOLDS),
    ],
)
def test_a_tree_guesses_if_it_does_in_either_meaning_of_rough_classes(others: str, answer: Answer) -> None:
    original = frame(["pa", "pa", "pa", *others.split()])
    released = edited(original, *((row, "y", "A") for row in (1, 2, 3)))
    wanted = ask(rows=[1, 2, 3], against=["id3"], change="generalise")
    assert {cell.answer for cell in check(original, released, wanted, columns=ROUGH).cells} == {answer}


@given(rough_cases(), st.randoms(use_true_random=False))
def test_trees_are_asked_in_both_meanings_of_rough_classes(case: Case, generator: Random) -> None:
    taxonomies = [Taxonomy(tree) for tree in case.trees]
    table = [list(row) for row in case.table]
    original = [[generator.choice(t.leaves(cell)) for t, cell in zip(taxonomies, row, strict=True)] for row in table]
    j = case.column
    rows = [r for r, row in enumerate(table) if row[j] not in taxonomies[j].domain]
    columns = {f"c{c}": {"taxonomy": written(tree)} for c, tree in enumerate(case.trees)}
    wanted = policy_for(len(table[0]), rows, j, case.predictors, columns, against=["id3"], change="generalise")
    (requirement,) = wanted.protect
    assert isinstance(requirement, Confidential)
    found = check_cells(engine(table, wanted), wanted, 0, requirement, engine(original, wanted))
    guessed = [r + 1 for r in rows if is_guessed_g(table, r, j, case.predictors, taxonomies, original[r][j])]
    assert found.rows(BROKEN) == tuple(guessed)


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str | None]], list[int]]:
    """An original and a release with cells deleted; which rows are confidential (their class is mostly hidden)."""
    domains = [["a", "b"], ["a", "b", "c"], ["u", "v", "w"]]
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, domains)), min_size=2, max_size=12))
    original = [list(row) for row in rows]
    hidden = draw(st.lists(st.tuples(*[st.booleans()] * 3), min_size=len(rows), max_size=len(rows)))
    released = [
        [None if hide else cell for cell, hide in zip(row, hides, strict=True)]
        for row, hides in zip(original, hidden, strict=True)
    ]
    wanted = draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=4, unique=True))
    return original, released, sorted(wanted)


@given(releases(), st.booleans())
def test_says_what_the_references_say(
    case: tuple[list[list[str]], list[list[str | None]], list[int]], strict: bool
) -> None:
    original, released, rows = case
    names = ["p", "q", "y"]
    domains = [sorted({row[place] for row in original}) for place in range(3)]
    wanted = Confidential(
        column="y", rows=[row + 1 for row in rows], predictors=["p", "q"], against=["naive_bayes", "id3"], strict=strict
    )
    found = check(
        pl.DataFrame(original, schema=names, orient="row"),
        pl.DataFrame(released, schema=names, orient="row").cast(pl.String).fill_null("*"),
        wanted,
    )
    expected = []
    for adversary in ("naive_bayes", "id3"):
        for row in rows:
            actual = original[row][2]
            if released[row][2] is not None:
                expected.append(BROKEN)
                continue
            table = [list(cells) for cells in released]
            if adversary == "id3":
                exposed = classify(id3(table, row, 2, [0, 1], domains), table[row]) == actual
            else:
                exposed = is_top(naive_bayes(table, row, 2, [0, 1], domains[2]), actual, strict)
            expected.append(BROKEN if exposed else HOLDS)
    assert [cell.answer for cell in found.cells] == expected


GROUPS = {"any": {"G": ["a", "b"], "H": ["c", "d"]}}
ABOVE = {"a": "G", "b": "G", "c": "H", "d": "H"}


@st.composite
def recoded(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str | None]], list[int]]:
    """Two recoded columns (each cell itself, its group or masked), a plain one and the class, some of it hidden."""
    value = st.sampled_from("abcd")
    rows = draw(
        st.lists(st.tuples(value, value, st.sampled_from("pq"), st.sampled_from("uvw")), min_size=2, max_size=9)
    )
    original = [list(row) for row in rows]
    released: list[list[str | None]] = []
    for x, z, plain, secret in original:
        x_text, z_text = (draw(st.sampled_from([text, ABOVE[text], None])) for text in (x, z))
        released.append([x_text, z_text, plain, draw(st.sampled_from([secret, None]))])
    wanted = draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=3, unique=True))
    for row in wanted:
        released[row][3] = None
    return original, released, sorted(wanted)


@given(recoded(), st.booleans())
def test_every_covering_combination_is_tried(
    case: tuple[list[list[str]], list[list[str | None]], list[int]], original_known: bool
) -> None:
    original, released, rows = case
    names = ["x", "z", "plain", "y"]
    wanted = Confidential(
        column="y",
        rows=[row + 1 for row in rows],
        predictors=names[:3],
        knows="original" if original_known else "released",
    )
    found = check(
        pl.DataFrame(original, schema=names, orient="row"),
        pl.DataFrame(released, schema=names, orient="row").cast(pl.String).fill_null("*"),
        KAnonymity(k=1, over=["x", "z"]),
        wanted,
        columns={"x": {"taxonomy": GROUPS}, "z": {"taxonomy": GROUPS}},
    )
    domain = sorted({row[3] for row in original})
    combinations = {(row[0], row[1]) for row in released}
    for row, cell in zip(rows, found.cells, strict=True):
        mine = original[row]
        possible = {(released[row][0], released[row][1])}
        if original_known:
            possible |= {
                both for both in combinations
                if all(text in (None, true, ABOVE[true]) for text, true in zip(both, mine, strict=False))
            }  # fmt: skip
        exposed = False
        for both in possible:
            table = [list(cells) for cells in released]
            table[row][:2] = both
            exposed |= is_top(naive_bayes(table, row, 3, [0, 1, 2], domain), mine[3], strict=False)
        assert cell.answer is (BROKEN if exposed else HOLDS)


# Rows that are missing


def test_where_a_row_may_stand_is_certain_or_not() -> None:
    matches = Matches(np.array([0, 2, 3, 6]), np.array([0, 2, 5, 6]))
    assert matches.doubt(np.arange(7)).tolist() == [False, False, False, True, True, True, False]
    assert not Matches(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)).doubt(np.arange(3)).any()


@pytest.mark.parametrize(("x", "answer"), [(["a", "b", "c", "e"], "holds"), (["a", "b", "b", "e"], "not checkable")])
def test_a_row_that_may_be_another_is_not_checkable(x: list[str], answer: str) -> None:
    """Row 2 is gone. Where row 3 looks like it, nobody can say which of the two is left."""
    original = pl.DataFrame({"x": x, "s": ["u", "v", "w", "u"]})
    asked = d.Confidential(column="s", rows=[2, 3], predictors=["x"], on_failure="remove")
    release = original.with_columns(s=pl.Series(["u", "*", "*", "u"]))[[0, 2, 3]]
    found = d.verify(release, d.Policy(protect=[asked]), original).requirements[0]
    assert found.cells is not None
    assert str(found.answer) == answer
    assert found.cells.rows(Answer.NOT_CHECKABLE) == ((2, 3) if answer == "not checkable" else ())
