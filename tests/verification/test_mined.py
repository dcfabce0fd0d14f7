"""Confidential cells against rules on a release: answers, the worst rule, other readings, warnings."""

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from discreet.policy import Confidential, KAnonymity
from discreet.verification.answers import Answer
from discreet.verification.cell_answers import CellsFound
from tests.conftest import load_golden
from tests.verification.test_cells import check, edited

HOLDS, BROKEN, NOT_CHECKABLE = Answer.HOLDS, Answer.BROKEN, Answer.NOT_CHECKABLE


def frame(rows: Sequence[Sequence[str | None]], names: str) -> pl.DataFrame:
    return pl.DataFrame({name: [row[place] for row in rows] for place, name in enumerate(names)})


def ask(**said: Any) -> Confidential:
    rules = {"min_confidence": said.pop("min_confidence", "60%"), **said.pop("rules", {})}
    return Confidential(**{"column": "y", "rows": [1], "against": [{"rules": rules}], **said})


FIGURE = load_golden("safe_fig2.json")
FIGURE_2 = frame([[str(value) for value in row] for row in FIGURE["table"]["rows"]], "abcy")
BOTH = ((1, "y", "*"), (5, "y", "*"))


def figure(*more: tuple[int, str, str], **said: Any) -> CellsFound:
    asked = ask(rows=[1, 5], min_confidence="55%", **said)
    return check(FIGURE_2, edited(FIGURE_2, *BOTH, *more), asked, hide_only=FIGURE_2)


def hidden(answer: str) -> list[tuple[int, str, str]]:
    return [(row + 1, "abcy"[column], "*") for row, column in FIGURE[answer]["hidden"]]


def test_figure_2_while_only_the_cells_are_hidden() -> None:
    found = figure()
    assert (found.answer, found.failing) == (BROKEN, (1, 5))
    first, fifth = found.cells
    assert first.rule is not None
    # b -> s: 5 of the 7 rows with b, of which 5 are told
    assert (first.rule.columns, first.rule.support, first.rule.rows, first.rule.published) == (("b",), 5, 7, 5)
    assert first.probability == pytest.approx(5 / 7)
    assert fifth.rule is not None
    assert fifth.rule.columns == ("b",)
    (against,) = found.against
    assert (against.cells, against.guessed, against.only_hidden, against.guessed_when_only_hidden) == (2, 2, 2, 2)


@pytest.mark.parametrize(("answer", "aware"), [("smc", 2), ("cr_a", 2), ("max_descendant", 2), ("cr_b", 2)])
def test_figure_2_made_safe(answer: str, aware: int) -> None:
    found = figure(*hidden(answer))
    assert found.answer is HOLDS
    (against,) = found.against
    assert against.guessed == 0
    assert against.readings is not None
    assert dict(against.readings) == {"all": 0, "published": 2, "absence": 0, "aware": aware}
    assert against.to_dict()["readings"] == dict(against.readings)
    assert "of 2 of 2 confidential cells the value is told to who knows how they are protected" in found.warnings[0]
    assert "(for 2 of them all have it); 'decoys: true' also hides other values" in found.warnings[0]
    assert "2 of 2 confidential cells have a value that more than 55% of the released cells" in found.warnings[1]
    assert not any("'s'" in warning for warning in found.warnings)
    assert found.to_dict()["warnings"] == list(found.warnings)


def test_the_other_denominator_decides_when_the_policy_says_so() -> None:
    found = figure(*hidden("smc"), rules={"denominator": "published"})
    assert (found.answer, found.against[0].guessed) == (BROKEN, 2)
    assert found.cells[0].probability == 1


def test_support_must_be_above_too() -> None:
    assert figure(rules={"min_support": 5}).answer is HOLDS
    assert figure(rules={"min_support": 4}).answer is BROKEN
    cell = figure(rules={"min_support": 5}).cells[0]
    assert (cell.rule, cell.probability) == (None, 0)
    assert cell.to_dict()["rule"] is None


