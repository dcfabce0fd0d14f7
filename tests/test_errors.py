"""Errors travel between processes whole, and carry no value of a cell; nor does the repr of what was found."""

from __future__ import annotations

import pickle
from fractions import Fraction

import polars as pl
import pytest

import discreet as d
from discreet.errors import (
    BrokenPromise,
    DiscreetError,
    ImpossiblePromise,
    InputError,
    PolicyError,
    Problem,
    PromiseError,
    Reason,
    TellingCells,
    TooManySuppressed,
    Undecided,
    Unprotected,
    UnprotectedCells,
    Unsettled,
)
from tests.jobs import bank, bank_policy


def all_kinds(root: type[DiscreetError]) -> set[type[DiscreetError]]:
    return {root}.union(*map(all_kinds, root.__subclasses__()))


ERRORS = [
    DiscreetError("said"),
    InputError("said"),
    PromiseError("said"),
    PolicyError([Problem("use", "is wrong", "p.yaml", 3), Problem("protect", "is wrong too")]),
    ImpossiblePromise([(next(iter(bank_policy().promises())), Fraction(5, 24))]),
    TooManySuppressed(3, 10, Fraction(1, 10)),
    Undecided([2, 3], ["protect[0]: a promise: worst 3 of 4 rows"]),
    Unsettled(20),
    UnprotectedCells(
        [
            Unprotected(0, "a promise", (3, 4)),
            Unprotected(1, "another", (5,), reasons=(Reason("kept", ("id3",), (5,), "it says so", ("do this",)),)),
        ]
    ),
    TellingCells([(0, "it tells")]),
    BrokenPromise(d.verify(bank(), bank_policy()), "a hint"),
]


def test_every_kind_of_error_is_here() -> None:
    assert {type(error) for error in ERRORS} == {
        kind for kind in all_kinds(DiscreetError) if kind.__module__ == "discreet.errors"
    }


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_is_pickled_whole(error: DiscreetError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.details(), again.exit_code) == (str(error), error.details(), error.exit_code)
    assert vars(again).keys() == vars(error).keys()


def test_neither_repr_nor_pickle_has_values() -> None:
    found = d.verify(bank(), bank_policy())
    assert found.requirements[0].worst is not None
    assert found.requirements[0].worst.group == {"Job": "Trader", "Country": "UK"}
    for shown in (found, found.requirements, found.requirements[0].worst):
        assert "Trader" not in repr(shown)
    assert b"Trader" not in pickle.dumps(BrokenPromise(found))


def test_nor_of_confidential_cells() -> None:
    """The commonest value of the column is what the adversary guesses: it is not told either."""
    table = pl.DataFrame({"Job": ["a", "a", "b"], "Ill": ["flu", "flu", "cold"]})
    cells = d.Confidential(column="Ill", rows=[1], predictors=["Job"], against=["naive_bayes"])
    found = d.verify(table, d.Policy(protect=[cells]), table)
    told = found.requirements[0].cells
    assert told is not None
    assert told.prior is not None
    assert told.prior.value == "flu"
    assert "flu" not in repr(found.requirements)
    assert b"flu" not in pickle.dumps(BrokenPromise(found))
