"""Everything discreet refuses to do, said so that the reader knows what to write instead.

Messages are read by people and end up in logs: they name files, lines, columns, fields and counts, never
the value of a cell. The exit code of the command line is a property of the kind of error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class DiscreetError(Exception):
    """The root of all errors that discreet raises on purpose."""

    exit_code = 2


class InputError(DiscreetError):
    """A file, a table, an option or a policy that cannot be used as it is (exit code 2)."""


class PromiseError(DiscreetError):
    """A promise that cannot be kept, or was found broken (exit code 1)."""

    exit_code = 1


@dataclass(frozen=True)
class Problem:
    """One mistake in a policy: where it stands, what is wrong, what to write instead."""

    field: str
    message: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = ""
        if self.file is not None:
            place = self.file if self.line is None else f"{self.file}:{self.line}"
            place += ": "
        return f"{place}{self.field}: {self.message}" if self.field else f"{place}{self.message}"


class PolicyError(InputError):
    """A policy with mistakes; all of them at once, in `problems`."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
