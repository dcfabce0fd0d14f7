"""`discreet ledger`: the releases about the same people: publish, add, show, withdraw, rekey, drop."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.inputs import read_rules
from discreet.cli.options import (
    JsonOption,
    OriginalLayoutOptions,
    PersonOption,
    PolicyOption,
    ReleaseArg,
    RowKeyOption,
    SecretOption,
    spread,
)
from discreet.cli.reporting import print_json, reporting
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.verification.joint import JointVerification

LedgerArg = Annotated[Path, typer.Argument(metavar="LEDGER", help="The folder of the ledger.", show_default=False)]
NameArg = Annotated[
    str, typer.Argument(metavar="NAME", help="The release: its file name, or what --name said.", show_default=False)
]
ledger_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="rich", help="Releases about the same people: publish, add, show, ..."
)


def publish(ledger: LedgerArg, name: NameArg, secret: SecretOption = None, as_json: JsonOption = False) -> None:
    """Count everything once more and let the draft NAME count from now on: it is about to be seen.

    Its file is read anew: it must stand where it was written, unchanged, with the rows that the ledger has. Whose row
    each is `discreet verify --ledger` reads from the original.

    Example:

    discreet ledger publish clinic 2024.csv
    """
    with reporting(as_json):
        from discreet.writing.ledger import Ledger

        found = Ledger(ledger, secret).publish(name)
        _print_counted(found, f"{name} counts from now on", as_json)


def add(
    ledger: LedgerArg,
    release: ReleaseArg,
    original: Annotated[str, typer.Option("--original", help="The table it was made from.", show_default=False)],
    policy: PolicyOption,
    person: PersonOption = None,
    row_key: RowKeyOption = None,
    name: Annotated[str | None, typer.Option("--name", help="What to call it; its file name when absent.")] = None,
    secret: SecretOption = None,
    as_json: JsonOption = False,
    *,
    layout: OriginalLayoutOptions,
) -> None:
    """Record an earlier RELEASE, of discreet or of another tool, as published.

    Example:

    discreet ledger add clinic 2023.csv --original t.csv -p p.yaml --person id
    """
    with reporting(as_json):
        rules = read_rules(policy, layout)
        from discreet.writing.ledger import Ledger

        found = Ledger(ledger, secret).add(release, original, rules, person=person, name=name, row_key=row_key)
        _print_counted(found, f"{name or Path(release).name} was added", as_json)


def show(ledger: LedgerArg, secret: SecretOption = None, as_json: JsonOption = False) -> None:
    """Say which releases the ledger has, and whether their promises hold together.

    Example:

    discreet ledger show clinic
    """
    with reporting(as_json):
        from discreet.cli.show.joint import print_ledger
        from discreet.cli.terminal import console, print_private
        from discreet.common.private import MORE, private_line
        from discreet.writing.ledger import Ledger

        kept = Ledger(ledger, secret)
        entries, joint = kept.releases(), kept.check()
        if as_json:
            listed = [{k: v for k, v in asdict(entry).items() if k not in ("people", "plan")} for entry in entries]
            together = None if joint is None else joint.to_dict()
            print_json({"private": private_line(MORE), "releases": listed, "together": together})
        else:
            print_private(console(), MORE)
            print_ledger(console(), str(ledger), entries, joint)


def withdraw(ledger: LedgerArg, name: NameArg, secret: SecretOption = None) -> None:
    """Say that NAME was taken back. What was public stays known: it still counts.

    Example:

    discreet ledger withdraw clinic 2023.csv
    """
    with reporting():
        from discreet.writing.ledger import Ledger

        Ledger(ledger, secret).withdraw(name)
        print(f"{name} is withdrawn; it still counts, for what was public stays known.")


def drop(ledger: LedgerArg, name: NameArg, secret: SecretOption = None) -> None:
    """Forget the draft NAME.

    Example:

    discreet ledger drop clinic 2024.csv
    """
    with reporting():
        from discreet.writing.ledger import Ledger

        Ledger(ledger, secret).drop(name)
        print(f"{name} is forgotten.")


def rekey(
    ledger: LedgerArg,
    changes: Annotated[
        Path, typer.Option("--map", help="A CSV file with the columns old and new: ids.", show_default=False)
    ],
    secret: SecretOption = None,
) -> None:
    """Let persons be known by other ids; two that turn out to be one become one.

    Example:

    discreet ledger rekey clinic --map ids.csv
    """
    with reporting():
        from discreet.writing.ledger import Ledger

        moved = Ledger(ledger, secret).rekey(_read_map(changes))
        print(f"{moved} {'person is' if moved == 1 else 'persons are'} known by another id.")


def _read_map(path: Path) -> dict[str, str]:
    import csv
    import io

    from discreet.common.text_file import read_text

    lines = csv.reader(io.StringIO(read_text(path, "map"), newline=""), strict=True)
    found: dict[str, str] = {}
    try:
        if [name.strip() for name in next(lines, [])] != ["old", "new"]:
            raise InputError(f"{path}: begin it with the line old,new")
        for line in filter(None, lines):
            if len(line) != 2 or not all(line):
                raise InputError(f"{path}, line {lines.line_num}: write two ids with a comma between them")
            if line[0] in found:
                raise InputError(f"{path}, line {lines.line_num}: this old id is there twice")
            found[line[0]] = line[1]
    except csv.Error:
        message = "cannot be read as CSV; write ids with commas or quotes in them in quotes"
        raise InputError(f"{path}, line {lines.line_num}: {message}") from None
    return found


def _print_counted(found: JointVerification, said: str, as_json: bool) -> None:
    from discreet.cli.show.joint import print_joint
    from discreet.cli.terminal import console

    if as_json:
        print_json(found.to_dict())
    else:
        print(f"{said}.")
        print_joint(console(), found)


for _command in (publish, add, show, withdraw, rekey, drop):
    ledger_app.command()(spread(_command))
