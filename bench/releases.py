"""Adult cut into three yearly releases, with and without a ledger: detail, persons below k, attacks, time.

    python bench/releases.py [--rows 5000] [--k 10] [--leavers remove warn]
    python bench/releases.py --large 1000000 [--years 5] [--engine duckdb] [--ill]

Each year 10% of the people are new, 5% are gone and 10% of the rows changed (with values of other people). Beside each
figure with the ledger stands the same without it: three releases that know nothing of each other. `stay` are those
below k who are in the release: none with a ledger. `--large` takes so many made-up persons instead, and prints the time
of each release with the ledger beside that of the same release without one (mark: 3 times). Of these persons one in a
hundred moves a year; with `--ill` as many get another value of the sensitive column too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import discreet as d
from discreet.attack.base import Attack, Attacked
from discreet.verification.joint import JointVerification

DATA = Path(os.environ.get("DISCREET_DATA", Path(__file__).parents[2] / "shared" / "data"))
KNOWN = ["age", "workclass", "sex", "race"]
CHANGING = ["age", "workclass"]
SECRET = "salary"
YEARS = (2023, 2024, 2025)


def adult(rows: int, seed: int) -> pl.DataFrame:
    """Return rows of Adult, drawn, with an id each."""
    path = DATA / "adult-hierarchies" / "adult.csv"
    if not path.exists():
        raise SystemExit(f"no Adult data set under {DATA}; name its folder with DISCREET_DATA")
    with path.open() as file:
        separator = ";" if file.readline().count(";") > 3 else ","
    table = pl.read_csv(path, separator=separator, infer_schema=False)
    table = table.rename({name: name.strip() for name in table.columns})
    table = table.rename({"salary-class": SECRET} if "salary-class" in table.columns else {})
    table = table.select(*KNOWN, SECRET).sample(min(rows, table.height), seed=seed)
    return table.with_columns(id=pl.Series([f"p{number}" for number in range(table.height)]))


def yearly(table: pl.DataFrame, seed: int) -> list[pl.DataFrame]:
    """Return the tables of three years."""
    rng = np.random.default_rng(seed)
    first = round(table.height / 1.2)
    new = round(first * 0.1)
    there, found = np.arange(first), []
    for number in range(len(YEARS)):
        if number:
            there = np.sort(rng.choice(there, round(len(there) * 0.95), replace=False))
            there = np.concatenate(
                [there, np.arange(first + (number - 1) * new, min(first + number * new, table.height))]
            )
            changed = rng.choice(there, len(there) // 10, replace=False)
            others = rng.permutation(changed)
            for name in CHANGING:
                texts = table.get_column(name).clone()
                table = table.with_columns(texts.scatter(changed, texts.gather(others)).alias(name))
        found.append(table[there])
    return found


def policy(k: int, leavers: str | None) -> dict[str, object]:
    """Return what is promised."""
    said: dict[str, object] = {
        "columns": {"age": {"type": "number", "ends": [20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70]}},
        "protect": [
            {"k": k, "over": KNOWN},
            {"infer": {SECRET: ">50K"}, "given": KNOWN, "at_most": "80%"},
        ],
    }
    return said if leavers is None else {**said, "ledger": {"leavers": leavers, "hold": True}}


@dataclass(frozen=True)
class Year:
    """The figures of one release."""

    name: str
    release: d.Release
    joint: JointVerification
    attacks: Attacked
    seconds: float

    @property
    def stay(self) -> int:
        """How many of those in the release stand in groups below k for whoever links all releases."""
        linker = self._found("linker", "linkage")
        return 0 if linker is None else int(linker.figures["below_k"] or 0)

    def _found(self, name: str, kind: str) -> Attack | None:
        return next((one for one in self.attacks.found if (one.name, one.kind) == (name, kind)), None)

    def __str__(self) -> str:
        linker, guess = self._found("linker", "linkage"), self._found("linker", "inference")
        meet, audit, note = self._found("intersection", "inference"), self.release.audit, self.release.note
        shares = [f"{one.released.share or 0:6.2%}" if one else "     -" for one in (linker, guess, meet)]
        base = guess.baseline.share if guess is not None and guess.baseline is not None else None
        held, left = (0, 0) if note is None else (note.held, note.left_out)
        return (
            f"{self.name:22} rows {audit.rows:6} detail {audit.detail or 0:5.1%} "
            f"masked {audit.suppressed:5} held {held:4} left out {left:4} | below k: stay {self.stay:5} "
            f"broken in all {self.joint.broken:5} | linker {shares[0]} guesses {shares[1]} intersection {shares[2]} "
            f"baseline {base or 0:6.2%} | CPU {self.seconds:5.1f} s"
        )


def over_time_only(release: d.Release) -> Attacked:
    """Attack with those who look at several releases alone."""
    from discreet.attack.over_time import over_time_attacks
    from discreet.attack.run import attack
    from discreet.compare.scene import Scene

    assert release.note is not None
    places = np.searchsorted(release.source.numbers(), release.engine.numbers())
    policy_of = release.plan.policy
    scene = Scene(release.engine, release.source, policy_of, places, linked=release.note.linked, seed=1)
    return attack(scene, list(over_time_attacks(scene)))


def run(
    tables: list[pl.DataFrame], k: int, leavers: str | None, engine: str | None, seed: int | None = None
) -> Iterator[Year]:
    """Publish three years one after the other; without a ledger each knows nothing of the others."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "ledger"
        for year, table in zip(YEARS, tables, strict=True):
            begin = time.process_time()
            name = f"{year}.csv"
            asked = policy(k, leavers)
            if leavers is None:
                asked["columns"] = {**asked["columns"], "id": {"role": "identifier"}}  # type: ignore[dict-item]
            kept = {} if leavers is None else {"ledger": ledger, "person": "id", "name": name, "new_persons": True}
            try:
                release = d.protect(table, asked, engine=engine, progress=False, seed=seed, **kept)  # type: ignore[arg-type]
            except d.PromiseError as refused:
                print(f"{leavers} {year}: refused: {refused}")
                return
            seconds = time.process_time() - begin
            if leavers:
                release.write(Path(folder) / name)
                joint = d.Ledger(ledger).publish(name)
                yield Year(f"{year} leavers: {leavers}", release, joint, over_time_only(release), seconds)
            else:
                joint = d.Ledger(ledger).add(release.table, table, policy(k, None), person="id", name=name)
                yield Year(f"{year} without", release, joint, _alone(release, ledger, table), seconds)


