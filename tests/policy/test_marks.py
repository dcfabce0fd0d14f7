"""Cells to publish, listed in a file beside the policy."""

from pathlib import Path
from typing import Any

import pytest

from discreet.errors import PolicyError
from discreet.policy import Confidential, read_policy
from discreet.policy.marks import read_marks
from discreet.policy.model import Policy
from discreet.policy.schema import policy_schema
from discreet.policy.which_cells import Published

POLICY = """
protect:
  - column: ill
    rows: [1]
    must_publish: [pain, {file: publish.csv}, {column: age, rows: [9]}]
"""


def written(folder: Path, text: str | bytes) -> Path:
    (folder / "publish.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "policy.yaml").write_text(POLICY)
    return folder / "policy.yaml"


def published(path: Path) -> list[tuple[str, tuple[int, ...] | None]]:
    (requirement,) = read_policy(path).protect
    assert isinstance(requirement, Confidential)
    return [(item.column, item.rows) for item in requirement.must_publish]


@pytest.mark.parametrize(
    "text",
    [
        "3,city\n2,city\n5,age\n",
        "row,column\n3,city\n2,city\n5,age\n",
        "\ufeffrow,column\r\n3,city\r\n\r\n2,city\r\n5,age",
        '3,"city"\n 2 , city\n3,city\n5,age\n',
    ],
)
def test_read_beside_the_policy(tmp_path: Path, text: str) -> None:
    found = published(written(tmp_path, text))
    assert found == [("pain", None), ("city", (2, 3)), ("age", (5,)), ("age", (9,))]


def test_names_with_commas_and_quotes(tmp_path: Path) -> None:
    written(tmp_path, '3,"a, ""b"""\n')
    assert read_marks(tmp_path / "publish.csv") == {'a, "b"': (3,)}


def test_a_policy_that_was_read_says_what_the_file_said(tmp_path: Path) -> None:
    policy = read_policy(written(tmp_path, "3,city\n"))
    again = Policy.from_dict(policy.to_dict())
    assert again.protect == policy.protect


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3,city\nSecret,city\n", "line 2: does not begin with a row number; rows are counted from 1"),
        ("3,city\n0,city\n", "line 2: does not begin with a row number"),
        ("-3,city\n", "line 1: does not begin with a row number"),
        ("3.0,city\n", "line 1: does not begin with a row number"),
        ("1" * 19 + ",city\n", "line 1: does not begin with a row number"),
        ("\u0663,city\n", "line 1: does not begin with a row number"),
        ("3,city\nrow,column\n", "line 2: does not begin with a row number"),
        ("3\n", "line 1: write a row number, a comma and a column, such as 3,Age"),
        ("row,column\n\n3,city,Secret\n", "line 3: write a row number, a comma and a column"),
        ("3, \n", "line 1: write a row number"),
        ('3,city\n4,"Secret\n', "line 2: a quotation mark is not closed or not doubled"),
        ("", "lists no cell; write one row,column to a line"),
        ("row,column\n", "lists no cell"),
        (b"3,city\n4,Secr\xe9t\n", "line 2: is not UTF-8 text"),
    ],
)
def test_every_mistake_has_its_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        published(written(tmp_path, text))
    told = str(caught.value)
    assert "must_publish" in told
    assert "item 2: file: " in told
    assert message in told
    assert "Secret" not in told


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"file": "nowhere.csv"}, "there is no such marks file"),
        ({"file": 3}, "write the name of a text file"),
        ({"file": "x.csv", "column": "city"}, "stands beside other fields"),
        ({"column": "city", "row": [1]}, "row"),
        (7, "must_publish"),
    ],
)
def test_what_is_no_item(item: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Confidential(column="ill", rows=[1], must_publish=[item])


def test_items_in_python(tmp_path: Path) -> None:
    written(tmp_path, "3,city\n")
    items: list[Any] = ["pain", Published(column="age", rows=(2,)), {"file": tmp_path / "publish.csv"}]
    made = Confidential(column="ill", rows=[1], must_publish=items)
    assert [(item.column, item.rows) for item in made.must_publish] == [("pain", None), ("age", (2,)), ("city", (3,))]
    with pytest.raises(PolicyError, match="must_publish"):
        Confidential(column="ill", rows=[1], must_publish="city")


def test_the_schema_knows_all_three_forms() -> None:
    (items,) = [
        part["properties"]["must_publish"]["items"]
        for part in policy_schema()["$defs"].values()
        if "must_publish" in part.get("properties", {})
    ]
    assert {"type": "string"} in items["anyOf"]
    assert any("file" in choice.get("properties", {}) for choice in items["anyOf"])
