"""The fast methods give the thesis's worked examples, and every output of the golden random tables."""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest

from discreet.method.cells import hid3, kernels
from discreet.method.cells.chance import FIRST
from discreet.method.cells.table import Bayes, CellTable
from discreet.method.cells.trees import ValueTree, flat, from_nested
from tests.conftest import load_golden
from tests.method.cells.fast import STATUS, Fast, flat_tree
from tests.reference.cells_golden import CASES, METHODS, STILL_GUESSED, TINY, is_guessed, released
from tests.reference.cells_model import DELETED, Cell, Table

BOB = load_golden("suppress_ex2_5.json")
SYMPTOMS = load_golden("suppress_ex6_10.json")


def listed(changed: Sequence[tuple[int, int, Cell]]) -> list[list[object]]:
    return [list(cell) for cell in changed]


def probabilities(table: CellTable, i: int, j: int, predictors: Sequence[int], options: Bayes) -> dict[str, float]:
    """What naive Bayes gives each candidate, adding up to 1."""
    guesser = table.guesser(j, predictors, options)
    nodes = kernels.candidates(table.frame, guesser, i) - table.first[j]
    chances = kernels.chances(table.frame, guesser, i)
    return {table.trees[j].texts[node][0]: float(p) for node, p in zip(nodes, chances, strict=True)}


def exact(table: CellTable, i: int, j: int, predictors: Sequence[int], options: Bayes) -> dict[str, Fraction]:
    """What naive Bayes gives each candidate, from the factors that are compared."""
    guesser = table.guesser(j, predictors, options)
    nums, dens = (np.empty(guesser.size, dtype=np.int64) for _ in range(2))
    found = {}
    for node in kernels.candidates(table.frame, guesser, i).tolist():
        n, d = kernels.terms(table.frame, guesser, i, node, nums, dens)
        p = Fraction(prod(nums[:n].tolist()), prod(dens[:d].tolist())) if n >= 0 else Fraction(0)
        found[table.trees[j].texts[node - int(table.first[j])][0]] = p
    return found


def fractions(p: dict[str, str]) -> dict[str, Fraction]:
    return {value: Fraction(text) for value, text in p.items()}


def scaled(p: dict[str, str]) -> dict[str, Any]:
    """Exact probabilities of a golden file, adding up to 1."""
    found = fractions(p)
    total = sum(found.values())
    return {value: pytest.approx(float(x / total) if total else 0.0, rel=1e-12) for value, x in found.items()}


# --- Examples 2 to 5 ---------------------------------------------------------------------------------------------

BOB_I, BOB_J, BOB_PREDICTORS = 1, 6, [3, 4, 5]


def bob(table: Table) -> Fast:
    domains = [BOB["domains"].get(name) or sorted({row[c] for row in table}) for c, name in enumerate(BOB["cols"])]
    return Fast(table, [flat(domain) for domain in domains], [BOB_J])


@pytest.mark.parametrize(("example", "method"), [("ex2", "decp"), ("ex3", "incp"), ("ex4", "dropp")])
def test_examples_2_to_4(example: str, method: str) -> None:
    expected, fast = BOB[example], bob(BOB["table11"])
    fast.table.set(BOB_J, BOB_I, 0)
    asked = (fast.table, BOB_I, BOB_J, BOB_PREDICTORS, Bayes())
    assert exact(*asked) == fractions(expected["p0"])
    assert probabilities(*asked) == scaled(expected["p0"])
    outcome = fast.bayes(method, BOB_I, BOB_J, BOB_PREDICTORS, Bayes(), FIRST)
    assert STATUS[outcome.status] == expected["status"]
    assert exact(*asked) == fractions(expected["p1"])
    assert probabilities(*asked) == scaled(expected["p1"])
    assert fast.published() == expected["published"]


def test_example_5() -> None:
    table = [list(row) for row in BOB["table11"]]
    fast = bob(table)
    outcome = fast.hid3(BOB_I, BOB_J, BOB_PREDICTORS, FIRST)
    expected = BOB["ex5"]["with_chest_pain_Y"]
    assert (STATUS[outcome.status], fast.published([BOB_I])[BOB_I]) == (expected["status"], expected["row"])
    table[BOB_I][4] = "N"  # the text assumes it, although Table 3.5 prints Y
    fast = bob(table)
    outcome = fast.hid3(BOB_I, BOB_J, BOB_PREDICTORS, FIRST)
    assert STATUS[outcome.status] == BOB["ex5"]["status"]
    assert fast.published() == BOB["ex5"]["published"]


# --- Examples 6 to 10 --------------------------------------------------------------------------------------------

PATIENT_I, PATIENT_J, PATIENT_PREDICTORS = 17, 5, [0, 1, 2, 3, 4]
SPREAD = Bayes("spread")


def texts(row: Sequence[Any]) -> list[Cell]:
    return [None if cell is None else str(cell) for cell in row]


def patients() -> Fast:
    symptom = from_nested(SYMPTOMS["symptom_taxonomy"])
    disease = from_nested(
        {group: {leaf: {} for leaf in below} for group, below in SYMPTOMS["disease_taxonomy"].items()}
    )
    return Fast([texts(row) for row in SYMPTOMS["table41"]], [symptom] * 5 + [disease], [PATIENT_J])


