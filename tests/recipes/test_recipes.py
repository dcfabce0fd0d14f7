"""Every recipe does what it says: on a table that can be released, on one that cannot, and again."""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path

import polars as pl
import pytest

import discreet as d
from tests.conftest import ROOT
from tests.recipes.environments import environment, started

RECIPES = ROOT / "examples" / "recipes"
DISCHARGED = "Job,Country,Child,Bankruptcy,Rating\n" + "Cook,US,No,Discharged,Bad\n" * 4


def copied(name: str, folder: Path) -> Path:
    return Path(shutil.copytree(RECIPES / name, folder / name))


def test_the_list_has_every_recipe_and_each_says_what_was_run() -> None:
    text = (RECIPES / "README.md").read_text(encoding="utf-8")
    for path in RECIPES.iterdir():
        name = f"{path.name}/" if path.is_dir() else path.name
        assert name == "README.md" or f"[{name}]({name})" in text, name
        said = (path / "README.md" if path.is_dir() else path).read_text(encoding="utf-8")
        assert "Run by the tests" in said or ("**Run here**" in said and "**Not run**" in said) or name == "README.md"


@pytest.mark.parametrize(
    ("name", "out"), [("pandas_pipeline.py", "release.csv"), ("polars_pipeline.py", "release.parquet")]
)
def test_frames(folder: Path, name: str, out: str) -> None:
    if name.startswith("pandas"):
        pytest.importorskip("pandas")
    main = runpy.run_path(str(RECIPES / name))["main"]
    main("bank.csv", "bank.yaml", out)
    assert d.verify(out, "bank.yaml", original="bank.csv").holds
    Path("bank.csv").write_text(DISCHARGED)
    with pytest.raises(d.ImpossiblePromise):
        main("bank.csv", "bank.yaml", f"no {out}")
    assert not Path(f"no {out}").exists()


@pytest.mark.process
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_nights(folder: Path) -> None:
    """A plan is found once and used again, found anew when it no longer fits; the last release stays otherwise."""

    def night(table: str) -> int:
        script = str(RECIPES / "nightly" / "nightly.sh")
        done = started(["bash", script, table, "bank.yaml", "kept apart", "for all"], folder)
        assert "Trader" not in done.stdout + done.stderr
        return done.returncode

    plan, release = folder / "kept apart" / "plan.json", folder / "for all" / "release.csv"
    assert night("bank.csv") == 0
    first = plan.read_bytes()
    assert night("bank.csv") == 0
    assert plan.read_bytes() == first
    # Another day: all doctors, whom the plan shows, were discharged.
    bank = pl.read_csv("bank.csv", infer_schema=False)
    doctors = pl.when(pl.col("Job") == "Doctor").then(pl.lit("Discharged")).otherwise("Bankruptcy")
    bank.with_columns(doctors.alias("Bankruptcy")).write_csv("day.csv")
    assert night("day.csv") == 0
    assert plan.read_bytes() != first
    earlier = [path for path in plan.parent.glob("plan.until-*.json") if "manifest" not in path.name]
    assert [path.read_bytes() for path in earlier] == [first]
    assert d.verify(release, "bank.yaml", original="day.csv").holds
    good = release.read_bytes()
    (folder / "none.csv").write_text(DISCHARGED)
    assert night("none.csv") == 1
    assert night("gone.csv") == 2
    assert release.read_bytes() == good
    assert plan.parent.stat().st_mode & 0o077 == 0


@pytest.mark.recipes
def test_dbt(folder: Path) -> None:
    programs = environment("dbt", "dbt-core<1.11", "dbt-duckdb")
    project = copied("dbt", folder)
    (project / "seeds").mkdir()
    shutil.copy("bank.csv", project / "seeds")
    for _ in range(2):  # the second by the plan of the first
        done = started(["bash", str(project / "run.sh")], folder, programs)
        assert done.returncode == 0, done.stdout + done.stderr
        assert d.verify(project / "public" / "customers.parquet", "bank.yaml", original="bank.csv").holds
    asked = "select count(*) from public_customers"
    read = f"import duckdb; print(duckdb.connect('warehouse.duckdb').sql('{asked}').fetchall())"
    assert started([str(programs / "python"), "-c", read], project).stdout == "[(24,)]\n"
    public = (project / "public" / "customers.parquet").read_bytes()
    (project / "seeds" / "bank.csv").write_text(DISCHARGED)
    done = started(["bash", str(project / "run.sh")], folder, programs)
    assert done.returncode == 1
    assert (project / "public" / "customers.parquet").read_bytes() == public


@pytest.mark.recipes
def test_dagster(folder: Path) -> None:
    programs = environment("dagster", "dagster")
    words = [str(programs / "dagster"), "asset", "materialize", "--select", "*", "-f"]
    words += [str(RECIPES / "dagster" / "release.py")]
    files = {"TABLE": "bank.csv", "POLICY": "bank.yaml", "DAGSTER_HOME": ""}
    good = started(words, folder, programs, RELEASE="release.csv", **files)
    assert good.returncode == 0, good.stdout + good.stderr
    assert d.verify("release.csv", "bank.yaml", original="bank.csv").holds
    Path("bank.csv").write_text(DISCHARGED)
    bad = started(words, folder, programs, RELEASE="none.csv", **files)
    assert bad.returncode != 0
    assert "no release keeps the promises" in bad.stdout + bad.stderr
    assert not Path("none.csv").exists()


@pytest.mark.recipes
def test_r(folder: Path) -> None:
    if shutil.which("Rscript") is None or started(["Rscript", "-e", "library(reticulate)"], folder).returncode:
        pytest.skip("no R with reticulate (Debian: r-base-core r-cran-reticulate)")
    script = str(RECIPES / "r" / "release.R")
    words = ["Rscript", script, "bank.csv", "bank.yaml"]
    done = started([*words, "release.csv"], folder, RETICULATE_PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    assert d.verify("release.csv", "bank.yaml", original="bank.csv").holds
    Path("bank.csv").write_text(DISCHARGED)
    done = started([*words, "none.csv"], folder, RETICULATE_PYTHON=sys.executable)
    assert done.returncode == 1
    assert "cannot be kept" in done.stderr
    assert not Path("none.csv").exists()