def test_decoys_silence_the_warning() -> None:
    rows = ["au", "au", "au", "av", "av", "aw", "bw", "bv"]
    original = frame(rows, "xy")
    alone = edited(original, (1, "y", "*"), (2, "y", "*"))
    found = check(original, alone, ask())
    assert found.answer is HOLDS
    assert found.cells[0].aware == (2, 2)
    assert "all have it" in found.warnings[0]
    with_decoys = edited(alone, (4, "y", "*"), (6, "y", "*"))
    found = check(original, with_decoys, ask(decoys=True))
    assert (found.answer, found.warnings, found.cells[0].aware) == (HOLDS, (), (2, 4))
    still = check(original, edited(alone, (4, "y", "*")), ask(decoys=True))
    assert "all have it" not in still.warnings[0]
    assert "decoys" not in still.warnings[0]


def test_a_cell_hidden_alone_is_no_news() -> None:
    original = frame(["au", "av", "bu", "bv"], "xy")
    found = check(original, edited(original, (1, "y", "*")), ask())
    assert (found.answer, found.warnings, found.cells[0].aware) == (HOLDS, (), None)


def test_hidden_cells_of_rows_that_share_nothing_tell_too() -> None:
    original = frame(["au", "av", "bu", "bv"], "xy")
    found = check(original, edited(original, (1, "y", "*"), (3, "y", "*")), ask(tells="warn"))
    assert (found.answer, found.cells[0].aware) == (HOLDS, None)
    assert "(for 1 of them all have it)" in found.warnings[0]


def test_a_hidden_condition_is_a_condition_only_by_absence() -> None:
    original = frame(["as", "as", "as", "as", "bu", "bu"], "xy")
    release = edited(original, (1, "y", "*"), *((row, "x", "*") for row in (1, 2, 3, 4)))
    found = check(original, release, ask())
    assert found.answer is HOLDS
    assert found.against[0].readings is not None
    assert found.against[0].readings["absence"] == 1


def test_two_values_are_judged_by_confidence() -> None:
    rows = ["au", "au", "av", "av", "bu", "bu", "bu"]
    original = frame(rows, "xy")
    release = edited(original, (1, "y", "*"), (5, "y", "*"))
    found = check(original, release, ask(rows=[1, 5], two_values="lot"))
    assert [cell.answer for cell in found.cells] == [HOLDS, BROKEN]


def test_every_adversary_knows_columns_of_its_own() -> None:
    rows = ["apu", "apu", "aqu", "bqv", "bpv", "bqw"]
    original = frame(rows, "xzy")
    release = edited(original, (1, "y", "*"))
    against = ["naive_bayes", {"rules": {"min_confidence": "60%", "conditions": ["z"]}}]
    found = check(original, release, ask(predictors=["x"], against=against))
    assert [cell.answer for cell in found.cells] == [BROKEN, HOLDS]
    rule = found.cells[1].rule
    assert rule is not None
    assert (rule.columns, rule.support, rule.rows) == (("z",), 1, 3)
    assert found.cells[0].rule is None
    assert found.against[0].readings is None
    both = check(original, release, ask(rules={"conditions": ["z", "x"]}))
    assert both.answer is BROKEN


def test_a_recoded_condition_is_tried_with_every_label_that_covers_it() -> None:
    # The row is released as 1-2; whoever knows 1 may also look at the rows released as 1.
    original = frame(["1u", "2v", "1u", "1u", "1v"], "xy")
    release = pl.DataFrame({"x": ["N", "N", "1", "1", "1"], "y": ["*", "v", "u", "u", "v"]})
    columns = {"x": {"taxonomy": {"*": {"N": ["1", "2"]}}}}
    asked = {"knows": "original", "rules": {"conditions": ["x"]}}
    found = check(original, release, KAnonymity(k=1, over=["x"]), ask(**asked), columns=columns)
    assert found.answer is BROKEN
    found = check(
        original, release, KAnonymity(k=1, over=["x"]), ask(**{**asked, "knows": "released"}), columns=columns
    )
    assert found.answer is HOLDS


def test_what_nobody_can_check() -> None:
    original = frame(["au", "av"], "xy")
    found = check(original, original, ask(rules={"conditions": ["z"]}))
    assert (found.answer, found.reason) == (NOT_CHECKABLE, "there is no column 'z'")
    wide = original.with_columns(**{f"c{place}": pl.lit("a") for place in range(20)})
    found = check(wide, wide, ask())
    assert found.answer is NOT_CHECKABLE
    assert found.reason is not None
    assert found.reason.startswith("21 conditions make 2^21 - 1 rules")
    assert check(wide, edited(wide, (1, "y", "*")), ask(rules={"conditions": ["x"]})).answer is HOLDS
