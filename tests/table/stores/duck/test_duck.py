"""What is particular to DuckDB: texts as numbers when counting and writing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow.parquet as parquet_files
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encoded import collapse, encode
from discreet.errors import InputError
from discreet.plan.masks import ALL, Masked, Masks
from discreet.table.stores.duck.session import Session
from discreet.table.stores.duck.store import DuckStore
from discreet.table.stores.files import Files
from discreet.table.stores.packing import Packing
from discreet.table.stores.scratch import Scratch
from discreet.table.stores.store import Making, Map
from tests.table.engines import other_texts


def store_of(frame: pl.DataFrame) -> DuckStore:
    scratch = Scratch()
    path = scratch.new()
    frame.write_parquet(path)
    return DuckStore.of_parquet(Session(scratch, 2**28, "the table"), Files.of([path]), "the table")


TEXTS = st.sampled_from([None, "", "a", "b", "B", "ü", "it's", "a\0b", "zz"])
TABLES = st.lists(st.tuples(TEXTS, TEXTS, TEXTS, TEXTS), max_size=40).map(
    lambda rows: pl.DataFrame(rows, schema=dict.fromkeys("wxyz", pl.String), orient="row")
)


@pytest.mark.slow
@pytest.mark.parametrize(("few", "longest", "most"), [(60, 20_000, 62), (2, 20_000, 5), (60, 2, 62)])
@given(frame=TABLES)
def test_combinations_are_those_of_the_local_engine(few: int, longest: int, most: int, frame: pl.DataFrame) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.table.stores.duck.session.FEW", few)
        patch.setattr("discreet.table.stores.duck.store.LONGEST", longest)
        patch.setattr("discreet.table.stores.packing.MOST_BITS", most)
        found = store_of(frame).count(["y", "w", "z"], 1000)
    wanted = collapse(["y", "w", "z"], [encode(frame[name]) for name in "ywz"], frame.height)
    assert found is not None
    assert (found.columns, found.domains) == (wanted.columns, wanted.domains)
    assert [codes.tolist() for codes in found.codes] == [codes.tolist() for codes in wanted.codes]
    assert found.counts.tolist() == wanted.counts.tolist()


@pytest.mark.parametrize("texts", [50, 500])
@pytest.mark.parametrize("flags", [1, 1024])
def test_texts_that_are_looked_up_among_few_and_many(monkeypatch: pytest.MonkeyPatch, texts: int, flags: int) -> None:
    """Most cells are none of them; where hashes are alike, too, only the others are found."""
    monkeypatch.setattr("discreet.table.stores.duck.session.FLAGS", flags)
    session = Session(Scratch(), 2**28, "the table")
    old = pl.Series([str(7 * place) for place in range(texts)])
    found = session.lookup("CAST(i AS VARCHAR)", old, pl.Series(range(texts)), "-1")
    cells = session.run(f"SELECT i, {found} FROM (SELECT i FROM range(6000) x(i) UNION ALL SELECT NULL) ORDER BY i")
    assert len(cells) == 6001
    assert all(at == (-1 if i is None or i % 7 or i >= 7 * texts else i // 7) for i, at in cells)


def test_more_combinations_than_wanted() -> None:
    assert store_of(pl.DataFrame({"a": ["x", "y", "z"]})).count(["a"], 2) is None


def test_a_value_that_was_not_there_before(monkeypatch: pytest.MonkeyPatch) -> None:
    packing = Packing(["a"], [("x", "y")])
    assert packing.unpacked([np.array([2, 0])], np.array([1, 1])) is None
    store = store_of(pl.DataFrame({"a": ["x", "y", "z"]}))
    monkeypatch.setattr(DuckStore, "_packing", lambda *_: packing)
    with pytest.raises(InputError, match="was changed while it was being read"):
        store.count(["a"], 10)


@pytest.mark.parametrize("shown", [["x", "y"], ["x"]])
def test_a_text_that_is_not_released_is_not_in_the_file(shown: list[str]) -> None:
    """Cells are written by number, and with them a list of texts: no text of a masked row may be there."""
    store = store_of(pl.DataFrame({"a": [*shown * 3, "secret"], "b": [*["p", None, "q"] * len(shown), "p"]}))
    same = pl.DataFrame({"value": [*shown, "secret"], "text": [*shown, "secret"]}).with_columns(gone=pl.lit(False))
    masks = Masks((Masked("a", ("secret",), (0,)),), (ALL,))
    release = store.make(Making(("a", "b"), {"a": Map(same)}, "*", hides=True, masks=masks))
    path = release.saved()
    assert pl.read_parquet(path)["a"].to_list() == [*shown * 3, "*"]
    assert not other_texts(path)
    statistics = parquet_files.ParquetFile(path).metadata.row_group(0).column(0).statistics
    assert statistics.distinct_count in (None, len(shown) + 1)
