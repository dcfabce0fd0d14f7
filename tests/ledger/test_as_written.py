"""What a ledger says that a release tells of somebody is what the file tells of her, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.ledger.entry import PERSON
from discreet.ledger.folder import opened

ALIKE: dict[str, Any] = {"k": 5, "over": ["age"]}
BY_LOT: dict[str, dict[str, Any]] = {
    "masked": {"protect": [ALIKE]},
    "removed": {"protect": [ALIKE], "suppress": {"rows": "remove"}, "ledger": {"leavers": "remove", "hold": True}},
    "sampled": {"protect": [ALIKE], "release": {"sample": "90%"}, "ledger": {"leavers": "remove", "hold": True}},
    "by groups": {"protect": [ALIKE], "recoding": "local"},
    "persons": {"protect": [ALIKE], "unit": "id"},
}


def rows_of(changed: int) -> pl.DataFrame:
    """Return people of whom three are x: two more, by lot, hide them. A column that goes out says who is who."""
    ages = ["x"] * 3 + ["y"] * 40 + ["z"] * 40
    ages = [("z" if age == "y" else "y") if 10 <= who < 10 + changed else age for who, age in enumerate(ages)]
    people = range(len(ages))
    codes = [f"c{who}" for who in people]
    return pl.DataFrame({"id": [f"p{who}" for who in people], "age": ages, "code": codes, "tag": map(str, people)})


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "streaming", "duckdb"])
@pytest.mark.parametrize("kind", list(BY_LOT))
def test_who_is_masked_by_lot_is_who_the_ledger_says(tmp_path: Path, engine: str, kind: str) -> None:
    search = {} if kind == "by groups" else {"search": "coordinate"}
    policy = {**BY_LOT[kind], **search, "columns": {"code": {"role": "identifier"}}}
    for year, changed in enumerate((0, 12)):
        table, release = tmp_path / f"{year}.csv", tmp_path / f"r{year}.csv"
        rows_of(changed).write_csv(table)
        d.protect(table, policy, ledger=tmp_path / "ledger", person="id", engine=engine).write(release)
        assert d.Ledger(tmp_path / "ledger").publish(release.name).holds
        written = {row["tag"]: row for row in pl.read_csv(release, infer_schema=False).iter_rows(named=True)}
        with opened(tmp_path / "ledger") as folder:
            last = folder.past()[-1]
            whose = folder.secret.names([f"p{tag}" for tag in written]).to_list()
        told = {row[PERSON]: row for row in last.people.iter_rows(named=True)}
        assert set(told) == set(whose)
        for person, row in zip(whose, written.values(), strict=True):
            assert {name: told[person][last.label(name)] for name in last.columns} == row
        checked = d.verify(release, policy, original=table, ledger=tmp_path / "ledger", person="id")
        assert checked.joint is not None
        assert checked.joint.broken == 0