def _alone(release: d.Release, ledger: Path, table: pl.DataFrame) -> Attacked:
    """Attack a release that was made without the ledger, by those who look at several."""
    from dataclasses import replace

    from discreet.ledger.folder import opened
    from discreet.ledger.note import LedgerNote, LedgerUse

    with opened(ledger) as folder:
        *past, last = folder.past()
        names = folder.secret.names(table.get_column("id").to_list())
        people = names.alias("person").to_frame().join(last.people, on="person", how="left", maintain_order="left")
    return over_time_only(replace(release, note=LedgerNote(LedgerUse(ledger), people, past=tuple(past))))


def large(persons: int, seed: int, number: int, *, ill: bool = False) -> pl.DataFrame:
    """Return a made-up table of one year: nobody leaves, one in a hundred moves a year, so joint groups grow.

    With `ill` one in a hundred has another value of the sensitive column as well.
    """
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, values, persons) for name, values in (("age", 8), ("town", 10), ("sex", 2))}
    secret = rng.integers(0, 5, persons)
    for _ in range(number):
        moved = rng.choice(persons, persons // 100, replace=False)
        columns["town"][moved] = rng.integers(0, 10, len(moved))
        if ill:
            others = rng.choice(persons, persons // 100, replace=False)
            secret[others] = rng.integers(0, 5, len(others))
    texts = {name: pl.Series(codes).cast(pl.String) for name, codes in columns.items()}
    ids = pl.Series(np.arange(persons)).cast(pl.String)
    return pl.DataFrame({"id": ids, **texts, "ill": pl.Series(secret).cast(pl.String)})


LARGE: dict[str, object] = {
    "columns": {"id": {"role": "identifier"}},
    "protect": [
        {"k": 10, "over": ["age", "town", "sex"]},
        {"infer": {"ill": "0"}, "given": ["age", "town", "sex"], "at_most": "60%"},
    ],
}


def timed(persons: int, years: int, engine: str | None, seed: int, *, ill: bool = False) -> None:
    """Print the time of each release with the ledger, from the file to the file, beside that of one without."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(years):
            path = folder / f"{number}.csv"
            large(persons, seed, number, ill=ill).write_csv(path)
            spent = []
            for kept in (False, True):
                begin, wall = time.process_time(), time.perf_counter()
                said = {"ledger": folder / "ledger", "person": "id", "name": str(number)} if kept else {}
                asked = {**LARGE, "ledger": {"leavers": "remove", "hold": True}} if kept else LARGE
                release = d.protect(path, asked, engine=engine, progress=False, **said)  # type: ignore[arg-type]
                release.write(folder / f"release {number} {kept}.csv")
                spent.append((time.process_time() - begin, time.perf_counter() - wall))
            begin = time.process_time()
            d.Ledger(folder / "ledger").publish(str(number))
            (cpu, wall), (cpu_kept, wall_kept) = spent
            print(
                f"release {number + 1}: {persons} persons, CPU {cpu:6.1f} s without, {cpu_kept:6.1f} s with the ledger "
                f"({cpu_kept / cpu:4.1f}x); wall {wall:6.1f}, {wall_kept:6.1f} s ({wall_kept / wall:4.1f}x); "
                f"publish CPU {time.process_time() - begin:5.1f} s; detail {release.audit.detail or 0:5.1%}",
                flush=True,
            )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--leavers", nargs="*", default=["remove", "warn"])
    parser.add_argument("--engine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", type=int)
    parser.add_argument("--years", type=int, default=5)
    parser.add_argument("--ill", action="store_true")
    said = parser.parse_args()
    if said.large:
        timed(said.large, said.years, said.engine, said.seed, ill=said.ill)
        return
    tables = yearly(adult(said.rows, said.seed), said.seed)
    for leavers in (None, *said.leavers):
        for year in run(tables, said.k, leavers, said.engine, said.seed):
            print(year, flush=True)


if __name__ == "__main__":
    main()
