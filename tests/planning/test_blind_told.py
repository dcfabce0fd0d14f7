"""Blind protection with blocks that are told: hidden cells are released as what they may be."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.compare.scene import Scene
from discreet.method.cells.blind_columns import BlindColumn
from discreet.planning.blind_reading import ReadColumn
from discreet.planning.blind_sets import BlockTexts, reads_like_a_block
from discreet.table.source import open_table
from discreet.verification.told_blocks import ToldBlocks, block_text
from discreet.verification.truth import untrue
from tests.blind_tables import policy, table, with_cells
from tests.planning.test_blind import ROWS, protected, text_of, told

TOLD = policy(blocks="told")


def mixed(number: int = 260) -> tuple[pl.DataFrame, d.Policy]:
    """Return a table with numbers, dates, a taxonomy and missing cells that all tell something, and its policy."""
    draw, rows = random.Random(8), []
    for _ in range(number):
        ill = draw.choice(["x", "y"])
        sure = draw.random() < 0.5
        age = draw.randrange(18, 50) if sure and ill == "x" else draw.randrange(18, 90)
        town = draw.choice("ab") if sure and ill == "y" else draw.choice("abcd")
        day = f"2024-0{draw.randrange(1, 5 if sure and ill == 'x' else 9)}-1{draw.randrange(10)}"
        pay = "" if draw.random() < 0.1 else f"{draw.randrange(10, 60 if sure and ill == 'y' else 99) / 10}"
        rows.append([ill, str(age), town, day, pay])
    frame = pl.DataFrame(rows, schema=["ill", "age", "town", "day", "pay"], orient="row")
    said: dict[str, Any] = {
        "missing": {"values": [""], "rows": "unknown"},
        "columns": {"town": {"taxonomy": {"all": {"ab": ["a", "b"], "cd": ["c", "d"]}}}},
        "protect": [{"column": "ill", "rows": list(range(1, 61)), "at_most": "60%", "blocks": "told"}],
    }
    return frame, d.Policy.from_dict(said)


def test_what_is_hidden_is_told_as_its_set() -> None:
    starred, blocks = protected(table(), policy()).table, protected(table(), TOLD).table
    assert isinstance(starred, pl.DataFrame)
    assert isinstance(blocks, pl.DataFrame)
    found = told(table(), blocks="told")
    assert any(found.written.values())
    for row, facts in found.told.items():
        for name in starred.columns[1:]:
            one, other = starred[name][row], blocks[name][row]
            assert other == found.written[row][name] if name in found.written[row] else other == one
            assert (one == "*") == (not isinstance(facts.get(name), int))


def test_other_secrets_and_other_cells_within_a_block_give_the_same_release() -> None:
    frame, draw = table(), random.Random(2)
    release = protected(frame, TOLD)
    found = told(frame)
    changed = with_cells(frame, "ill", {row: draw.choice(["flu", "cold", "never seen"]) for row in ROWS})
    for row, facts in found.told.items():
        for name in frame.columns[1:]:
            fact = facts.get(name)
            if not isinstance(fact, int):
                places = range(len(found.domains[name])) if fact is None else fact
                texts = [found.domains[name][at] for at in places]
                changed = with_cells(changed, name, {row + 1: str(draw.choice([t for t in texts if t is not ...]))})
    again = protected(changed, TOLD)
    assert text_of(again) == text_of(release)
    assert again.statement is not None
    assert release.statement is not None
    assert again.statement.to_json() == release.statement.to_json()


@pytest.mark.slow
def test_numbers_dates_missing_cells_and_groups() -> None:
    frame, asked = mixed()
    release = protected(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    texts = {name: {text for text in release.table[name][:60] if reads_like_a_block(text, numbers=name != "town")}
             for name in frame.columns[1:]}  # fmt: skip
    assert any(text.startswith(("<", ">=", "[")) for text in texts["pay"])
    assert any("{" in text for name in texts for text in texts[name])
    assert d.verify(release.table, asked, statement=release.statement).holds
    found = d.verify(release.table, asked, frame, statement=release.statement)
    assert found.holds, found.truthful.problems
    assert sum(release.audit.coarser_cells.values()) > 0


def test_a_block_is_told_as_the_group_that_fits_it_exactly() -> None:
    elements: tuple[Any, ...] = ("a", "b", "c", "d", ...)
    codes = np.arange(5, dtype=np.int32)
    parents = {
        "a": "ab",
        "b": "ab",
        "c": "cd",
        "d": "cd",
        "e": "ef",
        "ab": "low",
        "low": "all",
        "cd": "all",
        "ef": "all",
    }
    read = ReadColumn(elements, codes, BlindColumn(codes, 5))
    write = BlockTexts(read, None, parents)
    blocks = [(0, 1), (2, 3), (0, 1, 2), (0, 1, 2, 3), (0, 4), (2,)]
    found = [write.text(block) for block in blocks]
    assert found == ["ab", "cd", "{a, b, c}", "{a, b, c, d}", "not {b, c, d}", "{c}"]
    again = [block_text(elements, block, None, ..., None, None, parents) for block in blocks]
    assert again == found


@pytest.mark.slow
def test_engines_write_the_same_and_an_audit_reads_it(tmp_path: Path) -> None:
    frame, asked = mixed()
    frame.write_csv(tmp_path / "t.csv")
    texts = set()
    for engine in ("local", "streaming", "duckdb"):
        d.protect(tmp_path / "t.csv", asked, engine=engine).write(tmp_path / "o.csv", force=True)
        texts.add((tmp_path / "o.csv").read_text())
        assert d.verify(tmp_path / "o.csv", asked, tmp_path / "t.csv").holds
    assert len(texts) == 1
    audit = d.audit_release(tmp_path / "o.csv", asked, tmp_path / "t.csv", seed=1)
    assert audit.verification.holds
    assert not [text for text in audit.all_warnings if "could not be read" in text]
    assert audit.rehearsed


def test_another_set_than_the_rules_say_is_found_out() -> None:
    frame = table()
    release = protected(frame, TOLD)
    assert isinstance(release.table, pl.DataFrame)
    row = next(row for row in ROWS if release.table["job"][row - 1].startswith("{"))
    own = frame["job"][row - 1]
    wider = "{" + ", ".join(sorted({own, *"abc", "clerk", "cook", "nurse"})) + "}"
    for text in (own, "*", "{" + own + "}", wider, "not {a}"):
        wrong = with_cells(release.table, "job", {row: text})
        assert not d.verify(wrong, TOLD, statement=release.statement).holds, text
    untold = with_cells(release.table, "job", {row: "{nobody, else}"})
    found = d.verify(untold, TOLD, frame, statement=release.statement)
    assert not found.holds
    assert found.truthful.problems


def test_cells_of_two_items_are_told_as_what_they_are_not() -> None:
    draw, rows = random.Random(25), []
    for _ in range(240):
        first = draw.choice("xxy")
        shares = (0.1, 0.5, 0.5) if first == "x" else (0.5, 0.3, 0.5)
        rows.append((first, *("y" if draw.random() < share else "x" for share in shares)))
    frame = pl.DataFrame(rows, schema=list("abcd"), orient="row")
    items = [
        {"column": "a", "rows": named, "at_most": "50%", "blocks": "told", "rehearse": False} for named in ([1], [1, 2])
    ]
    asked = d.Policy.from_dict({"protect": items})
    release = d.protect(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    assert release.table.rows()[:2] == [("*", "*", "not {y}", "y"), ("*", "*", "*", "x")]
    for original in (None, frame):
        assert d.verify(release.table, asked, original, statement=release.statement).holds
    for text in ("*", "x", "y", "{x}", "{x, y}", "not {x}"):
        wrong = with_cells(release.table, "c", {1: text})
        assert not d.verify(wrong, asked, frame, statement=release.statement).holds, text


def grouped(blocks: str) -> tuple[pl.DataFrame, d.Policy]:
    """Return a table in which groups of towns tell the illness, and its policy."""
    draw, rows = random.Random(7), []
    for _ in range(230):
        ill = draw.choice("xy")
        town = draw.choice("abcdef" if draw.random() < 0.4 else "ab" if ill == "x" else "cd")
        rows.append((ill, town, draw.choice("mf"), str(draw.randrange(20, 70))))
    said: dict[str, Any] = {
        "columns": {
            "town": {"taxonomy": {"all": {"low": {"ab": ["a", "b"], "cd": ["c", "d"]}, "ef": ["e", "f"]}}},
            "age": {"type": "number"},
        },
        "protect": [{"column": "ill", "rows": [1, 2, 3, 4, 5], "at_most": "60%", "blocks": blocks, "rehearse": False}],
    }
    return pl.DataFrame(rows, schema=["ill", "town", "sex", "age"], orient="row"), d.Policy.from_dict(said)


@pytest.mark.parametrize("blocks", ["told", "starred"])
@pytest.mark.parametrize("moved", [False, True])
def test_a_group_or_an_interval_that_the_rules_do_not_tell_is_found_out(blocks: str, moved: bool) -> None:
    """`ab` covers a, and yet tells more than `low` or a star: true is not enough."""
    frame, asked = grouped(blocks)
    asked = d.Policy.from_dict({**asked.to_dict(), "shuffle": moved})
    release = d.protect(frame, asked, seed=1 if moved else None)
    order = release.plan.order
    assert isinstance(release.table, pl.DataFrame)
    assert d.verify(release.table, asked, frame, statement=release.statement, order=order).holds
    rows = range(1, 6) if order is None else [list(order).index(row) + 1 for row in range(1, 6)]
    hidden = "low" if blocks == "told" else "*"
    row = next(row for row in rows if release.table["town"][row - 1] == hidden)
    own = frame["town"][row - 1 if order is None else order[row - 1] - 1]
    group = next(group for group in ("ab", "cd", "ef") if own in group)
    for column, text in [("town", group), ("town", "all"), ("age", "[0, 100)")]:
        wrong = with_cells(release.table, column, {row: text})
        found = d.verify(wrong, asked, frame, statement=release.statement, order=order)
        assert (found.holds, found.truthful.answer) == (False, d.Answer.HOLDS), text
        assert blocks == "starred" or not d.verify(wrong, asked, statement=release.statement).holds


def test_rows_may_be_removed_or_shuffled_beside_it() -> None:
    frame = table()
    asked = policy(blocks="told", known=["job"], on_failure="remove")
    fewer = protected(frame, asked)
    assert d.verify(fewer.table, asked, frame, statement=fewer.statement).holds
    mixed_up = d.Policy.from_dict({**TOLD.to_dict(), "shuffle": True})
    release = d.protect(frame, mixed_up, seed=1)
    assert d.verify(release.table, mixed_up, statement=release.statement).holds
    assert d.verify(release.table, mixed_up, frame, statement=release.statement, order=release.plan.order).holds


@pytest.mark.parametrize(("column", "text"), [("job", "{cook}"), ("job", "not {cook}")])
def test_values_that_read_like_sets_are_refused(column: str, text: str) -> None:
    with pytest.raises(d.InputError, match="blocks: starred") as refused:
        d.protect(with_cells(table(), column, {5: text}), TOLD)
    assert "cook" not in str(refused.value)


def test_what_a_block_covers() -> None:
    originals = ["25", "30", "9.5", "x", None, "?"]
    read = ToldBlocks(None, originals, ["?"])
    covered = {text: [read.covers(each, text) for each in originals]
               for text in ('{"[20, 30)", >=40}', "not {<10}", "[20, 40)", "{x, }", "not {x}", "30", "{")}  # fmt: skip
    assert covered == {
        '{"[20, 30)", >=40}': [True, False, False, False, False, False],
        "not {<10}": [True, True, False, True, True, True],
        "[20, 40)": [True, True, False, False, False, False],
        "{x, }": [False, False, False, True, True, True],
        "not {x}": [True, True, True, False, True, True],
        "30": [False] * 6,
        "{": [False] * 6,
    }
    assert untrue([("25", "[20, 30)"), ("31", "[20, 30)")], None, "*", [], blocks=[]) == [False, True]


@pytest.mark.slow
def test_who_compares_a_release_with_its_original_understands_sets() -> None:
    frame = table()
    release = protected(frame, TOLD)
    assert isinstance(release.table, pl.DataFrame)
    scene = Scene(open_table(release.table, TOLD), open_table(frame, TOLD), TOLD, np.arange(240))
    sense = scene.sense("job")
    sets = {text: size for text, size in zip(sense.texts, sense.sizes.tolist(), strict=True) if text and "{" in text}
    assert sets == {text: text.count(",") + 1 for text in sets if not text.startswith("not")}
    audit = release.attack(seed=1)
    assert audit.attacks is not None
    assert audit.utility is not None


@pytest.mark.parametrize("rows", ["value", "unknown"])
def test_a_block_names_a_missing_value_that_is_a_value_by_its_text(rows: str) -> None:
    frame = table().with_columns(job=pl.col("job").replace({"cook": "?"}))
    frame = with_cells(frame, "job", dict.fromkeys(ROWS, "?"))
    said = {**TOLD.to_dict(), "missing": {"values": ["?"], "rows": rows}}
    release = protected(frame, d.Policy.from_dict(said))
    assert isinstance(release.table, pl.DataFrame)
    assert release.audit.verification.holds
    blocks = {release.table["job"][row - 1] for row in ROWS} - {"*", "?"}
    assert blocks
    assert all(("?" in block) is (rows == "value") for block in blocks)
