"""Loops are compiled once, before tests are run: none is left for several processes of tests to compile."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from typing import Any

import pytest
from tools import house

from discreet.common.compiled import Kernel, always
from tests.conftest import ROOT
from tests.warm_up import further, jobs, outcome

LEFT_OUT = [
    "method.cells.rule_kernels.least_hidden",
    "method.cells.rule_kernels.unsafe_within",
    "method.cuts.cell_cut_kernels.plain_leaf",
    "method.cuts.context_kernels.choose_by_group",
    "method.cuts.context_kernels.choose_by_key",
    "method.cuts.evaluation_kernels.dense",
    "method.cuts.genetic_kernels.forget",
    "method.cuts.quick_kernels.outcome_of",
    "method.cuts.target_kernels.target_cost",
    "method.local.gather_kernels.join_near",
    "method.local.gather_kernels.sweep",
    "plan.covering.first_covering",
]
"""Loops that no small job comes to: for large tables, or for what few jobs ask. Tests mostly run them as they stand."""


def called(modules: dict[str, house.Module]) -> Iterator[Kernel]:
    """Return the loops that are called by what is no loop: those that are kept on disk."""
    for name, module in modules.items():
        if not is_of_loops(name):
            yield from called_by(module, modules)


def is_of_loops(name: str) -> bool:
    """Whether a module holds nothing but loops."""
    return "kernels" in name or name.endswith("covering")


def called_by(module: house.Module, modules: dict[str, house.Module]) -> Iterator[Kernel]:
    """Return the loops that a module names."""
    whole: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("discreet."):
            source = str(node.module).removeprefix("discreet.")
            for alias in node.names:
                if f"{source}.{alias.name}" in modules:
                    whole[alias.asname or alias.name] = f"{source}.{alias.name}"
                found.append((source, alias.name))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in whole:
            found += [(whole[node.value.id], node.attr)]
    for source, name in found:
        if is_of_loops(source):
            one = getattr(importlib.import_module(f"discreet.{source}"), name, None)
            if isinstance(one, Kernel):
                yield one


def name_of(one: Kernel) -> str:
    """Return the name of a loop, with its module."""
    return f"{one.__module__.removeprefix('discreet.')}.{one.__name__}"


@pytest.mark.slow
def test_every_loop_is_compiled_before_tests_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each that something calls which is no loop is called by some of the jobs, and by its name on disk."""
    met: set[str] = set()
    run = Kernel.__call__

    def noted(self: Kernel, *arguments: Any) -> Any:
        met.add(name_of(self))
        return run(self, *arguments)

    monkeypatch.setattr(Kernel, "__call__", noted)
    with always("plain"):
        for kind in jobs().values():
            for policy in kind:
                outcome(policy)
        for each in further().values():
            each()
    wanted = {name_of(one) for one in called(house.modules(ROOT / house.SOURCE))}
    assert len(wanted) > 100
    assert sorted(wanted - met) == LEFT_OUT
