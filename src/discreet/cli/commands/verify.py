"""`discreet verify`: every promise counted again on a release."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.inputs import read_rules, shown_name
from discreet.cli.options import (
    AnnotationsOption,
    BesideLedgerOptions,
    KeyedEngineOptions,
    OriginalLayoutOptions,
    PartialOption,
    PlanOrderOption,
    PolicyOption,
    PopulationOption,
    PrintOptions,
    ReleaseArg,
)
from discreet.cli.reporting import reporting


def verify(
    release: ReleaseArg,
    policy: PolicyOption,
    original: Annotated[
        str | None, typer.Option("--original", help="The table it was made from, to check every cell.")
    ] = None,
    plan: PlanOrderOption = None,
    population: PopulationOption = None,
    partial: PartialOption = False,
    annotations: AnnotationsOption = None,
    *,
    beside: BesideLedgerOptions,
    rows: KeyedEngineOptions,
    shown: PrintOptions,
    layout: OriginalLayoutOptions,
) -> None:
    """Count every promise of the policy again on RELEASE, however it was made.

    Example:

    discreet verify release.csv -p bank.yaml --original bank.csv
    """
    from discreet.cli.annotations.annotator import Annotator

    annotator = Annotator.of(annotations, release, policy)
    with reporting(shown.as_json, shown.quiet, annotator) as state:
        rules = read_rules(policy, layout)
        from discreet.cli.show.verdict import passed
        from discreet.verification.promises import verify as run
        from discreet.writing.plan_file import read_order

        order = None if plan is None else read_order(plan)
        found = run(release, rules, original, order=order, population=population, **rows.said(), **beside.said())
        state.code = 0 if passed(found, partial) else 1
        if annotator is not None:
            from discreet.cli.annotations.found import VerifiedPair
            from discreet.cli.show.verdict import answer_in_plain

            pair = VerifiedPair(release, str(policy), partial)
            answer = answer_in_plain(found, with_original=original is not None)
            remarks = [*pair.remarks(found, rules, with_original=original is not None)]
            annotator.write(remarks, [f"{shown_name(release)}: {answer}"])
        elif shown.as_json:
            print(found.to_json())
        else:
            from discreet.cli.show.promises import print_verification

            print_verification(found, shown_name(release), with_original=original is not None, quiet=shown.quiet)
