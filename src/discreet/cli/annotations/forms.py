"""The forms of remarks that there are, and which one is meant."""

from __future__ import annotations

import os

from discreet.cli.annotations.base import AnnotationForm, NoForm
from discreet.cli.annotations.github import GitHubForm
from discreet.cli.annotations.gitlab import GitLabForm
from discreet.errors import InputError

FORMS: dict[str, AnnotationForm] = {form.name: form for form in (GitHubForm(), GitLabForm())}
AUTO = "auto"


def annotation_form(said: str) -> AnnotationForm:
    """Return the form of this name; of `auto` that of the service on whose machine we are, if it is known."""
    if said in FORMS:
        return FORMS[said]
    if said != AUTO:
        raise InputError(f"--annotations: write {', '.join(FORMS)} or {AUTO}")
    return next((form for form in FORMS.values() if os.environ.get(form.sign) == "true"), NoForm())
