"""What a policy may say of columns: types, end points, labels, forms, taxonomies; and every mistake in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d

TREE = {"*": {"north": ["oslo", "turku"], "south": ["rome"]}}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({}, "says nothing"),
        ({"role": "other", "type": "number"}, "role: a column with the role other is not made coarser"),
        ({"type": "number", "taxonomy": TREE}, "taxonomy: a number is cut into intervals"),
        ({"ends": [1, 2]}, "ends: only numbers and dates have it"),
        ({"type": "category", "labels": ["a"]}, "labels: only numbers and dates have it"),
        ({"taxonomy": TREE, "form": "median"}, "form: only numbers and dates have it"),
        ({"taxonomy": TREE, "open_ends": False}, "open_ends: only numbers and dates have it"),
        ({"type": "number", "date_format": "%Y"}, "date_format: only dates have it"),
        ({"type": "date", "date_format": "%m/%Y"}, "date_format: must tell day, month and year (four digits) in a row"),
        ({"type": "date", "date_format": "%H:%M"}, "date_format: must tell day, month and year (four digits) in a row"),
        ({"type": "date", "date_format": "%d. %H:%M %m.%Y"}, "date_format: must tell day, month and year"),
        ({"type": "date", "date_format": "%Y%m%d%H"}, "date_format: must tell day, month and year"),
        ({"type": "date", "date_format": "%c"}, "date_format: must tell day, month and year"),
        ({"type": "number", "ends": ["x"]}, "ends: write numbers in ascending order"),
        ({"type": "date", "ends": ["2024-13-01"]}, "ends: write dates in ascending order"),
        ({"type": "number", "ends": []}, "ends: write numbers"),
        ({"type": "number", "ends": [3, 2]}, "ends: write them in ascending order"),
        ({"type": "number", "ends": [2, "2.0"]}, "ends: write them in ascending order"),
        ({"type": "number", "form": "label"}, "labels: are missing"),
        ({"type": "number", "labels": ["a", "b"]}, "labels: write one more than there are ends"),
        ({"type": "number", "ends": [1], "labels": ["a"]}, "labels: write one more than there are ends"),
        ({"type": "number", "ends": [1], "labels": ["a", "a"]}, "labels: each must be a text of its own"),
        ({"type": "number", "ends": [1], "labels": ["a", "b"], "form": "median"}, "labels: are not shown with"),
        ({"taxonomy": {"a": None, "b": None}}, "taxonomy: has 2 roots"),
        ({"taxonomy": 3}, "taxonomy"),
    ],
)
def test_mistakes(said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.PolicyError) as error:
        d.Column(**said)
    assert message in str(error.value)


def policy(tmp_path: Path, columns: str, given: str = "[town, age]") -> Path:
    path = tmp_path / "p.yaml"
    path.write_text(f"protect:\n  - {{infer: {{ill: yes}}, given: {given}, at_most: 1/2}}\ncolumns:\n{columns}")
    return path


def table(**columns: list[str | None]) -> pl.DataFrame:
    frame = {"town": ["oslo", "rome"], "age": ["1", "2"], "ill": ["yes", "no"], **columns}
    return pl.DataFrame(frame)


def problems(frame: pl.DataFrame, path: Path) -> list[str]:
    with pytest.raises(d.PolicyError) as error:
        d.protect(frame, path)
    return [str(problem).replace(str(path), path.name) for problem in error.value.problems]


def test_a_taxonomy_file_is_found_beside_the_policy_and_kept_in_the_plan(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("oslo;north;*\nturku;north;*\nrome;south;*\n")
    path = policy(tmp_path, "  town: {taxonomy: towns.csv}\n")
    plan = d.protect(table(), path).plan
    (tmp_path / "towns.csv").unlink()
    assert d.Plan.from_json(plan.to_json()).policy == plan.policy


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no such"),
        ("oslo;*\nrome;any\n", "roots"),
        ("oslo;north;*\noslo;south;*\n", "oslo"),
        ("", "empty"),
    ],
)
def test_a_bad_taxonomy_file_is_a_mistake_of_the_policy_with_its_line(
    tmp_path: Path, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / "towns.csv").write_text(text)
    found = problems(table(), policy(tmp_path, "  town: {taxonomy: towns.csv}\n"))
    assert any(line.startswith("p.yaml:4: columns.town.taxonomy: ") and message in line for line in found), found


def test_values_that_the_taxonomy_lacks_are_counted_and_not_named(tmp_path: Path) -> None:
    path = policy(tmp_path, "  town: {taxonomy: {'*': [oslo, rome]}}\n")
    towns: list[str | None] = ["oslo", *(f"t{n:02}" for n in range(12)), None]
    frame = table(town=towns, age=["1"] * 14, ill=["yes", *["no"] * 13])
    (found,) = problems(frame, path)
    assert "the taxonomy lacks 13 values of the column (one of them: empty); add them" in found
    assert "--show-values" in found
    assert "name under 'missing'" in found
    assert "t00" not in found


@pytest.mark.parametrize(
    ("columns", "given", "message"),
    [
        (
            "  age: {type: number}",
            "[town, age]",
            "age.type: 1 of the 2 different values of the column is no number",
        ),
        (
            "  age: {type: date}",
            "[town, age]",
            "age.type: 2 of the 2 different values of the column are no date",
        ),
        ("  ill: {type: number}", "[town]", "columns.ill.type: 'ill' is never changed (it is sensitive)"),
    ],
)
def test_what_does_not_fit_the_table(tmp_path: Path, columns: str, given: str, message: str) -> None:
    found = problems(table(age=["1", "secret"]), policy(tmp_path, columns + "\n", given))
    assert any(message in line for line in found), found
    assert "secret" not in "".join(found)


def test_the_marker_may_be_the_root_of_a_taxonomy_but_no_other_label(tmp_path: Path) -> None:
    template = d.Template(given=["town"], infer={"ill": "yes"}, at_most="50%")
    d.Policy(protect=[template], columns={"town": d.Column(taxonomy=TREE)}, marker="*")
    for marker in ("north", "oslo"):
        with pytest.raises(d.PolicyError, match="is also a label of column 'town'"):
            d.Policy(protect=[template], columns={"town": d.Column(taxonomy=TREE)}, marker=marker)


@pytest.mark.parametrize("marker", ["<", ">", ">9", "≥9", "≤", "[x]", "(1,2]", "]1, 2[", "5"])
def test_the_marker_of_numbers_reads_like_no_interval(marker: str) -> None:
    template = d.Template(given=["age"], infer={"ill": "yes"}, at_most="50%")
    with pytest.raises(d.PolicyError, match="is also a label of column 'age'"):
        d.Policy(protect=[template], columns={"age": d.Column(type="number")}, marker=marker)


@pytest.mark.parametrize("marker", ["(hidden)", "*", "]", "(", "hidden, left out", "-"])
def test_other_markers_are_fine(marker: str) -> None:
    template = d.Template(given=["age"], infer={"ill": "yes"}, at_most="50%")
    assert d.Policy(protect=[template], columns={"age": d.Column(type="number")}, marker=marker).marker == marker


def test_regression_needs_numbers(tmp_path: Path) -> None:
    template = d.Template(given=["town"], infer={"ill": "yes"}, at_most="50%")
    with pytest.raises(d.PolicyError, match="1 of the 2 different values of 'age' are no number"):
        d.protect(table(age=["1", "x"]), d.Policy(use=d.Regress("age"), protect=[template]))


@pytest.mark.parametrize(
    ("inputs", "message"),
    [([], "name at least one"), (["a", "a"], "each once"), (["age"], "take it out")],
)
def test_inputs(inputs: list[str], message: str) -> None:
    with pytest.raises(d.PolicyError, match=message):
        d.Classify("age", inputs=inputs)
    template = d.Template(given=["town"], infer={"ill": "yes"}, at_most="50%")
    unknown = d.Policy(use=d.Classify("age", inputs=["towm"]), protect=[template])
    with pytest.raises(d.PolicyError, match="use.inputs.*no column 'towm'; did you mean 'town'"):
        d.protect(table(), unknown)
