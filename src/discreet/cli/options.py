"""Arguments and options that several commands have, each said once; those that go together in sets."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.common.own_program import load_tables

if TYPE_CHECKING:
    from discreet.table.source import Opening


def _annotation_forms(incomplete: str) -> list[str]:
    """Return what --annotations may say, for a shell that completes words."""
    return [form for form in ("github", "gitlab", "auto") if form.startswith(incomplete)]


TableArg = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A file (CSV, Parquet, Excel, JSON lines, Arrow, SPSS, Stata, SAS), FILE#SHEET or FILE#TABLE, a folder or "
        "pattern of Parquet files, postgresql://HOST/DATABASE#TABLE, or - for standard input.",
        show_default=False,
    ),
]
PolicyOption = Annotated[Path, typer.Option("--policy", "-p", help="Policy file (YAML or TOML).", show_default=False)]
OutOption = Annotated[
    str,
    typer.Option(
        "--out",
        "-o",
        help="Where the release goes: a file, its form by its name; FILE#TABLE; an address; - for standard output.",
        show_default=False,
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
ReleaseArg = Annotated[str, typer.Argument(metavar="RELEASE", help="The released table.", show_default=False)]
PlanOrderOption = Annotated[
    Path | None, typer.Option("--plan", help="The private plan: it has the order of the rows where they were shuffled.")
]
PopulationOption = Annotated[
    str | None,
    typer.Option(
        "--population",
        help="All people among whom those of the table are; instead of the file that the policy names under among.",
    ),
]
PartialOption = Annotated[
    bool, typer.Option("--partial", help="Exit with 0 although some promise could not be checked.")
]
AnnotationsOption = Annotated[
    str | None,
    typer.Option(
        "--annotations",
        metavar="FORM",
        help="Print remarks that a service shows beside files, and the verdict, without any value: github, gitlab, or "
        "auto for where it runs.",
        autocompletion=_annotation_forms,
    ),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="For tests: makes what is drawn by lot repeatable.")
]

RowKeyOption = Annotated[
    str | None,
    typer.Option("--row-key", help="With a ledger and a unit: the column that tells a person's rows apart."),
]
PersonOption = Annotated[
    str | None, typer.Option("--person", help="With a ledger: the column that says who somebody is.")
]
SecretOption = Annotated[
    Path | None, typer.Option("--secret", help="The file with the ledger's secret, where it lies elsewhere.")
]


class OptionSet:
    """Options that belong together: `spread` gives a command one object of them, and Typer each of them."""

    def said(self) -> dict[str, Any]:
        """Return the options by name, as functions of the library take them; None is what was not said."""
        return vars(self)


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command as Typer takes it: each option of its sets is a parameter of its own, where the set stands."""
    parameters: list[inspect.Parameter] = []
    sets: dict[str, tuple[type[OptionSet], list[str]]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, OptionSet):
            options = inspect.signature(kind, eval_str=True).parameters
            parameters += options.values()
            sets[parameter.name] = kind, list(options)
        else:
            parameters.append(parameter)

    def run(**said: object) -> None:
        made = {
            name: kind(**{option: said.pop(option) for option in options}) for name, (kind, options) in sets.items()
        }
        load_tables()
        command(**said, **made)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    by_name = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    run.__signature__ = inspect.Signature(by_name)  # type: ignore[attr-defined]  # what Typer reads
    return run


@dataclass(frozen=True)
class LayoutOptions(OptionSet):
    """How the text of a table is written, for commands that read values as texts."""

    separator: Annotated[
        str | None,
        typer.Option("--separator", help="Character between fields; 'tab' for a tab.", show_default=False),
    ] = None
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first line names the columns.", show_default=False),
    ] = None
    encoding: Annotated[str | None, typer.Option("--encoding", help="Encoding of the text.", show_default=False)] = None
    skip: Annotated[
        int | None, typer.Option("--skip", min=0, help="Lines to leave out at the top.", show_default=False)
    ] = None
    codes: Annotated[
        bool | None,
        typer.Option(
            "--codes/--labels", help="Codes of SPSS and Stata files, or labels.  [labels]", show_default=False
        ),
    ] = None


@dataclass(frozen=True)
class TableLayoutOptions(LayoutOptions):
    """How the text of a table and its numbers are written."""

    decimal: Annotated[
        str | None,
        typer.Option("--decimal", help="What stands before the decimals of numbers: . or ,", show_default=False),
    ] = None


@dataclass(frozen=True)
class OriginalLayoutOptions(TableLayoutOptions):
    """How the text of an original is written: a release has no lines to leave out."""

    skip: Annotated[
        int | None, typer.Option("--skip", min=0, help="Lines to leave out at the top of the original.")
    ] = None


@dataclass(frozen=True)
class EngineOptions(OptionSet):
    """What holds the rows."""

    engine: Annotated[
        str | None,
        typer.Option(
            "--engine", help="What holds the rows: local, streaming, duckdb or spark; what suits TABLE when absent."
        ),
    ] = None
    memory_limit: Annotated[
        str | None,
        typer.Option("--memory-limit", help="How much memory to take, such as 2GB; 60% of the machine's when absent."),
    ] = None

    def opening(self) -> Opening:
        """Return how a table is opened."""
        from discreet.table.source import Opening

        return Opening(**self.said())


@dataclass(frozen=True)
class KeyedEngineOptions(EngineOptions):
    """What holds the rows, and how single ones are known."""

    key: Annotated[
        str | None,
        typer.Option(
            "--key", help="On Spark, a column without gaps or repeats: gives the rows their order and numbers."
        ),
    ] = None


NewPersonsOption = Annotated[
    bool, typer.Option("--new-persons", help="With a ledger: under half of the persons are known, rightly.")
]


@dataclass(frozen=True)
class BesideLedgerOptions(OptionSet):
    """The ledger of releases about the same people."""

    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="The folder that remembers releases about the same people.")
    ] = None
    person: PersonOption = None
    row_key: RowKeyOption = None
    secret: SecretOption = None


@dataclass(frozen=True)
class AskedLedgerOptions(BesideLedgerOptions):
    """The same where nothing is released yet."""

    new_persons: NewPersonsOption = False


@dataclass(frozen=True)
class KeptLedgerOptions(BesideLedgerOptions):
    """The same where the release is recorded as a draft."""

    name: Annotated[
        str | None, typer.Option("--name", help="With a ledger: what to call the release; its file name when absent.")
    ] = None
    new_persons: NewPersonsOption = False

    def named(self, out: str) -> dict[str, Any]:
        """Return the options by name; a release is called like its file unless somebody says otherwise."""
        from discreet.table.formats.place import place_of

        name = self.name if self.name is not None or self.ledger is None else place_of(out).name
        return {**self.said(), "name": name}


@dataclass(frozen=True)
class ReportOptions(OptionSet):
    """The reports to be written."""

    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="Attack the release and write a report for the owner here (.html; needs discreet\\[report]).",
        ),
    ] = None
    public_report: Annotated[
        Path | None,
        typer.Option(
            "--public-report", help="The same for everybody: method, promises and utility without any secret."
        ),
    ] = None


@dataclass(frozen=True)
class PrintOptions(OptionSet):
    """What is printed, where a verdict alone will do."""

    as_json: JsonOption = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the verdict only, without any value of the table: for logs.")
    ] = False

    @property
    def no_progress(self) -> bool:
        """Whether nothing is to be shown but the result."""
        return self.as_json or self.quiet
