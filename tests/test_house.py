"""The house is in order: rooms import only rooms before them, nothing goes in circles, every module says what it is."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from tools import house

pytestmark = pytest.mark.xdist_group("house")  # one process reads all modules, once

ROOT = Path(__file__).parents[1]
MODULES = house.modules(ROOT / house.SOURCE)
LATER = {"plan.plan": {"discreet.pipeline"}, "cli.commands.app": {"discreet.app.serve"}}
"""Modules that are asked for by name when a method is called, and are of a room further on."""

OF_THE_WHOLE = {"bench", "golden", "guide", "integrations", "recipes", "reference"}
"""Folders of tests that are of no single room: what belongs to the repository beside `src`, and what all tests use."""


@cache
def graph() -> dict[str, set[str]]:
    """Return who imports whom; read once, and not by processes that run other tests."""
    return {name: house.imports(module, MODULES) for name, module in MODULES.items()}


def test_every_module_has_a_room() -> None:
    rooms = {room for rooms in house.ORDER for room in rooms}
    assert {module.room for module in MODULES.values()} == rooms
    assert sum("." not in name and not module.is_package for name, module in MODULES.items()) <= 8


def test_rooms_import_only_rooms_before_them() -> None:
    assert house.out_of_order(graph(), MODULES) == []


def test_no_module_is_long_and_no_class_has_a_twin() -> None:
    assert [name for name, module in MODULES.items() if module.is_long] == []
    names = Counter(name for module in MODULES.values() for name in module.classes)
    assert [name for name, times in names.items() if times > 1] == []


def test_nothing_goes_in_circles() -> None:
    assert house.cycles(graph()) == []


def test_what_is_imported_by_name_is_known() -> None:
    """`import_module` would hide an import from the tests above."""
    found: dict[str, set[str]] = {}
    for name, module in MODULES.items():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                first = node.args[0]
                if isinstance(first, ast.Constant) and str(first.value).startswith("discreet"):
                    found.setdefault(name, set()).add(str(first.value))
    assert found == LATER


def test_every_module_says_what_it_is() -> None:
    assert [name for name, module in MODULES.items() if not ast.get_docstring(module.tree)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import discreet.policy.bind", {"policy.bind"}),
        ("def f():\n    from discreet.policy import bind", {"policy.bind", "policy"}),
        ("from discreet.errors import InputError", {"errors"}),
        ("if TYPE_CHECKING:\n    from discreet.pipeline import protect", set()),
        ("import polars", set()),
    ],
)
def test_imports_are_read(text: str, found: set[str]) -> None:
    assert house.imports(house.Module("plan.plan", text, is_package=False), MODULES) == found


def test_circles_and_wrong_ways_are_found() -> None:
    graph = {"errors": {"policy"}, "policy": {"policy.bind"}, "policy.bind": {"errors"}, "encoded": {"errors"}}
    assert house.cycles(graph) == [{"errors", "policy", "policy.bind"}]
    assert house.out_of_order(graph, MODULES) == [("errors", "policy")]


def test_nobody_asks_for_the_kind_of_a_promise() -> None:
    """A promise answers for itself: a further kind must not be taken for another one somewhere."""
    assert house.asks_for_kinds(MODULES) == []
    asking = house.Module("audit.risk", "if isinstance(promise, (int, Crowd)):", is_package=False)
    assert house.asks_for_kinds({"audit.risk": asking}) == ["audit.risk"]


KIND = re.compile(r"isinstance\([^()]*\b(Classify|Regress|Counts|General|NaiveBayes|Id3|Rules|Learner)\b")


def test_uses_and_adversaries_answer_for_themselves() -> None:
    """Nobody asks of which kind one is; verification, which shares nothing, counts rules in a way of its own."""
    asking = {name for name, module in MODULES.items() if KIND.search(module.text)}
    assert {name.split(".")[0] for name in asking} <= {"verification"}


def folders(root: Path, name: str, least: int) -> set[str]:
    """Return the folders below one that have so many modules with such names, themselves."""
    found = [path for path in root.rglob("*") if path.is_dir()]
    return {
        path.relative_to(root).as_posix()
        for path in found
        if sum(file.name != "__init__.py" for file in path.glob(name)) >= least
    }


def test_every_room_has_tests_of_its_name() -> None:
    """Whoever changes a folder finds its tests under the same name; no test is of a folder that is gone."""
    source, tests = ROOT / house.SOURCE, ROOT / "tests"
    assert folders(source, "*.py", 2) - folders(tests, "test_*.py", 1) == set()
    mirrored = {name for name in folders(tests, "*.py", 1) if name.partition("/")[0] not in OF_THE_WHOLE}
    assert mirrored - {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_dir()} == set()
    assert {name for name in OF_THE_WHOLE if not (tests / name).is_dir()} == set()
