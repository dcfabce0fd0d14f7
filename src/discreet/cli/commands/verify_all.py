"""`discreet verify-all`: every release of a list verified, for pipelines and hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import AnnotationsOption, JsonOption
from discreet.cli.reporting import print_json, reporting

if TYPE_CHECKING:
    from discreet.cli.annotations.base import Remark
    from discreet.cli.listed import ListedAnswer


def verify_all(
    releases: Annotated[
        str,
        typer.Argument(metavar="LIST", help="A YAML file with '- {release: FILE, policy: FILE}' a line; - is stdin."),
    ] = "releases.yaml",
    annotations: AnnotationsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Verify every release of LIST against the policy beside it; prints no value, so it is fit for logs.

    Example:

    discreet verify-all releases.yaml --annotations auto
    """
    from discreet.cli.annotations.annotator import Annotator

    annotator = Annotator.of(annotations, releases)
    with reporting(as_json, annotator=annotator) as state:
        from discreet.cli.listed import exit_code, in_words, verify_listed
        from discreet.cli.release_list import read_list

        answers: list[ListedAnswer] = []
        remarks: list[Remark] = []
        for listed in read_list(releases):
            answer = verify_listed(listed)
            answers.append(answer)
            remarks += answer.remarks
            if not as_json and annotator is None:
                print(state.shown(answer.line), flush=True)
        state.code = exit_code(answers)
        if as_json:
            print_json({"holds": not state.code, "releases": [answer.to_dict() for answer in answers]})
        elif annotator is not None:
            annotator.write(remarks, [*(answer.line for answer in answers), in_words(answers)])
        else:
            print(in_words(answers))
