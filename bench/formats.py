"""Tables of every kind: reading one as discreet does, beside the library alone.

    python bench/formats.py [--rows 1000000] [--kind csv jsonl xlsx ...] [--repeat 3]

Each reading is a process of its own: its seconds and CPU seconds (without the start of
Python and the imports), and its peak memory.
The mark is what one would write with the library alone: Polars, fastexcel through Polars, sqlite3, pyreadstat, psycopg.
discreet reads every value by its text, looks for the kinds of values in the whole file, and refuses what is not in
order. The ratios are medians; the table has six columns: a category, a code such as 007, a whole number, a decimal, a
date, a text that is missing now and then. PostgreSQL is a server from Debian's packages, started for the run; a kind
whose library is missing is left out, and said.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
PACKED = {
    "csv.gz": "data = gzip.open(path).read()",
    "csv.bz2": "data = bz2.open(path).read()",
    "csv.xz": "data = lzma.open(path).read()",
    "csv.zst": "data = zstandard.ZstdDecompressor().stream_reader(open(path, 'rb')).read()",
    "csv.zip": "one = zipfile.ZipFile(path); data = one.read(one.namelist()[0])",
}
ALONE = {
    "csv": "frame = pl.read_csv(path, infer_schema=False)",
    **{kind: f"{unpacked}; frame = pl.read_csv(data, infer_schema=False)" for kind, unpacked in PACKED.items()},
    "parquet": "frame = pl.read_parquet(path)",
    "jsonl": "frame = pl.read_ndjson(path, infer_schema_length=None)",
    "feather": "frame = pl.read_ipc(path)",
    "xlsx": "frame = pl.read_excel(path, infer_schema_length=None)",
    "sqlite": "found = sqlite3.connect(path).execute('SELECT * FROM release'); "
    "frame = pl.DataFrame(found.fetchall(), schema=[name[0] for name in found.description], orient='row')",
    "sav": "frame = pyreadstat.read_sav(path, output_format='polars')[0]",
    "dta": "frame = pyreadstat.read_dta(path, output_format='polars')[0]",
    "xpt": "frame = pyreadstat.read_xport(path, output_format='polars')[0]",
    "sas7bdat": "frame = pyreadstat.read_sas7bdat(path, output_format='polars')[0]",
    "postgresql": "link, table = path.split('#'); data = io.BytesIO()\n"
    "with psycopg.connect(link) as one, one.cursor() as cursor:\n"
    "    with cursor.copy(f'COPY {table} TO STDOUT (FORMAT csv)') as copy:\n"
    "        for some in copy: data.write(some)\n"
    "frame = pl.read_csv(data.getvalue(), has_header=False, infer_schema=False)",
}
LIBRARIES = {
    "csv.gz": "gzip", "csv.bz2": "bz2", "csv.xz": "lzma", "csv.zst": "zstandard", "csv.zip": "zipfile",
    "xlsx": "fastexcel",
    "sqlite": "sqlite3", "sav": "pyreadstat", "dta": "pyreadstat", "xpt": "pyreadstat",
    "sas7bdat": "pyreadstat", "postgresql": "io, psycopg",
}  # fmt: skip
"""What is imported before the clock starts."""
OURS = "frame = open_source(path, FileOptions()).native()"
RUN = """
import json, sys, time
import polars as pl
{imports}
path = sys.argv[1]
begun, before = time.perf_counter(), time.process_time()
{work}
took, busy = time.perf_counter() - begun, time.process_time() - before
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([took, busy, int(peak.split()[1]) / 1024, frame.height, frame.width]))
"""
IMPORTS = "from discreet.table.source import open_source\nfrom discreet.policy import FileOptions"


def table(rows: int) -> pl.DataFrame:
    """The table, as texts."""
    chance = np.random.default_rng(1)
    towns = pl.Series([f"town {place}" for place in range(300)])
    notes = pl.Series(["", "none", "see the file of the ward", "é日本", None])
    days = pl.Series(chance.integers(0, 20_000, rows)).cast(pl.Int32).cast(pl.Date)
    return pl.DataFrame(
        {
            "town": towns.gather(chance.integers(0, 300, rows)),
            "code": pl.Series(chance.integers(0, 1000, rows)).cast(pl.String).str.zfill(3),
            "age": pl.Series(chance.integers(0, 100, rows)).cast(pl.String),
            "cost": pl.Series(chance.integers(1, 100_000, rows) / 100).cast(pl.String),
            "day": days.cast(pl.String),
            "note": notes.gather(chance.integers(0, 5, rows)).replace("", "x"),
        }
    )


def written(kind: str, frame: pl.DataFrame, folder: Path) -> Path:
    """The table in a file of a kind, as discreet writes it."""
    import discreet as d

    path = folder / f"table.{kind}"
    if kind == "xpt":
        import pyreadstat

        pyreadstat.write_xport(frame, str(path))
        return path
    if kind == "sas7bdat":
        from tests.sas import SasColumn, sas7bdat

        path.write_bytes(sas7bdat([SasColumn(column.name, column.to_list()) for column in frame.iter_columns()]))
        return path
    policy = d.Policy(
        protect=[d.KAnonymity(k=1, over=["town"])], columns={name: {"role": "other"} for name in frame.columns[1:]}
    )
    d.protect(frame, policy).write(path)
    return path


@contextlib.contextmanager
def in_postgres(frame: pl.DataFrame) -> Iterator[str]:
    """The table in a database, by its address."""
    from tests.postgres import server

    with server() as one:
        address = f"postgresql://postgres@/bank?host={one.folder}&port={one.port}#release"
        names = ", ".join(f"{name} text" for name in frame.columns)
        with one.admin() as admin, admin.cursor() as cursor:
            cursor.execute(f"CREATE TABLE release ({names})")
            with cursor.copy("COPY release FROM STDIN (FORMAT csv)") as copy:
                copy.write(frame.write_csv(include_header=False).encode())
        yield address


def measured(work: str, path: str, imports: str = "") -> list[float]:
    """Seconds, CPU seconds, megabytes, rows and columns of one reading."""
    program = RUN.format(imports=imports, work=work)
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout.splitlines()[-1]))


def beside(kind: str, path: str, repeat: int, size: tuple[int, int]) -> dict[str, Any]:
    """Both readings of a table, in turn."""
    library = f"import {LIBRARIES[kind]}" if kind in LIBRARIES else ""
    runs = {"discreet": (OURS, f"{IMPORTS}\n{library}"), "alone": (ALONE[kind], library)}
    found: dict[str, list[list[float]]] = {name: [] for name in runs}
    for _ in range(repeat):
        for name, (work, imports) in runs.items():
            found[name].append(measured(work, path, imports))
            assert tuple(found[name][-1][3:]) == size, (kind, name, found[name][-1])
    told: dict[str, Any] = {"kind": kind}
    for place, (what, unit) in enumerate((("time", "s"), ("CPU", "CPU s"), ("memory", "MB"))):
        median = {name: statistics.median(run[place] for run in all_runs) for name, all_runs in found.items()}
        told |= {f"{name} {unit}": round(value, 2) for name, value in median.items()}
        told[what] = round(median["discreet"] / median["alone"], 2)
    return told


def main() -> None:
    """Print a line for each kind."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument("--kind", nargs="+", choices=list(ALONE), default=list(ALONE))
    asked.add_argument("--repeat", type=int, default=3)
    said = asked.parse_args()
    frame = table(said.rows)
    size = (frame.height, frame.width)
    with tempfile.TemporaryDirectory() as folder:
        for kind in said.kind:
            try:
                if kind == "postgresql":
                    with in_postgres(frame) as address:
                        print(json.dumps(beside(kind, address, said.repeat, size)), flush=True)
                    continue
                if kind in LIBRARIES:
                    __import__(LIBRARIES[kind])
                path = written(kind, frame, Path(folder))
                print(json.dumps(beside(kind, str(path), said.repeat, size)), flush=True)
                path.unlink()
            except ImportError as error:
                print(f"{kind}: left out, {error.name} is not installed", file=sys.stderr)


if __name__ == "__main__":
    main()
