"""The reference version of blind protection: its promises by brute force, and the two faults it avoids."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.reference.blind import BlindTable, Element, Item, Told, least, until_wrong
from tests.reference.blind_tables import TOLD_AS_SETS, tables

pytestmark = pytest.mark.reference


def table(rows: Sequence[tuple[str, ...]], *items: Item, **said: object) -> BlindTable:
    return BlindTable(tuple("abcdefg"[: len(rows[0])]), tuple(rows), items, **said)  # type: ignore[arg-type]


def every_row(of: BlindTable, row: int) -> Iterator[dict[str, Element]]:
    """Every way to fill the predictors of a row."""
    names = of.predictors(row)
    for elements in product(*(of.domains[name] for name in names)):
        yield dict(zip(names, elements, strict=True))


def simulatable(of: BlindTable, row: int, told: Told) -> bool:
    """Whether the rows that are told the same are exactly those that agree with what is told."""
    return all((of.tell(row, filled) == told) == told.agrees(filled) for filled in every_row(of, row))


# The promises


@given(tables(plain=True), st.data())
def test_secrets_decide_nothing(of: BlindTable, data: st.DataObject) -> None:
    rows = [list(row) for row in of.rows]
    for row in of.confidential:
        for secret in of.secrets(row):
            rows[row][of.names.index(secret)] = data.draw(st.sampled_from(["x", "y", "z", "new", "?"]))
    changed = replace(of, rows=tuple(tuple(row) for row in rows))
    assert changed.released() == of.released()


@given(tables(most_rows=9))
def test_told_the_same_is_to_agree_with_what_is_told(of: BlindTable) -> None:
    for row in of.confidential:
        assert simulatable(of, row, of.tell(row))


@given(tables())
def test_no_reference_passes_a_limit(of: BlindTable) -> None:
    for row in of.confidential:
        told = of.tell(row)
        if told.failed:
            assert of.known(row)
            assert set(told.values) == set(of.known(row))
            continue
        assert of.within(row, told, slack=Fraction(0))
        for facts in told.readings():
            for secret in of.secrets(row):
                counted(of, row, secret, {name: set(fact) for name, fact in facts.items()})


def counted(of: BlindTable, row: int, secret: str, facts: dict[str, set[Element]]) -> None:
    """Count the rows of the rest once more."""
    if "count" not in of.references or of.trees:
        return
    column = {name: [of.element(line[place], name) for line in of.rows] for place, name in enumerate(of.names)}
    rest = [at for at in range(len(of.rows)) if not any(at in item.rows for item in of.items)]
    known = [at for at in rest if column[secret][at] not in (None, "*", ...)]
    alike = [at for at in known if all(column[name][at] in fact for name, fact in facts.items())]
    for value in {column[secret][at] for at in known}:
        share = Fraction(sum(column[secret][at] == value for at in known), len(known))
        having = sum(column[secret][at] == value for at in alike)
        limits = [
            max(item.at_most, share + min(item.margin, (1 - share) / 2))
            for item in of.items
            if row in item.rows and item.column == secret
        ]
        assert (having + 10 * share) / (len(alike) + 10) <= min(limits)


@given(tables())
@example(TOLD_AS_SETS)
@example(replace(TOLD_AS_SETS, grows=True))
def test_a_release_replays_itself(of: BlindTable) -> None:
    if of.blocks == "told":  # such a table is refused
        texts_of = ((name, of.text(row, name)) for row in of.confidential for name in of.names)
        assume(not any(of.reads_like_a_block(name, text) for name, text in texts_of))
    for row, texts in enumerate(of.released()):
        assume(row not in of.confidential or of.marker not in of.rows[row])
        if row in of.confidential:
            assert of.replays(row, texts)


def test_only_what_the_rules_tell_of_some_row_replays() -> None:
    of, told = TOLD_AS_SETS, set()
    for filled in product(["x", "y", "new"], repeat=3):
        told.add(tuple(replace(of, rows=(("x", *filled), *of.rows[1:])).released()[0]))
    assert ("*", "{x, y}", "not {y}", "x") in told
    for texts in product(["x", "y", "new", "*", "{x}", "{x, y}", "not {x}", "not {y}"], repeat=3):
        assert of.replays(0, ["*", *texts]) == (("*", *texts) in told), texts


@given(tables(plain=True))
def test_blocks_of_a_hidden_cell_tell_more_than_none(of: BlindTable) -> None:
    for row in of.confidential:
        assert not replace(of, blocks="none").tell(row).blocks


# The two faults


def correlated(number: int, seed: int) -> list[tuple[str, ...]]:
    """Rows of which three columns tell the last, each by itself a little."""
    rng, rows = Random(seed), []
    for _ in range(number):
        last = rng.choice("uvw")
        others = [last if rng.random() < 0.6 else rng.choice("uvw") for _ in range(3)]
        rows.append((*others, last))
    return rows


def test_who_looks_at_the_secret_tells_it() -> None:
    rows = correlated(40, 1)
    rows[0] = ("u", "u", "u", "u")
    first = table(rows, Item("d", (0,)))
    other = replace(first, rows=(("u", "u", "u", "v"), *first.rows[1:]))
    assert until_wrong(first, 0) != until_wrong(other, 0)
    assert first.tell(0) == other.tell(0)


def test_who_hides_a_cell_for_what_it_says_tells_it() -> None:
    """`least` never looks at the secret, and rows that agree with what it tells are told otherwise all the same."""
    of = table(correlated(50, 1), Item("d", tuple(range(6))))
    fails = 0
    for row in of.confidential:
        told = least(of, row)
        agreeing = [filled for filled in every_row(of, row) if told.agrees(filled)]
        fails += any(least(of, row, filled) != told for filled in agreeing)
        assert simulatable(of, row, of.tell(row))
    assert fails > len(of.confidential) / 2


# Limits


def test_each_value_has_its_own_limit() -> None:
    rows = [("x", "no")] * 96 + [("y", "yes")] * 4 + [("x", "no")]
    of = table(rows, Item("b", (100,)))
    assert of.limit(100, "b", "no") == Fraction(98, 100)
    assert of.limit(100, "b", "yes") == Fraction(1, 2)
    lower = table(rows, Item("b", (100,), Fraction(1, 50), Fraction(1, 20)))
    assert lower.limit(100, "b", "yes") == Fraction(9, 100)
    assert lower.limit(100, "b", "no") == Fraction(98, 100)
    both = table(rows, Item("b", (100,)), Item("b", (100,), Fraction(1, 50)))
    assert both.limit(100, "b", "yes") == Fraction(9, 100)


def test_the_rare_value_is_protected() -> None:
    """96% and 4%: a limit by the commonest value would let the column that tells the rare one be shown."""
    rows = [("x", "no")] * 960 + [("x", "yes")] * 20 + [("y", "yes")] * 20 + [("y", "yes")]
    of = table(rows, Item("b", (1000,)), references=("count",))
    assert (of.limit(1000, "b", "no"), of.limit(1000, "b", "yes")) == (Fraction(98, 100), Fraction(1, 2))
    assert not of.tell(1000).values
    one_limit = replace(of, items=(Item("b", (1000,), Fraction(98, 100)),))
    assert one_limit.tell(1000) == Told({"a": "y"}, {})


def test_a_telling_number_is_not_told() -> None:
    rng = Random(3)
    rows = []
    for _ in range(120):
        number = rng.randrange(1000)
        rows.append((str(number), rng.choice("xy"), "high" if number >= 500 else "low"))
    of = table(rows, Item("c", (0, 1, 2)), numbers=("a",))
    assert len(of.domains["a"]) == 11  # ten classes, and any other
    for row in of.confidential:
        assert "a" not in of.tell(row).values


def test_classes_of_numbers() -> None:
    few = table(
        [(text, "u") for text in ("3", "1", "2", "2.0", "?", "5")], Item("b", (5,)), numbers=("a",), missing=("?",)
    )
    assert few.domains["a"] == [0, 1, 2, None, ...]
    assert [few.element(text, "a") for text in ("0", "1", "1.5", "2", "9", "?")] == [0, 0, 0, 1, 2, None]
    many = table([(str(n), "u") for n in range(40)], Item("b", (39,)), numbers=("a",))
    assert many.cuts["a"] == [Fraction(39 * q // 10) for q in range(1, 10)]


# Blocks, and what is asked


def test_a_block_holds_what_may_not_be_told_and_enough_besides() -> None:
    """A column of four values, of which one tells: it is told unless it is one of those in the block."""
    rows = [("p", "yes")] * 30 + [("q", "no")] * 30 + [(text, word) for text in "rs" for word in ("yes", "no")] * 20
    of = table([*rows, ("r", "no"), ("p", "yes"), ("q", "no")], Item("b", (140, 141, 142)))
    assert of.tell(140) == Told({"a": "r"}, {})
    assert of.tell(141) == Told({}, {"a": ("p", "q")})
    assert of.tell(142) == Told({}, {"a": ("p", "q")})
    assert replace(of, blocks="none").tell(140) == Told()
    assert of.released()[140:] == [["r", "*"], ["*", "*"], ["*", "*"]]


def test_a_block_keeps_what_is_rare_rather_than_what_is_common() -> None:
    """`p` alone tells "yes": what is added at once would be the commonest, `s`, and little would be told."""
    rows = [("p", "yes")] * 10 + [("q", "no")] * 7 + [("q", "yes")] * 5 + [("r", "no")] * 6 + [("r", "yes")] * 4
    rows += [("s", "yes"), ("s", "no")] * 10
    of = table([*rows, ("s", "no")], Item("b", (len(rows),), Fraction(7, 10)), references=("count",))
    before, row = replace(of, grows=True), len(rows)
    assert (of.block(row, Told(), "a"), before.block(row, Told(), "a")) == (["p", "q"], ["p", "s"])
    assert (of.tell(row), before.tell(row)) == (Told({"a": "s"}, {}), Told({}, {"a": ("p", "s")}))
    rooms = {each: of.room(row, Told().with_block("a", ("p", each))) for each in "qrs"}
    assert max(rooms, key=lambda each: rooms[each]) == "s"


def test_the_marker_is_in_every_block() -> None:
    rows = [("p", "yes")] * 30 + [("q", "no")] * 30 + [(text, word) for text in "r*" for word in ("yes", "no")] * 20
    of = table([*rows, ("*", "no")], Item("b", (140,)))
    assert of.tell(140).blocks == {"a": ("*", "p", "q")}


def test_secrets_of_a_row_tell_nothing_of_each_other() -> None:
    rows = correlated(60, 2)
    of = table(rows, Item("d", (0, 1)), Item("c", (1, 2)))
    assert (of.predictors(0), of.predictors(1), of.predictors(2)) == (["a", "b", "c"], ["a", "b"], ["a", "b", "d"])
    told = of.tell(1)
    for secret in ("c", "d"):
        for facts in told.readings():
            for value, chance in of.count(secret, facts).items():
                assert chance <= of.limit(1, secret, value)


def test_known_columns_are_told_and_may_fail() -> None:
    rows = [("p", "yes")] * 30 + [("q", "no")] * 30 + [("p", "yes")]
    of = table(rows, Item("b", (60,), known=("a",)))
    assert of.tell(60) == Told({"a": "p"}, {}, failed=True)
    assert of.released()[60] == ["p", "*"]


def test_the_order_that_users_need() -> None:
    rows = correlated(60, 4)
    of = table(rows, Item("d", (0, 1, 2), Fraction(19, 20)), order=("c", "b"))
    assert of.chosen(0, Told(), ["a", "b", "c"]) == ("c", [])
    assert of.chosen(0, Told(), ["a", "b"]) == ("b", [])
    assert of.chosen(0, Told(), ["a"]) == ("a", [])
    assert of.chosen(0, Told(), []) is None


def test_naive_bayes_is_brought_down_where_it_is_too_sure() -> None:
    """Two columns that say the same: each counts once, so with both told each weighs less."""
    rng, rows = Random(5), []
    for _ in range(120):
        last = rng.choice("uv")
        same = last if rng.random() < 0.7 else rng.choice("uv")
        rows.append((same, same, last))
    of = table(rows, Item("c", (0,)))
    one, two = of.tau("c")
    assert two < one


def test_labels_above_a_row_count_it() -> None:
    trees = {"a": {"x": "u", "y": "u"}}
    rows = [("x", "no"), ("y", "no"), ("u", "yes"), ("x", "yes"), ("z", "yes"), ("u", "no")]
    of = table(rows, Item("b", (5,)), trees=trees)
    assert [of.fits(row, "a", ("u",)) for row in range(5)] == [True, True, True, True, False]
    assert [of.fits(row, "a", ("x",)) for row in range(5)] == [True, False, False, True, False]
    assert of.alike("b", {"a": ("u",)}) == [0, 1, 2, 3]
