"""Arguments and options that several commands have, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TableArg = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV or Parquet file; a folder or pattern of Parquet files; FILE#TABLE of a DuckDB database.",
        show_default=False,
    ),
]
PolicyOption = Annotated[Path, typer.Option("--policy", "-p", help="Policy file (YAML or TOML).", show_default=False)]
OutOption = Annotated[
    Path,
    typer.Option("--out", "-o", help="Where the release goes; .parquet or .csv by its name.", show_default=False),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the verdict only, without any value of the table: for logs.")
]
SeparatorOption = Annotated[
    str | None,
    typer.Option("--separator", help="Character between fields; 'tab' for a tab.", show_default=False),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line names the columns.", show_default=False),
]
EncodingOption = Annotated[str | None, typer.Option("--encoding", help="Encoding of the text.", show_default=False)]
DecimalOption = Annotated[
    str | None,
    typer.Option("--decimal", help="What stands before the decimals of numbers: . or ,", show_default=False),
]
SkipOption = Annotated[
    int | None, typer.Option("--skip", min=0, help="Lines to leave out at the top.", show_default=False)
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine", help="What holds the rows: local, streaming, duckdb or spark; what suits TABLE when absent."
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option("--memory-limit", help="How much memory to take, such as 2GB; 60% of the machine's when absent."),
]
KeyOption = Annotated[
    str | None,
    typer.Option("--key", help="On Spark, a column without gaps or repeats: gives the rows their order and numbers."),
]
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report", help="Attack the release and write a report for the owner here (.html; needs discreet\\[report])."
    ),
]
PublicReportOption = Annotated[
    Path | None,
    typer.Option("--public-report", help="The same for everybody: method, promises and utility without any secret."),
]
ReleaseArg = Annotated[Path, typer.Argument(metavar="RELEASE", help="The released table.", show_default=False)]
PartialOption = Annotated[
    bool, typer.Option("--partial", help="Exit with 0 although some promise could not be checked.")
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="For tests: makes what is drawn by lot repeatable.")
]
OriginalSkipOption = Annotated[
    int | None, typer.Option("--skip", min=0, help="Lines to leave out at the top of the original.")
]