def test_example_6() -> None:
    """Counts of a class, summed up and spread down the taxonomy of a symptom."""
    expected = SYMPTOMS["ex6"]
    values = [None if value == "?" else value for value, number in expected["own"].items() for _ in range(number)]
    tree = from_nested(SYMPTOMS["symptom_taxonomy"])
    places = tree.place_of()
    for label, estimate in expected["est"].items():
        asked: Cell = None if label == "?" else label
        table = Fast([*([value, "here"] for value in values), [asked, None]], [tree, flat(["here"])], [1]).table
        assert table.frame.up[0, places.get(label, 0)] == expected["up"][label]
        assert exact(table, len(values), 1, [0], SPREAD)["here"] * len(values) == Fraction(estimate)


@pytest.mark.parametrize(("example", "method"), [("ex7", "decp"), ("ex8", "incp"), ("ex9", "dropp")])
def test_examples_7_to_9(example: str, method: str) -> None:
    expected, fast = SYMPTOMS[example], patients()
    fast.table.set(PATIENT_J, PATIENT_I, int(fast.trees[PATIENT_J].parent[fast.actual(PATIENT_I, PATIENT_J)]))
    asked = (fast.table, PATIENT_I, PATIENT_J, PATIENT_PREDICTORS, SPREAD)
    assert exact(*asked) == fractions(expected["p0"])
    assert probabilities(*asked) == scaled(expected["p0"])
    outcome = fast.bayes(method, PATIENT_I, PATIENT_J, PATIENT_PREDICTORS, SPREAD, FIRST)
    assert STATUS[outcome.status] == expected["status"]
    assert exact(*asked) == fractions(expected["p1"])
    assert probabilities(*asked) == scaled(expected["p1"])
    assert fast.published() == [texts(row) for row in expected["published"]]


def test_example_10_on_the_table() -> None:
    expected, fast = SYMPTOMS["ex10"]["table41_extra"], patients()
    outcome = fast.hid3(PATIENT_I, PATIENT_J, PATIENT_PREDICTORS, FIRST)
    assert STATUS[outcome.status] == expected["status"]
    assert fast.published()[PATIENT_I] == texts(expected["row"])


# --- the random tables -------------------------------------------------------------------------------------------


def tiny(case: Any, rough: bool, confidential: Sequence[int]) -> Fast:
    width = len(case["D"][0])
    shapes = [TINY["taxonomy"] if c < width - 1 else TINY["class_taxonomy"] for c in range(width)]
    return Fast(case["D"], [from_nested(shape) if rough else flat_tree(shape) for shape in shapes], confidential)


def of_tiny(case: Any, name: str) -> tuple[Any, Fast, list[int]]:
    """Status, table and failed rows after the method that the golden file calls ``name``."""
    rough, i, j, predictors = "-G" in name, case["i"], case["j"], case["predictors"]
    options = Bayes("spread" if rough else "count", guesses=case["k"])
    method = name.removesuffix("-G")
    fast = tiny(case, rough, case["conf_attrs"] if method == "e-DROPP" else [j])
    if method == "e-DECP":
        outcomes = fast.e_decp(case["same"], j, predictors, options, dict.fromkeys(case["same"], FIRST))
        failed = [row for row, outcome in outcomes.items() if not outcome.holds]
        return {str(row): STATUS[outcome.status] for row, outcome in outcomes.items()}, fast, failed
    if method == "e-DROPP":
        columns = case["conf_attrs"]
        outcomes = fast.e_dropp(i, columns, predictors, options, dict.fromkeys(columns, FIRST))
        failed = [] if all(outcome.holds for outcome in outcomes.values()) else [i]
        return {str(c): STATUS[outcome.status] for c, outcome in outcomes.items()}, fast, failed
    if "+" in name:
        status = STATUS[fast.hybrid(name.split("+")[1].removesuffix("-g"), i, j, predictors, options, FIRST)]
    elif method == "HID3":
        status = STATUS[fast.hid3(i, j, predictors, FIRST).status]
    else:
        status = STATUS[fast.bayes(method.lower(), i, j, predictors, options, FIRST).status]
    return status, fast, [i] if status == DELETED else []


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["seed"]))
def test_every_method_on_the_random_tables(case: Any, name: str) -> None:
    expected = case["results"][name]
    status, fast, failed = of_tiny(case, name)
    if (case["seed"], name) in STILL_GUESSED:
        assert is_guessed(case, released(case, name))
        assert status == DELETED or not is_guessed(case, fast.published())
        return
    assert listed(fast.changed(failed)) == expected["changed"]
    if name.startswith("HID3-G+"):  # the file tells what naive Bayes alone needed
        assert (status == DELETED) == (expected["status"] == DELETED)
    else:
        assert status == expected["status"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["seed"]))
def test_trees_of_the_random_tables(case: Any) -> None:
    fast = tiny(case, False, [case["j"]])
    fast.table.set(case["j"], case["i"], 0)
    tree = hid3.Trees(fast.table).tree(case["j"], case["i"], case["predictors"])
    assert plain(tree, fast.trees, case["j"], 0) == case["id3_tree"]


def plain(tree: hid3.GrownTree, trees: Sequence[ValueTree], j: int, node: int) -> Any:
    """The tree as nested dictionaries, columns as texts."""
    if tree.split[node] < 0:
        return trees[j].texts[1 + int(tree.common[node])][0]
    column = int(tree.predictors[tree.split[node]])
    branches = {}
    for value in range(len(trees[column].leaves)):
        child = tree.child_of(node, value)
        label = trees[column].texts[1 + value][0]
        branches[label] = (
            trees[j].texts[1 + int(tree.common[node])][0] if child is None else plain(tree, trees, j, child)
        )
    return {str(column): branches}
