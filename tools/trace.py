"""How far one has to walk to read what `discreet protect bank.csv` does. Run in the root of the project.

python tools/trace.py           modules visited, and switches between modules
python tools/trace.py --walk    also every function in the order of its first visit, each module where it begins

The bank example is protected and written as the command does it. Functions of the package are listed in the order in
which they are first called; a switch is a function whose module is not that of the one listed before it. Modules are
loaded by a first run, and what they do when loaded is not counted; nor are functions made by Python or a library
(comprehensions, methods that dataclasses write), and what other threads do.
"""

# ruff: noqa: A005 (nobody imports it)
from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import resources
from io import StringIO
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

from typer.testing import CliRunner

Visit = tuple[str, str]
"""A module, without the name of the package, and one of its functions."""


def visits() -> list[Visit]:
    """Return the functions that protect the bank example, in the order of their first visit."""
    from discreet.cli.app import app

    found: dict[CodeType, Visit] = {}

    def visit(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code in found or code.co_name.startswith("<") or code.co_filename.startswith("<"):
            return
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith("discreet."):
            found[code] = (module.removeprefix("discreet."), code.co_qualname)

    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("bank.csv", "bank.yaml")]
        for file in files:
            file.write_bytes(resources.files("discreet.cli.demo").joinpath(file.name).read_bytes())
        for number in range(2):
            command = ["protect", str(files[0]), "-p", str(files[1]), "-o", f"{folder}/{number}.csv"]
            sys.setprofile(visit if number else None)
            try:
                result = CliRunner().invoke(app, command)
            finally:
                sys.setprofile(None)
            if result.exit_code:
                raise SystemExit(result.output)
    return list(found.values())


def told(walk: list[Visit], *, every: bool) -> Iterator[str]:
    """Yield the figures, a line each; before them the whole walk, if asked for."""
    stretches = [(module, [name for _, name in some]) for module, some in groupby(walk, key=lambda visit: visit[0])]
    if every:
        yield from (f"{module}: {', '.join(names)}" for module, names in stretches)
    yield f"functions visited: {len(walk)}"
    yield f"modules visited: {len({module for module, _ in walk})}"
    yield f"switches between modules: {len(stretches) - 1}"


if __name__ == "__main__":
    with redirect_stdout(StringIO()):
        found = visits()
    sys.stdout.write("\n".join(told(found, every="--walk" in sys.argv[1:])) + "\n")
