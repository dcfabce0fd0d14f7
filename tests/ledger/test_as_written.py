"""What a ledger says that a release tells of somebody is what the file tells of her, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.ledger.entry import PERSON, ROW
from discreet.ledger.folder import opened

ALIKE: dict[str, Any] = {"k": 5, "over": ["age"]}
BY_LOT: dict[str, dict[str, Any]] = {
    "masked": {"protect": [ALIKE]},
    "removed": {"protect": [ALIKE], "suppress": {"rows": "remove"}, "ledger": {"leavers": "remove", "hold": True}},
    "sampled": {"protect": [ALIKE], "release": {"sample": "90%"}, "ledger": {"leavers": "remove", "hold": True}},
    "by groups": {"protect": [ALIKE], "recoding": "local"},
    "persons": {"protect": [ALIKE], "unit": "id"},
    "rows": {"protect": [ALIKE], "unit": "id"},
}


def rows_of(changed: int, each: int) -> pl.DataFrame:
    """Return people of whom three are x: two more, by lot, hide them. A column that goes out says which row it is."""
    ages = ["x"] * 3 + ["y"] * 40 + ["z"] * 40
    ages = [("z" if age == "y" else "y") if 10 <= who < 10 + changed else age for who, age in enumerate(ages)]
    rows = [(f"p{who}", age, f"c{row}", f"{who} {row}") for who, age in enumerate(ages) for row in range(each)]
    return pl.DataFrame(rows, schema=["id", "age", "code", "tag"], orient="row")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "streaming", "duckdb"])
@pytest.mark.parametrize("kind", list(BY_LOT))
def test_who_is_masked_by_lot_is_who_the_ledger_says(tmp_path: Path, engine: str, kind: str) -> None:
    search = {} if kind == "by groups" else {"search": "coordinate"}
    policy = {**BY_LOT[kind], **search, "columns": {"code": {"role": "identifier"}}}
    key: dict[str, Any]
    each, key = (2, {"row_key": "code"}) if kind == "rows" else (1, {})
    for year, changed in enumerate((0, 12)):
        table, release = tmp_path / f"{year}.csv", tmp_path / f"r{year}.csv"
        rows_of(changed, each).write_csv(table)
        made = d.protect(table, policy, ledger=tmp_path / "ledger", person="id", engine=engine, **key)
        made.write(release)
        assert d.Ledger(tmp_path / "ledger").publish(release.name).holds
        written = pl.read_csv(release, infer_schema=False)
        whose = "p" + written["tag"].str.split(" ").list.first()
        with opened(tmp_path / "ledger") as folder:
            last = folder.past()[-1]
            names, keys = folder.secret.names(whose), folder.secret.row_names("c" + written["tag"].str.slice(-1))
        told = last.people.select(PERSON, *([ROW] if key else []), *(last.label(name) for name in written.columns))
        here = [
            names.to_list(),
            *([keys.to_list()] if key else []),
            *(written[name].to_list() for name in written.columns),
        ]
        assert sorted(told.rows()) == sorted(zip(*here, strict=True))
        checked = d.verify(release, policy, original=table, ledger=tmp_path / "ledger", person="id", **key)
        assert checked.joint is not None
        assert checked.joint.broken == 0


@pytest.mark.slow
@pytest.mark.parametrize("unit", [{}, {"unit": "id"}])
def test_a_new_release_is_attacked_as_its_file_is(tmp_path: Path, unit: dict[str, str]) -> None:
    """Whoever links all releases has the same success on each engine, right after it was made and on the file."""
    policy: dict[str, Any] = {"protect": [ALIKE, {"infer": {"tag": "1"}, "given": ["age"], "at_most": "60%"}], **unit}
    policy["columns"] = {"code": {"role": "identifier"}}
    found: list[dict[tuple[str, str], object]] = []
    for engine in ("local", "streaming", "duckdb"):
        folder = tmp_path / engine
        folder.mkdir()
        for year, changed in enumerate((0, 12)):
            table, release = folder / f"{year}.csv", folder / f"r{year}.csv"
            rows = rows_of(changed, 1).with_columns(tag=pl.int_range(pl.len()).mod(3).cast(pl.String))
            rows[::-1].write_csv(table)
            made = d.protect(table, policy, ledger=folder / "ledger", person="id", engine=engine, seed=1)
            made.write(release)
            d.Ledger(folder / "ledger").publish(release.name)
        file = d.audit_release(release, policy, table, ledger=folder / "ledger", person="id", seed=1)
        for attacks in (made.attack(seed=1).attacks, file.attacks):
            assert attacks is not None
            rates = {(one.name, one.kind): one.released for one in attacks.found}
            found.append({who: rate for who, rate in rates.items() if who[0] in ("linker", "intersection")})
    assert len(found[0]) == 3
    assert all(one == found[0] for one in found)
