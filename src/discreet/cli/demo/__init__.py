"""The bank example of Wang, Fung and Yu: 24 customers, one template, a credit rating to be learned."""

from __future__ import annotations

import tempfile
from importlib import resources
from pathlib import Path

from rich import markup
from rich.table import Table

from discreet.cli.show.release import print_release
from discreet.cli.show.verdict import WrittenFiles
from discreet.cli.terminal import console, escape
from discreet.common.staging import Staging
from discreet.errors import InputError
from discreet.pipeline import protect

FILES = ("bank.csv", "bank.yaml")


def run(folder: Path | None) -> None:
    """Protect the bank table and say what happens; leave table and policy in `folder` if one is given."""
    with tempfile.TemporaryDirectory() as temporary:
        _leave(Path(temporary))
        if folder is not None:
            _leave(folder)
        _show(Path(temporary))
    if folder is not None:
        to = console()
        to.print(f"\nTable and policy are in {escape(str(folder))}. Go on with:\n", soft_wrap=True)
        to.print(f"  cd {escape(str(folder))}", soft_wrap=True)
        to.print("  discreet protect bank.csv --policy bank.yaml --out release.csv", soft_wrap=True)


def _leave(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            if (folder / name).exists():
                raise InputError(f"{folder / name}: exists already; give another folder")
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror})") from None
    with Staging() as staging:
        for name in FILES:
            with staging.open(folder / name) as file:
                file.write(resources.files(__name__).joinpath(name).read_bytes())
        staging.commit(last=folder / FILES[-1])


def _show(folder: Path) -> None:
    to = console()
    to.print("A bank wants to publish its customers so that others can learn the credit rating:\n")
    to.print(_counted(folder / "bank.csv"))
    to.print("\nIts policy (bank.yaml):\n")
    to.print(markup.escape((folder / "bank.yaml").read_text(encoding="utf-8")), style="cyan")
    to.print("Four of five traders in the UK went bankrupt. [bold]discreet protect[/] hides what gives that away:\n")
    release = protect(folder / "bank.csv", folder / "bank.yaml")
    release.write(folder / "release.csv")
    print_release(release, "bank.csv", "release.csv", WrittenFiles())
    to.print("\nThe release, equal rows together:\n")
    to.print(_counted(folder / "release.csv"))


def _counted(path: Path) -> Table:
    import csv
    from collections import Counter

    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    table = Table(*header, "rows", box=None, padding=(0, 2))
    for row, count in Counter(map(tuple, rows)).items():
        table.add_row(*(escape(cell) for cell in row), str(count))
    return table
