"""A remark about a file, and what a form of writing remarks down answers for itself."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar


@dataclass(frozen=True)
class Remark:
    """Something to be said about a file; no value of a table is in it."""

    file: str
    """Nothing where it is about none."""
    line: int
    check: str
    """What was checked: the kind of the promise."""
    title: str
    message: str
    is_error: bool = True
    """Whether the command fails for it; else it is a warning."""


class AnnotationForm(ABC):
    """How remarks are written down for somebody."""

    name: ClassVar[str]
    sign: ClassVar[str]
    """The variable of the environment that is `true` where they are understood."""
    root: ClassVar[str]
    """The variable that names the folder of the repository: files are named as they are called in it."""
    alone: ClassVar[bool]
    """Whether standard output is theirs alone: other text goes to standard error then."""

    @abstractmethod
    def written(self, remarks: Sequence[Remark]) -> str:
        """Return remarks as they are printed, with the ends of their lines."""

    def safe(self, line: str) -> str:
        """Return a line of other text so that it is not taken for a remark."""
        return line

    def file_name(self, file: str) -> str:
        """Return how a file is called in its repository."""
        root = os.environ.get(self.root) or str(Path.cwd())
        whole = Path(os.path.abspath(file))  # noqa: PTH100 - links stay as they are
        return whole.relative_to(root).as_posix() if whole.is_relative_to(root) else Path(file).as_posix()


class NoForm(AnnotationForm):
    """Nobody is there who understands remarks: nothing is written."""

    name = "none"
    sign = root = ""
    alone = False

    def written(self, remarks: Sequence[Remark]) -> str:  # noqa: ARG002
        """Return nothing."""
        return ""
