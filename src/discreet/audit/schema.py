"""The JSON Schema of audits: what `Audit.to_json()` writes, every field described.

Written by hand, because the JSON says more than the fields of the classes do; nothing may be in it that is not here.
"""

from __future__ import annotations

from discreet.audit.schema_attacks import attack, attacks, rate
from discreet.audit.schema_blocks import (
    ANSWER,
    COUNT,
    EXACT,
    FLAG,
    NUMBER,
    SHARE,
    TEXT,
    Schema,
    by_name,
    decided_blindly,
    gone_persons,
    interval,
    many,
    maybe,
    object_of,
    of_persons,
    ref,
    rehearsal,
    said,
    secret,
    together,
)
from discreet.policy import Confidential
from discreet.policy.requirements import PROMISES


def audit_schema() -> Schema:
    """Return the JSON Schema of an audit."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A discreet audit",
        **_audit(),
        "$defs": {
            "worst": _worst(),
            "cells": _cells(),
            "spread": _spread(),
            "rate": rate(),
            "attack": attack(),
            "column": _column(),
        },
    }


def _audit() -> Schema:
    part = object_of(
        "Everything that was found about a release. Private: it says more than the release does.",
        holds=said(FLAG, "Whether every promise holds and nothing was found to be untrue."),
        requirements=many(_requirement(), "The answer about each promise; a requirement may stand for several."),
        truthful=object_of(
            "Whether every released cell is the original or something that covers it.",
            answer=said(ANSWER, "The answer."),
            problems=many(TEXT, "What is wrong."),
        ),
        rows=said(COUNT, "Rows of the release."),
        sample=maybe(_sample(), "Where a sample is released: of what."),
        dropped_rows=said(COUNT, "Rows left out because a value is missing."),
        suppressed_rows=said(COUNT, "Rows of the release that are hidden on all columns that may change."),
        removed_rows=said(COUNT, "Rows that the release lacks because they do not fit."),
        drawn_rows=said(COUNT, "Of the suppressed rows those drawn by lot."),
        unseen_rows=said(COUNT, "Of the suppressed or removed rows those with a value that the plan has not seen."),
        persons=gone_persons(),
        rehearsal=many(rehearsal(), "Where cells are protected blindly: what learners get right on the other rows."),
        joint=together(),
        hidden_cells=by_name(COUNT, "Hidden cells of each column that may change."),
        coarser_cells=by_name(COUNT, "Cells of each such column with something that covers the original."),
        detail=maybe(NUMBER, "Share of the detail of the changeable columns that is released (1 - LM)."),
        bound=maybe(NUMBER, "Of what the cut costs the share that no cut goes below; 1: proven best."),
        decided=decided_blindly(),
        usefulness=_usefulness(),
        cells=maybe(_edits(), "What the edits for confidential cells cost."),
        warnings=many(TEXT, "What the owner should know."),
        not_covered=many(TEXT, "What the promises leave open."),
        risk=many(_risk(), "The groups of every promise about groups, before and after."),
        secrets=many(secret(), "What groups tell of each secret by the figures of the field, whatever was promised."),
        utility=maybe(_utility(), "What is kept of columns and pairs, and how well targets are learned."),
        attacks=maybe(attacks(), "What adversaries get right; null when the release was not attacked."),
        about=maybe(_about(), "What the release is."),
    )
    warning = said(TEXT, "A warning that this is private; absent where the audit is part of another document.")
    part["properties"] = {"private": warning, **part["properties"]}
    part["required"] = [name for name in part["required"] if name not in ("persons", "decided", "rehearsal", "joint")]
    return part


def _requirement() -> Schema:
    part = object_of(
        "One promise.",
        index=said(COUNT, "Its position in `protect`, from 0."),
        kind=said({"enum": [*PROMISES, Confidential.kind]}, "What kind of promise it is."),
        promise=said(TEXT, "The promise in words."),
        answer=said(ANSWER, "What was found."),
        worst=maybe(ref("worst"), "The worst group of the release."),
        reason=maybe(TEXT, "Why it cannot be checked, or that hidden cells tell their value."),
        before=maybe(ref("worst"), "The worst group of the table as it came in."),
    )
    part["properties"]["cells"] = said(ref("cells"), "For confidential cells: what was found about each.")
    return part


def _worst() -> Schema:
    part = object_of(
        "A group of rows that look alike, by counts.",
        group=by_name({"type": ["string", "null"]}, "Its texts by column; null is a missing value."),
        rows=said(COUNT, "Its rows."),
        hits=said(
            COUNT, "Those with the protected value; 1 for k-anonymity; with `among` the people of the population."
        ),
        hidden=said(COUNT, "Those whose value is hidden."),
        share=said(EXACT, "The confidence, an exact fraction."),
        limit=said(EXACT, "What is allowed, an exact fraction; 1/k for k-anonymity."),
        worst_case=said(EXACT, "The confidence if every hidden cell had the protected value."),
        alone=said(COUNT, "Rows that are the only ones of their group, in the whole table."),
    )
    return of_persons(part)


def _cells() -> Schema:
    numbers = {"type": "array", "items": {"type": "integer", "minimum": 1}}
    return object_of(
        "Confidential cells of one requirement.",
        index=said(COUNT, "The position of the requirement in `protect`."),
        kind=said({"const": "confidential"}, "The kind of promise."),
        promise=said(TEXT, "The promise in words."),
        answer=said(ANSWER, "What was found."),
        reason=maybe(TEXT, "Why it cannot be checked, or that hidden cells tell their value."),
        warnings=many(TEXT, "What the owner should know."),
        telling=maybe(_telling(), "What hidden cells of the column tell by being hidden; null where none is."),
        broken_rows=said(numbers, "Rows whose cell is guessed, by their numbers in the input from 1."),
        by_lot_rows=said(numbers, "Rows whose cell was left to the lot."),
        against=many(_against(), "How many cells each adversary guesses."),
        cells=many(_cell(), "Each cell beside each adversary."),
    )


def _telling() -> Schema:
    return object_of(
        "Of the hidden cells that share a released text those that tell most of a confidential value among them.",
        cells=said(COUNT, "Hidden cells with the text."),
        alike=said(COUNT, "Those with the value that most have (or with the values that the cells are chosen by)."),
        vanished=said(FLAG, "Whether all have one value that no released row has."),
        common=said(COUNT, "Cells of the column in the original with its commonest value."),
        known=said(COUNT, "Of so many that tell one."),
    )


def _against() -> Schema:
    return object_of(
        "One adversary.",
        adversary=said(TEXT, "Its name in a policy."),
        cells=said(COUNT, "The cells in the release."),
        guessed=said(COUNT, "Those it guesses."),
        interval=interval(),
        only_hidden=maybe(
            object_of("The same.", cells=said(COUNT, "Cells."), guessed=said(COUNT, "Guessed."), interval=interval()),
            "On the table in which the confidential cells alone are hidden.",
        ),
        prior=object_of(
            "By the commonest value alone.", guessed=said(COUNT, "Those that have it."), interval=interval()
        ),
        readings=maybe(
            by_name(COUNT, "Cells that an unsafe rule leads to."), "Against rules: by who reads the release."
        ),
    )


def _cell() -> Schema:
    rule = object_of(
        "A rule by counts.",
        columns=many(TEXT, "Its conditions."),
        support=said(COUNT, "Rows with the conditions and the value."),
        rows=said(COUNT, "Rows with the conditions."),
        published=said(COUNT, "Those of them whose sensitive cell is told."),
    )
    return object_of(
        "One cell and one adversary.",
        row=said({"type": "integer", "minimum": 1}, "Its row number in the input, from 1."),
        adversary=said(TEXT, "The adversary."),
        answer=said(ANSWER, "What was found."),
        hidden=maybe(FLAG, "Whether the released text does not tell the value; null for a removed row."),
        removed=said(FLAG, "Whether the row is not in the release."),
        probability=maybe(SHARE, "What the adversary gives the true value on the release."),
        guessed_when_only_hidden=maybe(FLAG, "Whether it is guessed where the cells alone are hidden."),
        probability_when_only_hidden=maybe(SHARE, "The probability there."),
        rule=maybe(rule, "Against rules: the most confident one to the true value."),
        aware=maybe(
            {"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2},
            "Against rules: among the hidden cells of rows that share conditions, those with the value, and all.",
        ),
    )


def _sample() -> Schema:
    part = object_of(
        "A random sample.",
        share=said(EXACT, "The share that was asked for."),
        drawn_rows=said(COUNT, "Rows drawn."),
        of_rows=said(COUNT, "Rows of the table."),
        k_on=said({"enum": ["sample", "population"]}, "Where k counts."),
    )
    part["properties"]["by"] = many(TEXT, "The columns by which it is stratified, if it is.")
    return of_persons(part)


def _usefulness() -> Schema:
    told = object_of(
        "What the groups tell of one target; 0 is all that can be known.",
        target=said(TEXT, "The column."),
        measure=said({"enum": ["CM", "RM"]}, "Mistakes about a class, or the spread of a number in the groups."),
        released=said(NUMBER, "On the release."),
        original=said(NUMBER, "With the columns as they were."),
        nothing=said(NUMBER, "With no column."),
        costs=said(FLAG, "Whether mistakes cost differently."),
    )
    return object_of(
        "The groups of the release; suppressed rows that still stand in it are one, too.",
        groups=said(COUNT, "How many there are."),
        smallest=said(COUNT, "Rows of the smallest."),
        average=said(NUMBER, "Rows of a group on average."),
        discernibility=said(COUNT, "For each row the rows it cannot be told from, summed."),
        targets=many(told, "What they tell of each target of the use."),
    )


def _edits() -> Schema:
    removal = object_of(
        "What is hidden against association rules.",
        requirement=said(COUNT, "The position of the requirement in `protect`."),
        hidden=said(COUNT, "Cells hidden beyond the confidential ones."),
        confidential=said(COUNT, "Confidential cells."),
        decoys=said(COUNT, "Of the hidden cells those that are decoys."),
        gap=maybe(COUNT, "How many more are hidden than needed at most, as proven; null when that is not known."),
        cells=said(COUNT, "Cells of the conditions and the sensitive column."),
        rate=said(NUMBER, "Hidden cells beside all."),
        rate_with_confidential=said(NUMBER, "The same with the confidential cells."),
    )
    return object_of(
        "The measures of Hintoglu's thesis; logarithms are to base 2.",
        direct_distance=said(COUNT, "Changed cells."),
        skld=maybe(NUMBER, "Kullback-Leibler distance of the released values, summed; null: infinite."),
        acmi=said(NUMBER, "Original mutual information divided by the released, average of the pairs."),
        acmi_infinite=said(COUNT, "Pairs that lost all of it."),
        mutual_information_change=said(NUMBER, "Absolute difference of the two, average of the pairs."),
        sce=said(NUMBER, "Entropy of the original values given the released, summed."),
        columns=said(COUNT, "Columns that could be edited."),
        pairs=said(COUNT, "Pairs of columns that were looked at."),
        of_pairs=said(COUNT, "Of so many."),
        removal=many(removal, "For each requirement that names rules."),
    )


def _spread() -> Schema:
    return object_of(
        "How many rows stand in groups of which risk.",
        ends=many(NUMBER, "Where the ranges begin: shares, or sizes of groups; the last has no end."),
        rows=many(COUNT, "Rows in each range."),
    )


def _risk() -> Schema:
    def both(part: Schema, description: str) -> Schema:
        return object_of(description, before=said(part, "Before."), after=said(part, "After."))

    return object_of(
        "One promise about groups.",
        index=said(COUNT, "The position of the requirement in `protect`."),
        kind=said({"enum": [*PROMISES]}, "What kind of promise it is."),
        promise=said(TEXT, "The promise in words."),
        limit=said(EXACT, "The share that is allowed, or k."),
        rows=both(COUNT, "All rows."),
        groups=both(COUNT, "All groups."),
        above=both(COUNT, "Rows in groups that do not keep the promise."),
        worst=both(many(ref("worst"), "Groups."), "The worst groups, worst first."),
        spread=both(ref("spread"), "How all groups lie."),
    )


def _column() -> Schema:
    bar = object_of(
        "A value, or a range of numbers.",
        label=maybe(TEXT, "The value; null: all others."),
        original=said(NUMBER, "Its share of the known cells before."),
        released=said(NUMBER, "Its share after."),
    )
    shown = object_of(
        "A text of the release.",
        label=maybe(TEXT, "The text; null: all others."),
        share=said(NUMBER, "Its share of all cells of the column."),
    )
    return object_of(
        "What is kept of one column.",
        name=said(TEXT, "The column."),
        cells=said(COUNT, "Its cells in the release."),
        unchanged=said(COUNT, "Those that tell the original."),
        coarser=said(COUNT, "Those with something that covers it."),
        hidden=said(COUNT, "Those that tell nothing."),
        values=said(COUNT, "Different values of the original."),
        texts=said(COUNT, "Different texts of the release."),
        loss=said(NUMBER, "The mean loss of a cell, from 0 (all told) to 1 (nothing)."),
        distance=maybe(NUMBER, "How far the distributions are apart: 0 the same, 1 no overlap."),
        bars=many(bar, "The distribution before and after."),
        shown=many(shown, "The distribution of the texts of the release."),
    )


def _utility() -> Schema:
    pair = object_of(
        "What two columns tell of each other, in bits.",
        one=said(TEXT, "A column."),
        other=said(TEXT, "Another."),
        original=said(NUMBER, "Their mutual information before."),
        released=said(NUMBER, "After."),
    )
    learned = object_of(
        "How well a target is learned, scored on rows that did not train.",
        target=said(TEXT, "The column."),
        learner=said(TEXT, "The learner."),
        score=said(TEXT, "What is scored: the error, or the share of the variance explained."),
        original=said(NUMBER, "Learned from the original."),
        released=said(NUMBER, "From the release."),
        without=maybe(NUMBER, "From the release without the protected columns."),
        nothing=said(NUMBER, "Without any column."),
        rows=said(COUNT, "Rows that were scored."),
        without_columns=many(TEXT, "The columns left out."),
    )
    return object_of(
        "What a release is still good for.",
        loss=said(NUMBER, "The mean loss of the columns that may change."),
        columns=many(ref("column"), "Each released column."),
        pairs=many(pair, "Pairs of columns."),
        of_pairs=said(COUNT, "How many pairs there are."),
        learned=many(learned, "Targets."),
        notes=many(TEXT, "How it was measured."),
    )


def _about() -> Schema:
    return object_of(
        "What the release is and how it was made.",
        name=maybe(TEXT, "The name of the released file."),
        columns=many(TEXT, "The released columns, in order."),
        use=said(TEXT, "What it is for."),
        method=maybe(TEXT, "How it was made."),
        promises=many(TEXT, "Each promise in words."),
        public=many(TEXT, "The same without naming people."),
        changeable=many(TEXT, "The columns that may change."),
    )
