"""Remarks for GitHub: commands of a workflow, one a line, in whatever a step prints.

`::error file=NAME,line=1,title=TITLE::MESSAGE`. A line counts as a command if it begins so, blanks aside, or has the
older `##[error]` anywhere; so other text is printed without either.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.cli.annotations.base import AnnotationForm, Remark
from discreet.common.printable import printable


def escaped(text: str, *, in_property: bool = False) -> str:
    r"""Return a text as a command has it: no character of it ends the line, or a property.

    >>> print(escaped("100%\n::"), escaped("a,b: c%0A", in_property=True))
    100%25%0A:: a%2Cb%3A c%250A
    """
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text


class GitHubForm(AnnotationForm):
    """Commands of a workflow."""

    name = "github"
    sign = "GITHUB_ACTIONS"
    root = "GITHUB_WORKSPACE"
    alone = False

    def written(self, remarks: Sequence[Remark]) -> str:
        """Return a line for each remark."""
        return "".join(f"{self._command(remark)}\n" for remark in remarks)

    def _command(self, remark: Remark) -> str:
        place = {"file": self.file_name(remark.file), "line": str(remark.line)} if remark.file else {}
        said = {**place, "title": printable(remark.title)}
        properties = ",".join(f"{name}={escaped(text, in_property=True)}" for name, text in said.items())
        kind = "error" if remark.is_error else "warning"
        return f"::{kind} {properties}::{escaped(printable(remark.message, lines=True))}"

    def safe(self, line: str) -> str:
        """Return a line without anything that begins a command."""
        return line.replace("::", r":\x3a").replace("##[", r"#\x23[")
