"""Confidential cells from the policy to the release: a clear error, or a release that keeps them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from discreet.verification.answers import Answer
from tests.kinds import KINDS, to_rows
from tests.reference.cells_model import Cell, Nested, Table, Taxonomy, is_top, naive_bayes, spread_bayes
from tests.reference.cells_tree import classify, id3, is_guessed_g

NESTED: Nested = {"Low": {"1": {}, "2": {}, "3": {}}, "High": {"4": {}, "Top": {"5": {}, "6": {}}}}
WRITTEN = {"*": {"Low": {"1": None, "2": None, "3": None}, "High": {"4": None, "Top": {"5": None, "6": None}}}}
NAMES = ["a", "b", "c", "d"]
TREES: dict[str, Any] = {name: {"taxonomy": WRITTEN} for name in NAMES}
IDENTIFIER: dict[str, Any] = {"id": {"role": "identifier"}}
ROWS = [1, 2, 5, 8, 13]


def random_frame(seed: int = 1, rows: int = 50) -> pl.DataFrame:
    """Columns of six values that depend on each other, and an id."""
    generator = Random(seed)
    lines = []
    for _ in range(rows):
        like = generator.expovariate(0.5)
        drawn = [like if generator.random() < 0.6 else generator.expovariate(0.5) for _ in NAMES]
        lines.append([str(min(int(x), 5) + 1) for x in drawn])
    frame = pl.DataFrame(lines, schema=NAMES, orient="row")
    return frame.with_columns(id=pl.Series([f"n{row + 1}" for row in range(rows)]))


def cells_of(table: Any) -> Table:
    """The released rows as the references want them: the marker is null."""
    return [[None if value == "*" else str(value) for value in row] for row in to_rows(table)]


@dataclass
class Brute:
    """A release, recounted by the references."""

    release: d.Release
    original: pl.DataFrame

    @property
    def table(self) -> Table:
        return cells_of(self.release.table)

    def place(self, number: int) -> int | None:
        """Where a row of the input stands in the release."""
        removed = self.release.plan.removed
        return None if number in removed else number - 1 - sum(row < number for row in removed)

    def guessed(self, requirement: d.Confidential, number: int) -> bool:
        """Whether some adversary has the true value as the single best guess."""
        columns = [name for name in self.original.columns if name != "id"]
        i, j = self.place(number), columns.index(requirement.column)
        assert i is not None
        actual = self.original[requirement.column][number - 1]
        assert self.table[i][j] != actual
        predictors = [c for c in range(len(columns)) if c != j]
        generalises = requirement.change == "generalise"
        taxonomies = [Taxonomy(NESTED)] * len(columns)
        domains = [taxonomy.domain for taxonomy in taxonomies]
        for adversary in requirement.adversaries:
            if isinstance(adversary, d.NaiveBayes) and generalises:
                p = spread_bayes(self.table, i, j, predictors, taxonomies, self.table[i][j]).p
            elif isinstance(adversary, d.NaiveBayes):
                p = naive_bayes(self.table, i, j, predictors, domains[j])
            elif generalises:
                if is_guessed_g(self.table, i, j, predictors, taxonomies, actual):
                    return True
                continue
            else:
                p = {value: Fraction(0) for value in domains[j]}
                p[classify(id3(self.table, i, j, predictors, domains), self.table[i])] = Fraction(1)
            if is_top(p, actual, requirement.strict):
                return True
        return False


JOBS = [
    *((method, (), change) for change in ("delete", "generalise") for method in ("decp", "incp", "dropp")),
    *((method, (), change) for change in ("delete", "generalise") for method in ("e-decp", "e-dropp", "hid3")),
    *((method, ("naive_bayes", "id3"), change) for change in ("delete", "generalise") for method in ("decp", "dropp")),
    ("greedy", ("naive_bayes",), "delete"),
    ("greedy", ("id3",), "delete"),
    ("nrd", (), "delete"),
    (None, (), "delete"),
]


@pytest.mark.parametrize("taxonomies", [False, True], ids=["flat", "trees"])
@pytest.mark.parametrize(("method", "against", "change"), JOBS)
def test_every_method_makes_a_verified_release(
    method: Any, against: Sequence[str], change: Any, taxonomies: bool
) -> None:
    """Hidden, guessed by nobody (by the references), true; and the same again from the same seed."""
    if change == "generalise" and not taxonomies:
        return
    frame = random_frame()
    asked = d.Confidential(
        column="d", rows=ROWS, method=method, against=against, change=change, on_failure="remove", guesses=2
    )
    policy = d.Policy(columns={**IDENTIFIER, **(TREES if taxonomies else {})}, protect=[asked])
    release = d.protect(frame, policy, seed=3)
    assert release.audit.verification.holds
    verification = d.verify(release.table, policy, original=frame)
    assert verification.holds
    assert verification.truthful.answer is Answer.HOLDS
    brute = Brute(release, frame)
    kept = [row for row in ROWS if row not in release.plan.removed]
    assert not any(brute.guessed(asked, row) for row in kept)
    told = {cell.row: cell for cell in release.plan.cells}
    assert sorted(told) == ROWS
    assert {row for row, cell in told.items() if cell.status == "removed"} == set(release.plan.removed)
    assert (method == "nrd") == (not kept)
    if change == "delete":
        assert all(edit.text == "*" for edit in release.plan.edits)
    plan = release.plan
    assert d.Plan.from_json(plan.to_json()) == plan
    again = d.protect(frame, policy, seed=3)
    assert again.plan == plan
    assert to_rows(again.table) == to_rows(release.table)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table(kind: str) -> None:
    frame = random_frame()
    policy = d.Policy(columns=IDENTIFIER, protect=[d.Confidential(column="d", rows=ROWS, method="decp")])
    expected = to_rows(d.protect(frame, policy, seed=1).table)
    release = d.protect(KINDS[kind](frame), policy, seed=1)
    assert to_rows(release.table) == expected
    assert d.verify(release.table, policy, original=KINDS[kind](frame)).holds


def test_rows_ids_and_conditions_name_the_same_cells() -> None:
    frame = random_frame()
    among = [row for row in range(1, 51) if frame["a"][row - 1] == "2" and frame["b"][row - 1] in ("1", "2")]
    assert len(among) > 2
    choices: list[dict[str, Any]] = [
        {"rows": among},
        {"ids": {"column": "id", "values": [f"n{row}" for row in among]}},
        {"where": {"a": "2", "b": ["1", "2"]}},
    ]
    made = []
    for choice in choices:
        asked = d.Confidential(column="d", method="decp", on_failure="remove", **choice)
        release = d.protect(frame, d.Policy(columns=IDENTIFIER, protect=[asked]), seed=5)
        assert [cell.row for cell in release.plan.cells] == among
        made.append((to_rows(release.table), release.plan.edits, release.plan.removed))
    assert made[0] == made[1] == made[2]


def test_what_must_be_published_is() -> None:
    """Without the column that DROPP would hide, or with all cells of a row, the row fails; else they stay."""
    frame = random_frame()
    asked: dict[str, Any] = {"column": "d", "rows": ROWS, "method": "hid3", "on_failure": "remove"}
    free = d.protect(frame, d.Policy(columns=IDENTIFIER, protect=[d.Confidential(**asked)]), seed=1)
    edit = next(edit for edit in free.plan.edits if edit.column != "d")
    for must_publish in ([edit.column], [{"column": edit.column, "rows": [edit.row]}]):
        policy = d.Policy(columns=IDENTIFIER, protect=[d.Confidential(**asked, must_publish=must_publish)])
        release = d.protect(frame, policy, seed=1)
        assert (edit.row, edit.column) not in {(other.row, other.column) for other in release.plan.edits}
        if isinstance(must_publish[0], str):
            assert {other.column for other in release.plan.edits} <= set(NAMES) - {edit.column}
        assert d.verify(release.table, policy, original=frame).holds


def test_a_cell_that_cannot_be_protected_stops_the_release_or_goes() -> None:
    frame = random_frame()
    asked: dict[str, Any] = {"column": "d", "rows": ROWS, "method": "dropp", "must_publish": ["a", "b", "c"]}
    with pytest.raises(d.UnprotectedCells, match="cannot be protected") as error:
        d.protect(frame, d.Policy(columns=IDENTIFIER, protect=[d.Confidential(**asked)]))
    (failing,) = error.value.cells
    assert set(failing.rows) < set(ROWS)
    policy = d.Policy(columns=IDENTIFIER, protect=[d.Confidential(**asked, on_failure="remove")])
    release = d.protect(frame, policy)
    assert release.plan.removed
    assert set(release.plan.removed) <= set(ROWS)
    assert len(to_rows(release.table)) == 50 - len(release.plan.removed)
    assert {edit.column for edit in release.plan.edits} <= {"d"}
    assert d.verify(release.table, policy, original=frame).holds


def test_two_values_are_left_to_the_lot_only_when_asked() -> None:
    frame = random_frame().with_columns(d=pl.when(pl.col("a") < "3").then(pl.lit("p")).otherwise(pl.lit("q")))
    asked: dict[str, Any] = {"column": "d", "rows": list(range(1, 21)), "method": "dropp", "on_failure": "remove"}
    with pytest.raises(d.PolicyError, match="has only two values"):
        d.protect(frame, d.Policy(columns=IDENTIFIER, protect=[d.Confidential(**asked)]))
    policy = d.Policy(columns=IDENTIFIER, protect=[d.Confidential(**asked, two_values="lot")])
    release = d.protect(frame, policy, seed=2)
    by_lot = [cell.row for cell in release.plan.cells if cell.status == "by lot"]
    assert by_lot
    verification = d.verify(release.table, policy, original=frame)
    (finding,) = verification.requirements
    assert finding.answer is Answer.BY_LOT
    assert finding.cells is not None
    assert set(finding.cells.rows(Answer.BY_LOT)) == set(by_lot)
    assert not finding.cells.rows(Answer.BROKEN)


@pytest.mark.parametrize("seed", range(4))
def test_several_requirements_hold_together(seed: int) -> None:
    """Other columns, adversaries and methods, the same row more than once, deleting beside generalising."""
    frame = random_frame(seed)
    asked = [
        d.Confidential(column="d", rows=[1, 2, 3, 4], method="decp", on_failure="remove"),
        d.Confidential(column="d", rows=[3, 4, 5], method="hid3", on_failure="remove", change="generalise"),
        d.Confidential(column="a", rows=[2, 3, 9], against=["id3", "naive_bayes"], on_failure="remove"),
        d.Confidential(column="b", rows=[3, 10, 11], method="incp", on_failure="remove", strict=True),
        d.Confidential(column="c", rows=[3, 12], method="e-dropp", on_failure="remove", change="generalise"),
        d.Confidential(column="a", rows=[3, 13], method="e-dropp", on_failure="remove", change="generalise"),
    ]
    policy = d.Policy(columns={**IDENTIFIER, **TREES}, protect=asked)
    release = d.protect(frame, policy, seed=seed)
    verification = release.audit.verification
    assert verification.holds
    found = d.verify(release.table, policy, original=frame)
    assert found.holds or (release.plan.removed and not any(f.answer is d.Answer.BROKEN for f in found.requirements))
    assert [finding.answer for finding in verification.requirements] == [Answer.HOLDS] * 6
    assert d.Plan.from_json(release.plan.to_json()) == release.plan


@pytest.mark.parametrize(
    ("against", "change"),
    [
        ({"naive_bayes": {"laplace": 1}}, "delete"),
        ({"naive_bayes": {"laplace": "0.5", "nulls": "drop"}}, "delete"),
        ({"naive_bayes": {"nulls": "spread"}}, "delete"),
        ({"naive_bayes": {"laplace": 1}}, "generalise"),
        ({"naive_bayes": {"nulls": "drop"}}, "generalise"),
    ],
)
@pytest.mark.parametrize("method", ["decp", "incp", "dropp", "e-decp", "e-dropp"])
def test_every_meaning_of_naive_bayes_is_kept(method: Any, against: dict[str, Any], change: Any) -> None:
    """Verification counts by itself, in the meaning that the policy asks for."""
    frame = random_frame(7)
    asked = d.Confidential(column="d", rows=ROWS, method=method, against=[against], change=change, on_failure="remove")
    policy = d.Policy(columns={**IDENTIFIER, **TREES}, protect=[asked])
    release = d.protect(frame, policy, seed=3)
    assert d.verify(release.table, policy, original=frame).holds


def test_edits_are_not_for_other_rows() -> None:
    frame = random_frame()
    policy = d.Policy(columns=IDENTIFIER, protect=[d.Confidential(column="d", rows=ROWS, method="decp")])
    release = d.protect(frame, policy)
    with pytest.raises(d.BrokenPromise, match="make a new plan with `protect`"):
        release.plan.apply(frame)


# --- bad input, at the command line ------------------------------------------------------------------------------

SECRET = "Zyzzyva"
CSV = f"""name,a,b,one,two,d
{SECRET}-1,x,u,s,p,{SECRET}
n2,x,u,s,p,{SECRET}
n3,x,u,s,q,{SECRET}
n4,x,v,s,q,flu
n5,y,v,s,p,cold
n6,y,v,s,p,
"""
BAD = {
    "column: d, rows: [1, 99]": "the table has no row 99",
    "column: d, rows: [6]": "already missing in row 6",
    "column: d, rows: [1], predictors: [a, d]": "'d' is what is to be predicted",
    "column: d, rows: [1], predictors: [a, a]": "listed twice",
    "column: d, rows: [1], method: drop": "method",
    "column: d, rows: [1], against: [naive_bays]": "unknown adversary 'naive_bays'",
    "column: d, rows: [1], against: [naive_bayes], method: hid3": "hid3 is against id3",
    "column: d, rows: [1], against: [random_forest], method: hid3": "hid3 is against id3, c45 or decision_tree",
    "column: d, rows: [1], against: [decision_tree], method: dropp": "dropp is against naive_bayes",
    "column: d, rows: [1], against: [c45], may_hide: [others.sensitive]": "hid3 against c45 needs own.conditions",
    "column: d, rows: [1], against: [c45, k_nearest], change: generalise": "naive_bayes and trees with their own",
    "column: d, rows: [1], against: [c45], method: greedy, change: generalise": "naive_bayes and trees with their own",
    "column: d, rows: [1], against: [{c45: {depth: 3}}]": "depth",
    "column: d, rows: [1], change: generalise": "has no taxonomy to generalise by",
    "column: one, rows: [1]": "only one value",
    "column: two, rows: [1]": "only two values",
    "column: d, rows: [1], guesses: 1": "write 2 or more",
    "column: d, rows: [0]": "counted from 1",
    "column: d, rows: [1], where: {a: x}": "exactly one of rows, ids and where",
    "column: d": "exactly one of rows, ids and where",
    "column: e, rows: [1]": "'e'",
    "column: d, where: {a: nobody}": "no row meets this condition",
    f"column: d, ids: {{column: name, values: [{SECRET}-2]}}": "nobody has the id",
    "column: d, rows: [1], must_publish: [d]": "both confidential and published",
    "column: d, rows: [1], must_publish: [{column: d, rows: [1]}]": "is confidential",
    "column: d, rows: [1], predictors: [name]": "has the role identifier",
    "column: d, rows: [1], may_hide: [others.sensitive], method: dropp": "needs own.conditions",
    "column: d, rows: [1], against: [{naive_bayes: {laplace: 1, nulls: spread}}]": "laplace",
}


def run_policy(folder: Path, item: str) -> tuple[int, str]:
    (folder / "table.csv").write_text(CSV, encoding="utf-8")
    text = f"columns: {{name: {{role: identifier}}}}\nprotect:\n  - {{{item}}}\n"
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    words = ["protect", str(folder / "table.csv"), "-p", str(folder / "policy.yaml"), "--out", str(folder / "out.csv")]
    result = CliRunner().invoke(app, [*words, "--plan", str(folder / "plan.json")])
    return result.exit_code, " ".join(result.output.split())


@pytest.mark.parametrize("item", BAD)
def test_bad_input_is_refused_without_a_secret(item: str, tmp_path: Path) -> None:
    code, output = run_policy(tmp_path, item)
    assert code == 2
    assert BAD[item] in output
    assert SECRET not in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.yaml", "table.csv"]


def test_a_promise_that_cannot_be_kept_ends_with_1(tmp_path: Path) -> None:
    code, output = run_policy(tmp_path, "column: d, rows: [1], must_publish: [a, b, one, two]")
    assert code == 1
    assert "row 1 cannot be protected" in output
    assert SECRET not in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.yaml", "table.csv"]
    assert run_policy(tmp_path, "column: d, rows: [1], method: nrd")[0] == 0
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").count("\n") == 6


# --- groups and cells together -----------------------------------------------------------------------------------


@st.composite
def mixed(draw: st.DrawFn) -> tuple[pl.DataFrame, d.Policy]:
    """Group columns p and q, a column s with confidential cells (and templates), and others that may be edited."""
    generator = Random(draw(st.integers(0, 2**32)))
    lines = []
    for _ in range(draw(st.sampled_from([20, 12, 40]))):
        like = generator.expovariate(0.7)
        drawn = [like if generator.random() < 0.5 else generator.expovariate(0.7) for _ in range(5)]
        lines.append(["uvwx"[min(int(x), 3)] for x in drawn])
    frame = pl.DataFrame(lines, schema=["p", "q", "s", "e", "f"], orient="row")
    assume(frame["s"].n_unique() > 2)
    rows = sorted(generator.sample(range(1, len(lines) + 1), draw(st.integers(1, 4))))
    method: Any = draw(st.sampled_from(["dropp", "decp", "incp", "e-decp", "e-dropp", None]))
    predictors = draw(st.sampled_from([None, ["p", "e", "f"], ["e", "f"], ["p", "q"]]))
    asked = d.Confidential(
        column="s",
        rows=rows,
        method=method,
        predictors=predictors,
        on_failure=draw(st.sampled_from(["fail", "remove"])),
        knows=draw(st.sampled_from(["original", "released"])),
        strict=draw(st.booleans()),
    )
    groups: list[Any] = []
    if draw(st.booleans()):
        groups.append(d.KAnonymity(k=draw(st.integers(2, 4)), over=["p", "q"]))
    if draw(st.booleans()) or not groups:
        groups.append(d.Template(given=["p", "q"], infer={"s": "u"}, at_most=draw(st.sampled_from(["80%", "60%"]))))
    if isinstance(groups[0], d.KAnonymity):
        rows_too: Any = draw(st.sampled_from(["mask", "remove"]))
        return frame, d.Policy(protect=[asked, *groups], suppress=d.Suppress(rows=rows_too))
    return frame, d.Policy(protect=[asked, *groups])


@pytest.mark.slow
@given(mixed())
def test_groups_and_cells_hold_together(job: tuple[pl.DataFrame, d.Policy]) -> None:
    """A clear error, or a release in which plain counting finds every promise kept."""
    frame, policy = job
    try:
        release = d.protect(frame, policy, seed=1)
    except d.BrokenPromise as error:  # a row that was left out breaks a group; the cells themselves hold
        assert error.verification.requirements[0].answer is Answer.HOLDS
        return
    except d.PromiseError:
        return
    assert release.audit.verification.holds
    gone = {*release.plan.removed, *(release.plan.suppressed if policy.suppress.rows == "remove" else ())}
    numbers = [number for number in range(1, len(frame) + 1) if number not in gone]
    table = cells_of(release.table)
    assert len(table) == len(numbers)
    found = d.verify(release.table, policy, original=frame)
    assert found.holds or (gone and not any(f.answer is d.Answer.BROKEN for f in found.requirements))
    for number, line in zip(numbers, table, strict=True):
        assert all(cell in (None, value) for cell, value in zip(line, frame.row(number - 1), strict=True))
    for requirement in policy.protect:
        if isinstance(requirement, d.Confidential):
            for number in requirement.rows or ():
                if number in numbers:
                    assert not guessed(table, numbers.index(number), frame.row(number - 1), requirement)
        else:
            assert_groups(table, requirement)


def assert_groups(table: Table, requirement: Any) -> None:
    sizes = Counter((line[0], line[1]) for line in table)
    if isinstance(requirement, d.KAnonymity):
        assert min(sizes.values()) >= requirement.k
        return
    for group, size in sizes.items():
        sensitive = [line[2] for line in table if (line[0], line[1]) == group]
        known = size - sensitive.count(None)
        limit = Fraction(str(requirement.at_most))
        assert sensitive.count("u") <= limit * size
        assert sensitive.count("u") <= limit * known


def guessed(table: Table, i: int, original: Sequence[str], requirement: d.Confidential) -> bool:
    """Whether naive Bayes guesses a cell, for each released combination of p and q that covers the row's values."""
    columns = ["p", "q", "s", "e", "f"]
    predictors = [columns.index(name) for name in requirement.predictors or ("p", "q", "e", "f")]
    recoded = [c for c in (0, 1) if c in predictors]
    seen: set[tuple[Cell, ...]] = {tuple(table[i][c] for c in recoded)}
    if requirement.knows == "original":
        released = {tuple(line[c] for c in recoded) for line in table}
        seen |= released & set(product(*((original[c], None) for c in recoded)))
    assert table[i][2] is None
    for combination in seen:
        known = [list(line) for line in table]
        for c, cell in zip(recoded, combination, strict=True):
            known[i][c] = cell
        p = naive_bayes(known, i, 2, predictors, list("uvwx"))
        if is_top(p, original[2], requirement.strict):
            return True
    return False
