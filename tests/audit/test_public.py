"""The public report tells of the original nothing but rounded errors: two tables with one release have one report."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import discreet as d
from discreet.audit.audit import Audit
from discreet.audit.public import ToldCells, errors
from discreet.audit.report.render import public_html
from discreet.columns.taxonomy import Taxonomy
from discreet.measure.learning import LearnedTarget

TREE = Taxonomy.from_tree({"any": {"office": ["clerk", "typist", "boss"], "kitchen": ["cook", "waiter"]}})


def numbers(odd: int, form: str, **said: object) -> tuple[pl.DataFrame, d.Policy]:
    ages = [20, 21, 22, 23, odd, *range(40, 45), *range(60, 65)]
    columns = {"age": d.Column.model_validate({"type": "number", "form": form, **said})}
    return pl.DataFrame({"age": list(map(str, ages))}), d.Policy(
        protect=[d.KAnonymity(k=5, over=["age"])], columns=columns
    )


def jobs(odd: str) -> tuple[pl.DataFrame, d.Policy]:
    """The odd job is released as a group."""
    table = pl.DataFrame({"job": ["clerk", "typist", "boss", odd, "cook", "waiter", "cook", "waiter"]})
    return table, d.Policy(protect=[d.KAnonymity(k=4, over=["job"])], columns={"job": d.Column(taxonomy=TREE)})


def hidden(odd: str) -> tuple[pl.DataFrame, d.Policy]:
    """The odd job is hidden with others, and counts for what is told of the target."""
    job = [*["cook"] * 6, *["nurse"] * 7, "smith", "smith", odd, "miner", "miner"]
    ill = [*["no"] * 13, *["yes"] * 5]
    policy = d.Policy(use=d.Classify("ill"), protect=[d.Template(given=["job"], infer={"sick": "yes"}, at_most="50%")])
    return pl.DataFrame({"job": job, "ill": ill, "sick": ill}), policy


def suppressed(odd: str, rows: str) -> tuple[pl.DataFrame, d.Policy]:
    """Two rows fit no group; one of them is from an odd town."""
    town = [*"AAAAABBBBB", "C", odd]
    table = pl.DataFrame({"town": town, "sex": [*"mmmmmfffff", "m", "f"], "ill": [*"ynynynynyn", "y", "n"]})
    suppress = d.Suppress.model_validate({"rows": rows})
    return table, d.Policy(protect=[d.KAnonymity(k=2, over=["town", "sex"])], suppress=suppress)


def cells(odd: str) -> tuple[pl.DataFrame, d.Policy]:
    """The confidential cell is the odd one; hiding it is enough."""
    table = pl.DataFrame({"pain": [*"ynynynynyn"], "ill": [odd, *"abcabcabc"]})
    cell = d.Confidential(column="ill", rows=[1], predictors=["pain"], against=["naive_bayes"], method="dropp")
    return table, d.Policy(protect=[cell])


def dropped(odd: str) -> tuple[pl.DataFrame, d.Policy]:
    """A row is left out because a value is missing."""
    table = pl.DataFrame({"town": [*"AAABBB", "?"], "ill": [*"ynynyn", odd]})
    protect = [d.Template(given=["town"], infer={"ill": "y"}, at_most="70%")]
    return table, d.Policy(protect=protect, missing=d.Missing(values=["?"], rows="drop"))


def sets(odd: str) -> tuple[pl.DataFrame, d.Policy]:
    """The odd value is in a set of a group."""
    table = pl.DataFrame({"job": ["a", "b", odd, "c", "c", "c"]})
    columns = {"job": d.Column(form="set")}
    return table, d.Policy(protect=[d.KAnonymity(k=3, over=["job"])], columns=columns, recoding="local")


TWINS = {
    "median": (numbers(22, "median"), numbers(23, "median")),
    "interval": (numbers(22, "interval", ends=[30, 50]), numbers(29, "interval", ends=[30, 50])),
    "taxonomy": (jobs("clerk"), jobs("boss")),
    "hidden by disclosure": (hidden("smith"), hidden("miner")),
    "suppressed": (suppressed("D", "mask"), suppressed("E", "mask")),
    "removed": (suppressed("D", "remove"), suppressed("E", "remove")),
    "confidential": (cells("a"), cells("c")),
    "dropped": (dropped("y"), dropped("n")),
    "set": (sets("a"), sets("b")),
}


def published(audit: Audit) -> str:
    """The public page without what is learned from the original, which it tells in whole percents."""
    return public_html(replace(audit.public, learned=()))


@pytest.mark.slow
@pytest.mark.parametrize("twins", TWINS.values(), ids=TWINS)
def test_tables_with_one_release_have_one_public_report(
    twins: tuple[tuple[pl.DataFrame, d.Policy], tuple[pl.DataFrame, d.Policy]],
) -> None:
    (one, policy), (other, _) = twins
    assert not one.equals(other)
    made, again = d.protect(one, policy, seed=1), d.protect(other, policy, seed=1)
    assert isinstance(made.table, pl.DataFrame)
    assert isinstance(again.table, pl.DataFrame)
    assert made.table.equals(again.table)
    assert made.intervals == again.intervals
    assert made.audit.to_html(public=True) == again.audit.to_html(public=True)
    assert published(made.attack(time_limit=0)) == published(again.attack(time_limit=0))
    audits = [
        d.audit_release(made.table, policy, table, time_limit=0, intervals=made.intervals) for table in (one, other)
    ]
    assert published(audits[0]) == published(audits[1])


def test_whether_a_confidential_cell_is_guessed_is_not_published() -> None:
    """Of a release made elsewhere the answer itself would tell the hidden value."""
    released = pl.DataFrame({"pain": [*"yyyynnnn"], "ill": ["*", *"aaabbbb"]})
    cell = d.Confidential(column="ill", rows=[1], predictors=["pain"], against=["naive_bayes"])
    policy = d.Policy(protect=[cell])
    audits = [
        d.audit_release(released, policy, released.with_columns(ill=pl.Series([true, *"aaabbbb"])), time_limit=0)
        for true in "ab"
    ]
    assert [audit.verification.holds for audit in audits] == [False, True]
    pages = [audit.to_html(public=True) for audit in audits]
    assert pages[0] == pages[1]
    assert "Not every promise can be checked by the release alone" in pages[0]


def test_whether_a_cell_is_true_is_not_published() -> None:
    released = pl.DataFrame({"town": [*"AAABBB"]})
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["town"])])
    lie = d.audit_release(released, policy, pl.DataFrame({"town": [*"AAABBA"]}), time_limit=0)
    truth = d.audit_release(released, policy, released, time_limit=0)
    assert (lie.verification.holds, truth.verification.holds) == (False, True)
    assert lie.to_html(public=True) == truth.to_html(public=True)


def test_a_broken_group_is_seen_by_everybody() -> None:
    released = pl.DataFrame({"town": [*"AAABBB"]})
    policy = d.Policy(protect=[d.KAnonymity(k=4, over=["town"])])
    page = d.audit_release(released, policy, released, time_limit=0).to_html(public=True)
    assert "does not keep what was promised" in page


def test_errors_are_in_whole_percents() -> None:
    audit = d.protect(*hidden("smith"), seed=1).attack(time_limit=0)
    assert audit.utility is not None
    learned = LearnedTarget("ill", "decision tree", "error", 0.1849, 0.1913, None, 0.2491, 9000)
    near = replace(learned, original=0.1751, released=0.1949, nothing=0.2549, rows=7)
    pages = [public_html(replace(audit.public, learned=errors([one]))) for one in (learned, near)]
    assert pages[0] == pages[1]
    assert "18%" in pages[0]


def test_how_much_a_text_tells_is_read_from_the_text() -> None:
    told = [d.protect(*twins[0], seed=1).attack(time_limit=0).public.counted for twins in TWINS.values()]
    found = dict(zip(TWINS, (each.told[0] for each in told if each is not None), strict=True))
    assert found["median"] == ToldCells("age", 0, 15, 0)
    assert found["interval"] == ToldCells("age", 0, 15, 0)
    assert found["taxonomy"] == ToldCells("job", 0, 8, 0)
    assert found["hidden by disclosure"] == ToldCells("job", 7, 0, 11)
    assert found["suppressed"] == ToldCells("town", 10, 0, 2)
    assert found["removed"] == ToldCells("town", 10, 0, 0)
    assert found["set"] == ToldCells("job", 3, 3, 0)
