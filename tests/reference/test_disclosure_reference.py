"""The reference version of top-down disclosure gives the published and worked results."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import load_golden
from tests.reference.disclosure import (
    Number,
    Outcome,
    Split,
    Step,
    Template,
    Unsatisfiable,
    Use,
    confidence,
    disclose,
)

pytestmark = pytest.mark.reference

Rows = list[list[str | None]]

BANK = load_golden("tdd_bank.json")
BANK_COLUMNS = ["Job", "Country", "Child", "Bankruptcy", "Rating"]
BANK_ROWS: Rows = [
    line[:-1] for line in BANK["rows [Job, Country, Child, Bankruptcy, Rating, count]"] for _ in range(line[-1])
]
CRX = load_golden("tdd_crx_topn.json")
GERMAN = {name: case for name, case in load_golden("tdd_misc.json").items() if name.startswith("german_")}
ADULT = {name: case for name, case in load_golden("tdd_misc.json").items() if name.startswith("adult1000_")}
ADULT_COLUMNS = {"age": 1, "workclass": 2, "sex": 10, "hours-per-week": 13, "marital-status": 6, "income": 15}
GERMAN_COLUMNS = {
    "account-status": 1,
    "credit-history": 3,
    "loan-purpose": 4,
    "savings-account": 6,
    "employment": 7,
    "personal-status": 9,
    "debtors": 10,
    "property": 12,
    "installments": 14,
    "housing": 15,
    "job": 17,
    "telephone": 19,
    "foreign": 20,
    "class": 21,
}


def template(given: Iterable[str], column: str, value: str | None, at_most: str) -> Template:
    return Template(tuple(given), column, value, Fraction(at_most))


def parse(text: str) -> Template:
    """A template written like <{Country,Job} -> Bankruptcy=Discharged, 0.75>."""
    match = re.fullmatch(r"<\{(.*)\} -> (.*)=(.*), (.*)>", text)
    assert match is not None
    given, column, value, at_most = match.groups()
    return template(given.split(","), column, value, at_most)


def number(expected: float) -> Any:
    """Equal to the 12 digits that the worked examples have, or to the rounding error of a zero."""
    return pytest.approx(expected, rel=1e-9, abs=1e-13)


def assert_steps(steps: Sequence[Step], expected: Sequence[Sequence[Any]]) -> None:
    """The same steps as [column, value, score, gain, loss, tied]; the rule for ties is the same, too."""
    assert [(step.column, step.value) for step in steps] == [(line[0], line[1]) for line in expected]
    for step, (_, _, score, gain, loss, tied) in zip(steps, expected, strict=True):
        assert (step.score, step.gain, step.loss) == (number(score), number(gain), number(loss)), step
        assert step.tied == tied, step


def assert_suppressed(outcome: Outcome, expected: dict[str, list[str]]) -> None:
    assert outcome.suppressed == {column: set(values) for column, values in expected.items()}


@pytest.mark.parametrize("example", ["example2", "example3"])
@pytest.mark.parametrize(("suffix", "use"), [("infogain", "classify"), ("distortion", "counts")])
def test_bank(example: str, suffix: str, use: Use) -> None:
    golden = BANK[f"{example}_{suffix}"]
    outcome = disclose(BANK_COLUMNS, BANK_ROWS, [parse(text) for text in golden["templates"]], use=use, target="Rating")
    trace = golden["trace"]
    keys = ("attr", "value", "score", "infogain", "privloss", "tied")
    assert_steps(outcome.steps, [[line[key] for key in keys] for line in trace])
    assert_suppressed(outcome, golden["suppressed"])
    final = {
        f"{'+'.join(t.given)}->{t.value}": float(share)
        for t, share in outcome.confidence.items()
        if isinstance(t, Template)
    }
    assert final == pytest.approx(golden["final_conf"], rel=1e-15)
    assert outcome.dropped == []
    columns = list(outcome.suppressed)
    cells = sum(row[BANK_COLUMNS.index(c)] not in outcome.suppressed[c] for row in BANK_ROWS for c in columns)
    assert cells == golden["greedy_utils"]["cells"]


def test_bank_always_discloses_more_than_the_papers_table() -> None:
    rule = parse("<{Country,Job} -> Bankruptcy=Discharged, 0.75>")
    beneficial = disclose(BANK_COLUMNS, BANK_ROWS, [rule], use="classify", target="Rating")
    always = disclose(BANK_COLUMNS, BANK_ROWS, [rule], use="classify", target="Rating", always=True)
    assert_suppressed(beneficial, BANK["paper_table2"]["suppressed"])
    assert always.steps[: len(beneficial.steps)] == beneficial.steps
    assert always.suppressed == {"Job": set(), "Country": {"Canada", "UK"}}


@pytest.fixture(scope="module")
def crx(data_dir: Path) -> Rows:
    names = [*CRX["columns"][:-1], "A16"]
    lines = [
        line.split(",")
        for part in ("crx.data", "crx.test")
        for line in (data_dir / "crx-split" / part).read_text(encoding="utf-8").splitlines()
    ]
    rows: Rows = [[line[int(name[1:]) - 1] for name in names] for line in lines if "?" not in line]
    assert len(rows) == CRX["rows"]
    return rows


@pytest.mark.parametrize("run", CRX["runs"], ids=lambda run: f"top{run['N']}-{run['h']}")
def test_crx(crx: Rows, run: dict[str, Any]) -> None:
    columns, h = CRX["columns"], Fraction(run["h"])
    templates = [Template(tuple(run["qid"]), column, value, h) for column, value in run["pis"]]
    assert len(templates) == run["n_templates"]
    assert inferences_above(columns, crx, templates) == run["n_inferences_above"]
    if run["status"] == "unsatisfiable":
        with pytest.raises(Unsatisfiable) as error:
            disclose(columns, crx, templates, use="classify", target="class")
        least = [[*t.pair[1:], float(share)] for t, share in error.value.least.items()]
        assert least == run["violated"]
        return
    outcome = disclose(columns, crx, templates, use="classify", target="class")
    assert len(outcome.steps) == run["steps"]
    assert_steps(outcome.steps, run["trace"])
    assert_suppressed(outcome, run["suppressed"])
    assert list(outcome.confidence) == templates
    assert max(outcome.confidence.values()) <= h
    assert float(max(outcome.confidence.values())) == number(run["max_conf"])
    hidden = sum(row[columns.index(c)] in gone for c, gone in outcome.suppressed.items() for row in crx)
    assert hidden == run["cells_suppressed"]


def inferences_above(columns: Sequence[str], rows: Rows, templates: Sequence[Template]) -> int:
    """How many groups of the original rows violate their template, summed over the templates."""
    total = 0
    for t in templates:
        given = [columns.index(name) for name in t.given]
        size = Counter(tuple(row[i] for i in given) for row in rows)
        having = Counter(tuple(row[i] for i in given) for row in rows if row[columns.index(t.column)] == t.value)
        total += sum(Fraction(having[group], size[group]) > t.at_most for group in size)
    return total


@pytest.fixture(scope="module")
def german(data_dir: Path) -> Rows:
    lines = [line.split() for line in (data_dir / "german.data").read_text(encoding="utf-8").splitlines()]
    return [[line[number - 1] for number in GERMAN_COLUMNS.values()] for line in lines]


@pytest.mark.parametrize("name", GERMAN)
def test_german(german: Rows, name: str) -> None:
    golden = GERMAN[name]
    outcome = disclose(
        list(GERMAN_COLUMNS),
        german,
        [template(*line) for line in golden["templates"]],
        use="classify" if "infogain" in name else "counts",
        target="class",
        remove_redundant="noRedundancyRemoval" not in name,
    )
    assert_steps(outcome.steps, golden["trace"])
    assert_suppressed(outcome, golden["suppressed"])
    assert outcome.dropped == [parse(text.split(" because of ")[0]) for text in golden["dropped"]]
    assert all(share <= t.at_most for t, share in outcome.confidence.items())


@pytest.fixture(scope="module")
def adult(data_dir: Path) -> Rows:
    """The first 1,000 rows without a missing value."""
    lines = (data_dir / "adult.data").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split(",")] for line in lines if line and "?" not in line]
    return [[row[place - 1] for place in ADULT_COLUMNS.values()] for row in cells[:1000]]


@pytest.mark.parametrize("split", ["best", "best_valid"])
def test_adult_with_numbers(adult: Rows, split: Split) -> None:
    golden = ADULT[f"adult1000_continuous_h0.2_{split}"]
    assert golden["columns"] == list(ADULT_COLUMNS)
    outcome = disclose(
        golden["columns"],
        adult,
        [template(*line) for line in golden["templates"]],
        use="classify",
        target="income",
        kinds={name: Number() for name in golden["continuous"]},
        split=split,
    )
    trace = [[column, value.replace(",", ", "), *figures] for column, value, *figures, _ in golden["trace"]]
    assert_steps(outcome.steps, trace)
    assert [step.cut for step in outcome.steps] == [str(line[-1]) for line in golden["trace"]]
    assert {step.kind for step in outcome.steps} == {"split"}
    assert_suppressed(outcome, golden["suppressed"])
    assert {column: [float(cut) for cut in cuts] for column, cuts in outcome.cuts.items()} == golden["cuts"]
    assert float(max(outcome.confidence.values())) == number(golden["max_conf"])


def test_confidence_is_the_largest_share_of_any_group() -> None:
    rows: Rows = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "x"], ["b", "y"], [None, "y"]]
    assert confidence(["q", "s"], rows, ["q"], "s", "x") == Fraction(2, 3)
    assert confidence(["q", "s"], rows, [], "s", "x") == Fraction(1, 2)
    assert confidence(["q", "s"], [], ["q"], "s", "x") == 0


def test_general_gain_is_the_loss_taken_away() -> None:
    rows: Rows = [[q, s] for q, n in (("a", 1), ("b", 2), ("c", 3)) for s in ("x", "y") for _ in range(n)]
    outcome = disclose(["q", "s"], rows, [template(["q"], "s", "x", "0.5")], use="general")
    # 12 hidden rows lose 1 each; without c 6 rows lose 1/2 each; without b nothing is lost
    assert [(step.value, step.gain, step.tied) for step in outcome.steps] == [
        ("c", number(9 / 12), 1),
        ("a", number(3 / 12), 2),
        ("b", 0.0, 1),
    ]
    assert outcome.suppressed == {"q": set()}
    single = disclose(["q", "s"], rows[:2], [template(["q"], "s", "x", "0.5")], use="general")
    assert [(step.value, step.gain) for step in single.steps] == [("a", 0.0)]


def test_scores_that_differ_by_rounding_tie() -> None:
    # q's gain is p's, summed in another order: larger by one unit in the last place
    rows: Rows = [list(row) for row in ("aay2", "bby3", "aby1", "bby2", "bay2")]
    rule = template(["p", "q"], "s", "x", "1")
    outcome = disclose(["p", "q", "s", "c"], rows, [rule], use="classify", target="c")
    first = outcome.steps[0]
    assert (first.column, first.value, first.tied) == ("p", "a", 4)


def test_missing_is_a_value_that_comes_first_and_is_not_the_suppressed_one() -> None:
    rule = template(["q"], "s", "x", "0.5")
    rows: Rows = [[q, s] for q in ("a", "", None) for s in ("x", "y")]
    outcome = disclose(["q", "s"], rows, [rule], use="counts")
    assert [(step.value, step.tied) for step in outcome.steps] == [(None, 3), ("", 2), ("a", 1)]
    stuck = disclose(["q", "s"], [[None, "y"], ["a", "x"]], [rule], use="counts")
    assert stuck.suppressed == {"q": {None, "a"}}
    of_missing = disclose(["s", "q"], [["x", "a"], [None, "a"]], [template(["q"], "s", None, "0.5")], use="counts")
    assert set(of_missing.confidence.values()) == {Fraction(1, 2)}


def test_sensitive_columns_and_the_class_in_a_given_count_but_never_change() -> None:
    rows: Rows = [["a", "x", "1"], ["b", "x", "2"], ["a", "y", "1"], ["b", "y", "2"]]
    rules = [template(["q", "s"], "c", "1", "0.5"), template(["q", "c"], "s", "x", "0.5")]
    outcome = disclose(["q", "s", "c"], rows, rules, use="counts")
    assert outcome.suppressed == {"q": {"a", "b"}}
    rule = template(["q", "c"], "s", "x", "0.6")
    assert set(disclose(["q", "s", "c"], rows, [rule], use="classify", target="c").suppressed) == {"q"}
    with pytest.raises(Unsatisfiable) as error:
        disclose(["q", "s", "c"], [["a", "x", "1"], *rows], [rule], use="classify", target="c")
    assert error.value.least == {rule: Fraction(2, 3)}


def test_redundant_templates() -> None:
    rows: Rows = [["a", "b", "x"], ["a", "b", "y"]]
    rules = [
        template(["p"], "s", "x", "0.6"),  # implied by the next but one
        template(["q", "p"], "s", "x", "0.6"),  # the same columns, weaker
        template(["p", "q"], "s", "x", "0.5"),
        template(["q", "p"], "s", "x", "0.5"),  # the same again
        template(["p"], "s", "y", "0.6"),  # another property
        template(["p", "q"], "s", "y", "0.7"),  # more columns, but weaker
    ]
    outcome = disclose(["p", "q", "s"], rows, rules, use="counts")
    assert outcome.dropped == [rules[0], rules[1], rules[3]]
    assert list(outcome.confidence) == [rules[2], rules[4], rules[5]]
    with pytest.raises(Unsatisfiable) as error:
        disclose(["p", "q", "s"], rows[:1], rules, use="counts")
    assert error.value.least == {rules[2]: Fraction(1)}


def test_errors() -> None:
    with pytest.raises(ValueError, match="own property"):
        disclose(["q", "s"], [], [template(["q", "s"], "s", "x", "0.5")], use="counts")
    with pytest.raises(ValueError, match="target"):
        disclose(["q", "s"], [], [template(["q"], "s", "x", "0.5")], use="classify")
    with pytest.raises(ValueError, match="target"):
        disclose(["q", "s"], [], [template(["q"], "s", "x", "0.5")], use="general", always=False)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("use", ["classify", "counts", "general"])
def test_always_ends_at_a_table_that_cannot_disclose_more(seed: int, use: Use) -> None:
    draw = random.Random(seed)
    columns = ["p", "q", "s", "c"]
    rows = [[draw.choice(v) for v in ("abc", "de", "xyz", "01")] for _ in range(30)]
    rules = [template(["p", "q"], "s", "x", "0.6"), template(["p"], "s", "y", "0.6")]
    outcome = disclose(columns, rows, rules, use=use, target="c", always=True)

    def holds(gone: set[tuple[str, str | None]]) -> bool:
        released = [[name if (name, v) in gone else v for name, v in zip(columns, row, strict=True)] for row in rows]
        return all(confidence(columns, released, t.given, t.column, t.value) <= t.at_most for t in rules)

    gone = {(column, value) for column, values in outcome.suppressed.items() for value in values}
    assert holds(gone)
    assert not any(holds(gone - {one}) for one in gone)
