"""The measures of edited cells equal the slow reference and the worked examples."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.adversary.view import flat_tree
from discreet.measure import cells
from discreet.measure.cells import CellMeasures, ChangedColumn, cell_measures, measure
from discreet.policy.bind import bind
from tests.adversary.releases import engine, frame, names, policy_for
from tests.adversary.strategies import SHAPES, Nested, labels, leaves, written
from tests.conftest import load_golden
from tests.reference import cells_measures as slow
from tests.reference.cells import decp
from tests.reference.cells_model import First, Table, Taxonomy

BOB = load_golden("suppress_ex2_5.json")
TINY = load_golden("suppress_random_tiny.json")


def measured(before: Table, after: Table, trees: list[Nested] | None, removed: tuple[int, ...] = ()) -> CellMeasures:
    """Through engines, as the pipeline does; the last column is the confidential one."""
    width = len(before[0]) - 1
    said: dict[str, Any] = {}
    if trees is not None:
        said = {f"c{place}": {"taxonomy": written(tree)} for place, tree in enumerate(trees)}
    policy = policy_for(width + 1, [0], width, range(width), said)
    original, released = engine(before, policy), engine(after, policy)
    if removed:
        released = released.only(np.array([row for row in range(len(after)) if row not in removed]))
    found = cell_measures(released, original, bind(policy, names(before)))
    assert found is not None
    return found


def expected(before: Table, after: Table, trees: list[Nested] | None) -> CellMeasures:
    taxonomies = None if trees is None else [Taxonomy(tree) for tree in trees]
    change = slow.mutual_change(before, after, taxonomies)
    width = len(before[0])
    return CellMeasures(
        dd=slow.direct_distance(before, after),
        skld=slow.skld(before, after, taxonomies),
        acmi=change.acmi,
        acmi_infinite=change.infinite,
        mutual_information_change=change.mean_difference,
        sce=slow.sce(before, after, taxonomies),
        columns=width,
        pairs=width * (width - 1) // 2,
        of_pairs=width * (width - 1) // 2,
    )


def assert_same(found: CellMeasures, wanted: CellMeasures) -> None:
    for name, value in vars(wanted).items():
        near = value if isinstance(value, int) else pytest.approx(value, rel=1e-7, abs=1e-12)
        assert getattr(found, name) == near, name


@st.composite
def plain_tables(draw: st.DrawFn) -> tuple[Table, Table]:
    """Values or nothing; some cells are hidden."""
    width = draw(st.integers(2, 4))
    row = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=width, max_size=width)
    before = draw(st.lists(row, min_size=1, max_size=12))
    hide = draw(st.lists(st.lists(st.booleans(), min_size=width, max_size=width), min_size=len(before)))
    return before, [
        [None if gone else cell for cell, gone in zip(*pair, strict=True)] for pair in zip(before, hide, strict=False)
    ]


@st.composite
def rough_tables(draw: st.DrawFn) -> tuple[Table, Table, list[Nested]]:
    """Values, groups or nothing; some cells become more general."""
    width = draw(st.integers(2, 3))
    trees = [draw(st.sampled_from(SHAPES)) for _ in range(width)]
    cells_of = [st.one_of(st.sampled_from(leaves(tree)), st.sampled_from([*labels(tree), None])) for tree in trees]
    before = [list(row) for row in draw(st.lists(st.tuples(*cells_of), min_size=1, max_size=10))]
    taxonomies = [Taxonomy(tree) for tree in trees]
    up = draw(st.lists(st.lists(st.integers(0, 3), min_size=width, max_size=width), min_size=len(before)))
    after = [
        [taxonomy.up(cell, by) for taxonomy, cell, by in zip(taxonomies, row, levels, strict=True)]
        for row, levels in zip(before, up, strict=False)
    ]
    return before, after, trees


@given(plain_tables())
def test_equal_to_the_reference(tables: tuple[Table, Table]) -> None:
    before, after = tables
    assert_same(measured(before, after, None), expected(before, after, None))


@given(rough_tables())
def test_equal_to_the_reference_with_taxonomies(case: tuple[Table, Table, list[Nested]]) -> None:
    before, after, trees = case
    assert_same(measured(before, after, trees), expected(before, after, trees))


@given(plain_tables())
def test_equal_where_pairs_of_values_are_too_many_to_count_each(tables: tuple[Table, Table]) -> None:
    before, after = tables
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "DENSE", 0)
        assert_same(measured(before, after, None), expected(before, after, None))


@given(plain_tables(), st.data())
def test_removed_rows_count_as_changed_and_nothing_else(tables: tuple[Table, Table], data: st.DataObject) -> None:
    before, after = tables
    removed = tuple(data.draw(st.sets(st.integers(0, len(before) - 1), max_size=len(before) - 1)))
    kept = [row for row in range(len(before)) if row not in removed]
    rest = expected([before[row] for row in kept], [after[row] for row in kept], None)
    found = measured(before, after, None, removed)
    assert_same(found, replace(rest, dd=rest.dd + len(removed) * len(before[0])))


@pytest.mark.parametrize("method", ["DECP", "INCP", "DROPP"])
def test_measures_of_the_examples(method: str) -> None:
    published = BOB[{"DECP": "ex2", "INCP": "ex3", "DROPP": "ex4"}[method]]["published"]
    before, after = ([row[3:] for row in table] for table in (BOB["table11"], published))
    found, wanted = measured(before, after, None), BOB["metrics"][method]
    assert (found.dd, found.acmi_infinite) == (wanted["DD"], 0)
    assert [found.skld, found.acmi, found.sce] == pytest.approx([wanted[name] for name in ("SKLD", "ACMI", "SCE")])


@pytest.mark.parametrize("case", TINY["cases"], ids=lambda case: str(case["seed"]))
def test_measures_of_the_random_tables(case: Any) -> None:
    domains = [sorted({row[c] for row in case["D"] if row[c] is not None}) for c in range(len(case["D"][0]))]
    domains[case["j"]] = Taxonomy(TINY["class_taxonomy"]).domain
    published = decp(case["D"], case["i"], case["j"], case["predictors"], domains, case["k"], First()).published
    found, wanted = measured(case["D"], published, None), case["decp_metrics"]
    assert [found.dd, found.skld, found.acmi, found.sce] == pytest.approx(
        [wanted[name] for name in ("DD", "SKLD", "ACMI", "SCE")]
    )


def test_many_columns_are_measured_in_part_and_that_is_said() -> None:
    """Pairs with a confidential column come first; with a prime number of rows no pair is independent."""
    rng = np.random.default_rng(1)
    tree = flat_tree(["a", "b"])
    columns = [ChangedColumn(tree, now := rng.integers(1, 3, 53), now) for _ in range(40)]
    found = measure(columns, {39})
    assert (found.columns, found.pairs, found.of_pairs) == (40, 435, 780)
    hidden = [*columns[:39], ChangedColumn(tree, columns[39].before, np.zeros(53, dtype=np.int64))]
    lost = measure(hidden, {39})
    assert (lost.dd, lost.skld, lost.acmi_infinite) == (53, inf, 39)
    assert lost.to_dict()["skld"] is None


def test_columns_of_very_many_groups_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_TERMS", 3)
    before: Table = [["a", "a"], ["b", "b"], ["c", "c"]]
    after: Table = [["A", "A"], ["b", "b"], ["c", "c"]]
    found = measured(before, after, [SHAPES[1]] * 2)
    assert (found.pairs, found.of_pairs, found.acmi) == (0, 1, 0.0)


def test_the_audit_tells_what_the_edits_cost() -> None:
    rng = np.random.default_rng(3)
    table: Table = [[str(v), str((v + w) % 4), str(w)] for v, w in rng.integers(0, 4, (60, 2)).tolist()]
    policy = policy_for(3, range(0, 60, 6), 2, [0, 1], {}, method="dropp", on_failure="remove")
    release = d.protect(frame(table), policy, seed=1)
    told = release.audit.cells
    assert told is not None
    out = release.table
    assert isinstance(out, pl.DataFrame)
    removed = 60 - len(out)
    assert told.dd == len(release.plan.edits) + 3 * removed >= 10
    assert release.audit.to_dict()["cells"] == told.to_dict()
    assert told.sce > 0


def test_without_confidential_cells_there_is_nothing_to_tell() -> None:
    table = pl.DataFrame({"a": ["x", "x", "y"], "b": ["1", "1", "2"]})
    release = d.protect(table, d.Policy(protect=[d.KAnonymity(k=2, over=["a"])]))
    assert release.audit.cells is None
    assert release.audit.to_dict()["cells"] is None
