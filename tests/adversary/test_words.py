"""Words of released texts tell of a class as the slow definition says."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.adversary.make import make
from discreet.adversary.words import WordsGuesser, is_free_text
from discreet.policy.adversaries import BagOfWords
from tests.adversary.releases import Table, one, policy_for, view_of
from tests.adversary.test_naive_bayes import same
from tests.reference.learners import bag_of_words
from tests.table.engines import frame_of

VOCABULARY = ["fell", "from", "a", "Ladder", "ladder", "knee", "broke", "the"]


@st.composite
def notes(draw: st.DrawFn) -> Table:
    """A class, a text of some words or none, and another text."""
    text = st.one_of(st.none(), st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=5).map(" ".join))
    row = st.tuples(text, st.sampled_from(["u", "v", "w", None]), text)
    return [list(each) for each in draw(st.lists(row, min_size=1, max_size=12))] + [[draw(text), None, draw(text)]]


@given(notes())
def test_counts_as_the_reference(table: Table) -> None:
    row = len(table) - 1
    original = [*table, *([None, value, None] for value in "uvw")]
    view = view_of(table, policy_for(3, [row], 1, [0, 2], {}), original)
    trained = WordsGuesser().train(view)
    expected = bag_of_words(table, row, 1, [[0, 2][text] for text in trained.texts], ["u", "v", "w"])
    same(trained.guess(view.lines(one(row))), expected)
    alone = [trained.guess(view.lines(one(place))).weights for place in range(view.rows)]
    assert (trained.guess(view.lines(np.arange(view.rows))).weights == np.concatenate(alone)).all()


def test_what_is_free_text() -> None:
    notes = [f"fell from ladder number {place}" for place in range(8)]
    assert is_free_text(notes, 10)
    assert not is_free_text(notes, 100)  # eight phrases that are written again and again
    assert not is_free_text([f"N{place}" for place in range(8)], 8)
    assert not is_free_text([], 0)
    assert not is_free_text([None], 5)


SIGNS = {"stroke": "sudden aphasia", "sprain": "a swollen knee", "burn": "blisters"}


def clinic() -> pl.DataFrame:
    """Each illness has a word of its own somewhere in the notes, of which no two are equal."""
    ills = list(SIGNS) * 14
    notes = [f"patient {place} came with {SIGNS[ill]} and went home after {place}" for place, ill in enumerate(ills)]
    return pl.DataFrame({"note": notes, "ill": ills})


def test_texts_that_tell_are_hidden() -> None:
    """Naive Bayes over whole texts finds nothing in notes that are all different; their words tell all."""
    cell = d.Confidential(column="ill", rows=[1], predictors=["note"], against=["bag_of_words"])
    policy = d.Policy(protect=[cell])
    hidden = clinic().with_columns(ill=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("*")).otherwise("ill"))
    assert not d.verify(hidden, policy, clinic()).holds
    assert d.verify(hidden, d.Policy(protect=[cell.model_copy(update={"against": (d.NaiveBayes(),)})]), clinic()).holds
    release = d.protect(clinic(), policy)
    found = frame_of(release.table)
    assert found["note"][0] == "*"
    assert d.verify(found, policy, clinic()).holds
    assert make(BagOfWords()).name == "bag_of_words"


def test_whether_a_column_is_free_text_is_said_by_rows_that_train() -> None:
    """The row's own note made the column free text, by one: hiding it must not change what the others teach."""
    long = [("fell from ladder", "north", "u"), *((f"fell from ladder {place}", "north", "u") for place in range(3))]
    short = [(letter, "south", "v") for letter in "abcdbbbb"] + [("a", "south", "w")] * 2
    table = pl.DataFrame([*long, *short], schema=["note", "town", "ill"], orient="row")
    cell = d.Confidential(column="ill", rows=[1], against=["bag_of_words"], tells="warn")
    release = d.protect(table, d.Policy(protect=[cell]))
    assert d.verify(release.table, d.Policy(protect=[cell]), original=table).holds


@pytest.mark.slow
def test_an_audit_reads_texts_that_nobody_promised_anything_about() -> None:
    """The policy speaks of a town; the notes beside it tell the illness all the same."""
    table = clinic().with_columns(town=pl.Series(["p", "p", "p", "q", "q", "q"] * 7))
    template = d.Template(given=["town"], infer={"ill": "stroke"}, at_most="60%")
    attacked = d.protect(table, d.Policy(protect=[template])).attack().attacks
    assert attacked is not None
    (found,) = [attack for attack in attacked.found if attack.name == "bag_of_words"]
    assert found.knows == ("note",)
    assert (found.released.share or 0) > 0.9


@pytest.mark.slow
def test_an_audit_of_confidential_cells_reads_texts_that_are_no_predictors() -> None:
    table = clinic().with_columns(town=pl.Series(["p", "p", "p", "q", "q", "q"] * 7))
    cells = d.Confidential(column="ill", rows=list(range(1, 11)), predictors=["town"], tells="warn")
    attacked = d.protect(table, d.Policy(protect=[cells])).attack().attacks
    assert attacked is not None
    (found,) = [attack for attack in attacked.found if attack.name == "bag_of_words"]
    assert (found.kind, found.knows) == ("cells", ("note",))
    assert found.only_hidden is not None
    assert (found.released.share or 0) > 0.9
    whole = d.Policy(protect=[cells.model_copy(update={"predictors": None})])
    attacked = d.protect(table, whole).attack().attacks
    assert attacked is not None
    (found,) = [attack for attack in attacked.found if attack.name == "bag_of_words"]
    assert found.knows == ("note", "town")
