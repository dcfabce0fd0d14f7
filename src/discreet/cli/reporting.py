"""How a command ends: every error becomes a message and an exit code, and it is said what was written."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from discreet.common.printable import json_text, printable
from discreet.errors import DiscreetError, InputError

if TYPE_CHECKING:
    from discreet.cli.annotations.annotator import Annotator
    from discreet.cli.show.verdict import WrittenFiles
    from discreet.table.formats.place import Place


@dataclass
class CommandState:
    """What is so far true of a command, for the case that it goes wrong."""

    as_json: bool
    release: Place | None = None
    """Where the release goes: a file of this name is verified before it is written."""
    code: int = 0
    """The exit code if nothing fails, or only printing does."""
    named: list[Place] = field(default_factory=list)
    annotator: Annotator | None = None
    """Who writes remarks down for a service that shows them beside files."""

    @property
    def written(self) -> list[Place]:
        """The files that have their names (a demonstration takes its own away again), and the table of a database."""
        from discreet.table.formats.place import is_there

        return [place for place in self.named if is_there(place)]

    def files(self, private: Sequence[Path] = ()) -> WrittenFiles:
        """Return the files that were written, and which of them are private."""
        from discreet.cli.show.verdict import WrittenFiles

        return WrittenFiles(sorted(self.written, key=lambda path: path != self.release), private)

    def in_words(self) -> str:
        """Return in words which files were written."""
        others = [str(path) for path in self.written if path != self.release]
        listed = " and ".join(filter(None, [", ".join(others[:-1]), *others[-1:]]))
        if self.release in self.written:
            return f"{self.release} was written and is verified" + (f", with {listed}" if listed else "")
        return f"{listed} {'were' if len(others) > 1 else 'was'} written" if others else "nothing was written"

    def shown(self, line: str) -> str:
        """Return a line as it may be printed."""
        return printable(line) if self.annotator is None else self.annotator.shown(line)

    def stop(self, before: str, kind: str, after: str = "") -> NoReturn:
        """Fail for a reason that tells nothing of what is written, and say that as well."""
        self.fail(f"{before}; {self.in_words()}{after}", 2, kind, {"written": [str(path) for path in self.written]})

    def fail(self, message: str, code: int, kind: str, details: dict[str, object]) -> NoReturn:
        """Say what went wrong, as JSON too if that was asked for, and end with the exit code."""
        with contextlib.suppress(OSError):
            if self.as_json:
                print_json({"error": {"kind": kind, "message": message, "exit_code": code, **details}})
            if self.annotator is not None and not self.as_json:
                self.annotator.fail(message)
            for line in message.split("\n"):
                print(f"error: {self.shown(line)}", file=sys.stderr)
        raise typer.Exit(code)


@contextlib.contextmanager
def reporting(as_json: bool = False, quiet: bool = False, annotator: Annotator | None = None) -> Iterator[CommandState]:
    """Turn every error into a message and an exit code; never show a value or a trace of one."""
    from discreet.cli.terminal import Notes
    from discreet.common.staging import telling

    state = CommandState(as_json, annotator=annotator)
    notes = logging.StreamHandler(sys.stderr)
    notes.setFormatter(Notes(None if annotator is None else annotator.shown))
    logging.getLogger("discreet").addHandler(notes)
    logging.getLogger("discreet").setLevel(logging.INFO)
    try:
        _refuse_together(as_json, quiet, annotator)
        with telling(state.named.extend):
            yield state
        sys.stdout.flush()
        if state.code:
            raise typer.Exit(state.code)
    except (typer.Exit, typer.Abort):
        raise
    except DiscreetError as error:
        state.fail(str(error), error.exit_code, type(error).__name__, error.details())
    except KeyboardInterrupt:
        state.stop("interrupted", "Interrupted")
    except MemoryError:
        state.stop("not enough memory for this table", "MemoryError")
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(state.code) from None
    except Exception as error:
        if os.environ.get("DISCREET_DEBUG"):
            raise
        if isinstance(error, OSError) and isinstance(error.filename, str):
            state.stop(f"{error.filename}: cannot be used ({error.strerror or 'failed'})", "OSError")
        if isinstance(error, OSError):
            state.stop(f"the result could not be printed ({error.strerror or 'failed'})", "OSError")
        kind = type(error).__name__
        state.stop(
            f"internal error ({kind})",
            kind,
            ". This is a mistake in discreet, please report it. DISCREET_DEBUG=1 shows the trace, which may contain "
            "values of your table.",
        )
    finally:
        logging.getLogger("discreet").removeHandler(notes)


def _refuse_together(as_json: bool, quiet: bool, annotator: Annotator | None) -> None:
    """Refuse ways to print that do not go together."""
    if as_json and quiet:
        raise InputError("--quiet: is for text; leave out --quiet or --json")
    if annotator is not None:
        annotator.refuse(as_json)


def print_json(document: object) -> None:
    """Print a document for programs."""
    print(json_text(document))


def print_file(text: str) -> None:
    """Print what becomes a file: in UTF-8 even where the terminal shows less."""
    if sys.stdout.isatty():
        print(printable(text, lines=True), end="", flush=True)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
