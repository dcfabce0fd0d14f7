"""Writes down what a command found, for people in its log and for the service that shows remarks beside files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.cli.annotations.base import Remark
from discreet.cli.annotations.forms import annotation_form
from discreet.common.printable import printable
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.cli.annotations.base import AnnotationForm


class Annotator:
    """What `--annotations` says of a command; `about` is the file that a failure of all of it is about.

    A form that there is not is told once somebody asks for it: an error needs somebody who reports it.
    """

    def __init__(self, said: str, about: str) -> None:
        self._said, self._about = said, about

    @classmethod
    def of(cls, said: str | None, *about: object) -> Annotator | None:
        """Return the one that was asked for, if one was; failures are about the first of these files that there is.

        What is no file is not named: it may be an address, with something in it that nobody should see.
        """
        if said is None:
            return None
        return cls(said, next((str(name) for name in about if os.path.lexists(str(name))), ""))

    def refuse(self, as_json: bool) -> None:
        """Refuse at once what there is not, or does not go together."""
        if as_json:
            raise InputError("--annotations: are for logs and pages; leave out --annotations or --json")
        annotation_form(self._said)

    @property
    def form(self) -> AnnotationForm:
        """How remarks are written down."""
        return annotation_form(self._said)

    def shown(self, line: str) -> str:
        """Return a line of other text as it may be printed."""
        try:
            return self.form.safe(printable(line))
        except InputError:
            return printable(line)

    def write(self, remarks: Sequence[Remark], lines: Sequence[str]) -> None:
        """Print remarks, and lines for people beside them."""
        to = sys.stderr if self.form.alone else sys.stdout
        print(self.form.written(remarks), end="")
        for line in lines:
            print(self.shown(line), file=to)

    def fail(self, message: str) -> None:
        """Print that nothing could be found out; nothing where it is the form itself that there is not."""
        try:
            form = self.form
        except InputError:
            return
        print(form.written([Remark(self._about, 1, "bad-input", "discreet cannot verify", message)]), end="")
