"""What a search is said to need is there."""

from __future__ import annotations

import importlib

import discreet as d
from discreet.common.compiled import Kernel
from discreet.planning.find import loops_for


def test_the_loops_that_are_loaded_ahead_are_there() -> None:
    template = d.Template(given=["a"], infer={"b": "x"}, at_most="50%")
    named = loops_for(d.Policy(protect=[template]))
    assert named
    for module, loops in named.items():
        found = importlib.import_module(module)
        assert all(isinstance(getattr(found, loop), Kernel) for loop in loops)
    group = d.KAnonymity(k=2, over=["a"])
    cell = d.Confidential(column="b", rows=[1], predictors=["a"], against=["naive_bayes"])
    for policy in (d.Policy(protect=[group]), d.Policy(protect=[group], recoding="local"), d.Policy(protect=[cell])):
        assert not loops_for(policy)
