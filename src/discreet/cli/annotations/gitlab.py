"""Remarks for GitLab: a report about the quality of code (Code Quality), a JSON list that a job keeps as artifact."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from discreet.cli.annotations.base import AnnotationForm, Remark
from discreet.common.printable import json_text, printable

PIPELINE = ".gitlab-ci.yml"


class GitLabForm(AnnotationForm):
    """A report about the quality of code."""

    name = "gitlab"
    sign = "GITLAB_CI"
    root = "CI_PROJECT_DIR"
    alone = True

    def written(self, remarks: Sequence[Remark]) -> str:
        """Return the report."""
        return json_text([self._entry(remark) for remark in remarks]) + "\n"

    def _entry(self, remark: Remark) -> dict[str, object]:
        path = self.file_name(remark.file) if remark.file else PIPELINE  # there must be one
        # By it GitLab knows whether a remark is new: what was found, not how it was worded.
        known_by = "\0".join([path, remark.check, remark.title])
        return {
            "description": printable(remark.message),
            "check_name": f"discreet/{remark.check}",
            "fingerprint": hashlib.sha256(known_by.encode("utf-8", "surrogatepass")).hexdigest(),
            "severity": "critical" if remark.is_error else "minor",
            "location": {"path": path, "lines": {"begin": remark.line}},
        }
