"""DataFrames of Spark Connect: what classic ones do, without anything of Spark in this program but its client."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pytest
import yaml

import discreet as d
from discreet.table.stores.spark.cluster import is_connected
from discreet.table.stores.spark.store import SparkStore
from discreet.table.stores.store import Making
from tests.conftest import ROOT
from tests.jobs import bank, bank_policy
from tests.spark import (
    GROUP,
    connection,
    from_spark,
    in_any_order,
    new_connection,
    remote,
    require_connect,
    to_connect,
)
from tests.table.stores.spark.test_spark import K4, ODD
from tests.table.test_engines import cell_job

pytestmark = GROUP


@pytest.fixture(autouse=True)
def _connect() -> None:
    require_connect()


def test_it_is_one() -> None:
    assert is_connected(connection())
    assert is_connected(to_connect(bank()).sparkSession)


def test_the_same_release(tmp_path: Path) -> None:
    """Values masked and rows drawn by lot; a plan on other rows, thresholds, files."""
    frame = ODD.select("age", "Name")
    table = to_connect(frame)
    found, expected = d.protect(table, K4, seed=1), d.protect(frame, K4, seed=1)
    assert is_connected(found.table.sparkSession)  # type: ignore[attr-defined]
    assert in_any_order(from_spark(found.table)) == in_any_order(expected.table)  # type: ignore[arg-type]
    assert found.audit.to_dict() == expected.audit.to_dict()
    assert found.audit.drawn == 3
    assert d.verify(found.table, K4).requirements == d.verify(expected.table, K4).requirements
    assert d.frontier(table, K4, [2, 3]).to_dict() == d.frontier(frame, K4, [2, 3]).to_dict()
    again = found.plan.apply(to_connect(frame.head(24)))
    assert again.audit.rows == 24
    found.write(tmp_path / "release")
    found.write(tmp_path / "release.parquet")
    for path in (tmp_path / "release" / "*.parquet", tmp_path / "release.parquet"):
        assert in_any_order(pl.read_parquet(path)) == in_any_order(expected.table)  # type: ignore[arg-type]


@pytest.mark.nightly  # by key is shown without Spark Connect, and Spark Connect without a key
def test_single_cells_by_key() -> None:
    """Rows are dropped, removed and edited by their places; then every cell is put beside the original by key."""
    frame, policy = cell_job(3)
    table = to_connect(frame.sample(fraction=1, shuffle=True, seed=2))
    found, expected = d.protect(table, policy, seed=1, key="name"), d.protect(frame, policy, seed=1)
    assert from_spark(found.table).sort("name").equals(expected.table)  # type: ignore[arg-type]
    assert found.audit.to_dict() == expected.audit.to_dict()
    one = d.verify(found.table, policy, table, key="name")
    assert one.to_dict() == d.verify(expected.table, policy, frame).to_dict()


def test_a_session_that_ends() -> None:
    """Before anything is settled, and after."""
    make = SparkStore.make
    for after in (False, True):
        session = new_connection()
        table = session.createDataFrame(bank().to_arrow(compat_level=pl.CompatLevel.oldest()))

        def made(self: SparkStore, making: Making, session: Any = session, after: bool = after) -> SparkStore:
            release = make(self, making) if after else None
            session.stop()
            return release or make(self, making)

        with (
            mock.patch.object(SparkStore, "make", made),
            pytest.raises(d.InputError, match="connection to Spark was lost.*nothing was written"),
        ):
            d.protect(table, bank_policy())


def test_errors_do_not_show_values(capfd: pytest.CaptureFixture[str]) -> None:
    from pyspark.sql.connect import functions as F  # noqa: N812

    table = to_connect(bank()).withColumn(
        "Child", F.raise_error(F.concat(F.lit("secret "), F.col("Job"))).cast("string")
    )
    with pytest.raises(d.InputError, match="Spark could not do this") as caught:
        d.protect(table, bank_policy())
    assert "secret" not in str(caught.value)
    assert "secret" not in "".join(capfd.readouterr())


def test_another_folder_of_the_same_name(tmp_path: Path) -> None:
    """The server writes to its own disk, where this program sees nothing: nothing is published."""
    release = d.protect(to_connect(bank()), bank_policy())
    write = SparkStore.write_folder

    def elsewhere(self: SparkStore, folder: Path) -> None:
        write(self, folder)
        for path in folder.iterdir():
            path.unlink()

    with (
        mock.patch.object(SparkStore, "write_folder", elsewhere),
        pytest.raises(d.InputError, match="not be read back"),
    ):
        release.write(tmp_path / "release")
    assert not list(tmp_path.iterdir())


def test_the_command_line(tmp_path: Path) -> None:
    """SPARK_REMOTE says where Spark is; a text file is sent there."""
    bank().with_row_index("id").write_csv(tmp_path / "bank.csv")
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(bank_policy().to_dict()))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "SPARK_REMOTE": remote()}
    environment |= {"PATH": str(tmp_path), "JAVA_HOME": str(tmp_path)}  # no Java here
    command = [
        sys.executable,
        "-m",
        "discreet",
        "protect",
        "bank.csv",
        "-p",
        "p.yaml",
        "-o",
        "r.csv",
        "--engine",
        "spark",
    ]
    found = subprocess.run(
        [*command, "--key", "id"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert d.verify(tmp_path / "r.csv", bank_policy(), tmp_path / "bank.csv").holds is False  # sorted as texts
    ordered = pl.read_csv(tmp_path / "r.csv", infer_schema=False)
    assert ordered["id"].to_list() == sorted(map(str, range(24)))
