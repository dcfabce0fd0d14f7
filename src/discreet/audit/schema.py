"""The JSON Schema of audits: what `Audit.to_json()` writes, every field described.

Written by hand, because the JSON says more than the fields of the classes do; nothing may be in it that is not here.
"""

from __future__ import annotations

from typing import Any

Part = dict[str, Any]

_TEXT: Part = {"type": "string"}
_NUMBER: Part = {"type": "number"}
_COUNT: Part = {"type": "integer", "minimum": 0}
_PART: Part = {"type": "number", "minimum": 0, "maximum": 1}
_FLAG: Part = {"type": "boolean"}
_EXACT: Part = {"type": "string", "pattern": r"^\d+(/\d+)?$"}
_ANSWER: Part = {"enum": ["holds", "broken", "not checkable", "by lot"]}


def audit_schema() -> Part:
    """Return the JSON Schema of an audit."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A discreet audit",
        **_audit(),
        "$defs": {
            "worst": _worst(),
            "cells": _cells(),
            "spread": _spread(),
            "rate": _rate(),
            "attack": _attack(),
            "column": _column(),
        },
    }


def _object(description: str, /, **fields: Part) -> Part:
    """Return an object that has these fields and no others."""
    return {
        "description": description,
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _said(part: Part, description: str) -> Part:
    return {**part, "description": description}


def _many(part: Part, description: str) -> Part:
    return {"type": "array", "items": part, "description": description}


def _maybe(part: Part, description: str) -> Part:
    return {"anyOf": [part, {"type": "null"}], "description": description}


def _by_name(part: Part, description: str) -> Part:
    return {"type": "object", "additionalProperties": part, "description": description}


def _ref(name: str) -> Part:
    return {"$ref": f"#/$defs/{name}"}


def _interval(description: str = "Its 95% interval, by Wilson's score.") -> Part:
    return {"type": "array", "items": _PART, "minItems": 2, "maxItems": 2, "description": description}


def _audit() -> Part:
    part = _object(
        "Everything that was found about a release. Private: it says more than the release does.",
        holds=_said(_FLAG, "Whether every promise holds and nothing was found to be untrue."),
        requirements=_many(_requirement(), "The answer about each promise; a requirement may stand for several."),
        truthful=_object(
            "Whether every released cell is the original or something that covers it.",
            answer=_said(_ANSWER, "The answer."),
            problems=_many(_TEXT, "What is wrong."),
        ),
        rows=_said(_COUNT, "Rows of the release."),
        sample=_maybe(_sample(), "Where a sample is released: of what."),
        dropped_rows=_said(_COUNT, "Rows left out because a value is missing."),
        suppressed_rows=_said(_COUNT, "Rows of the release that are hidden on all columns that may change."),
        removed_rows=_said(_COUNT, "Rows that the release lacks because they do not fit."),
        drawn_rows=_said(_COUNT, "Of the suppressed rows those drawn by lot."),
        unseen_rows=_said(_COUNT, "Of the suppressed or removed rows those with a value that the plan has not seen."),
        hidden_cells=_by_name(_COUNT, "Hidden cells of each column that may change."),
        coarser_cells=_by_name(_COUNT, "Cells of each such column with something that covers the original."),
        detail=_maybe(_NUMBER, "Share of the detail of the changeable columns that is released (1 - LM)."),
        bound=_maybe(_NUMBER, "Of what the cut costs the share that no cut goes below; 1: proven best."),
        usefulness=_usefulness(),
        cells=_maybe(_edits(), "What the edits for confidential cells cost."),
        warnings=_many(_TEXT, "What the owner should know."),
        not_covered=_many(_TEXT, "What the promises leave open."),
        risk=_many(_risk(), "The groups of every promise about groups, before and after."),
        utility=_maybe(_utility(), "What is kept of columns and pairs, and how well targets are learned."),
        attacks=_maybe(_attacks(), "What adversaries get right; null when the release was not attacked."),
        about=_maybe(_about(), "What the release is."),
    )
    warning = _said(_TEXT, "A warning that this is private; absent where the audit is part of another document.")
    part["properties"] = {"private": warning, **part["properties"]}
    return part


def _requirement() -> Part:
    part = _object(
        "One promise.",
        index=_said(_COUNT, "Its position in `protect`, from 0."),
        kind=_said({"enum": ["template", "k-anonymity", "confidential"]}, "What kind of promise it is."),
        promise=_said(_TEXT, "The promise in words."),
        answer=_said(_ANSWER, "What was found."),
        worst=_maybe(_ref("worst"), "The worst group of the release."),
        reason=_maybe(_TEXT, "Why it cannot be checked, or that hidden cells tell their value."),
        before=_maybe(_ref("worst"), "The worst group of the table as it came in."),
    )
    part["properties"]["cells"] = _said(_ref("cells"), "For confidential cells: what was found about each.")
    return part


def _worst() -> Part:
    return _object(
        "A group of rows that look alike, by counts.",
        group=_by_name({"type": ["string", "null"]}, "Its texts by column; null is a missing value."),
        rows=_said(_COUNT, "Its rows."),
        hits=_said(_COUNT, "Those with the protected value; 1 for k-anonymity."),
        hidden=_said(_COUNT, "Those whose value is hidden."),
        share=_said(_EXACT, "The confidence, an exact fraction."),
        limit=_said(_EXACT, "What is allowed, an exact fraction; 1/k for k-anonymity."),
        worst_case=_said(_EXACT, "The confidence if every hidden cell had the protected value."),
        alone=_said(_COUNT, "Rows that are the only ones of their group, in the whole table."),
    )


def _cells() -> Part:
    numbers = {"type": "array", "items": {"type": "integer", "minimum": 1}}
    return _object(
        "Confidential cells of one requirement.",
        index=_said(_COUNT, "The position of the requirement in `protect`."),
        kind=_said({"const": "confidential"}, "The kind of promise."),
        promise=_said(_TEXT, "The promise in words."),
        answer=_said(_ANSWER, "What was found."),
        reason=_maybe(_TEXT, "Why it cannot be checked, or that hidden cells tell their value."),
        warnings=_many(_TEXT, "What the owner should know."),
        telling=_maybe(_telling(), "What hidden cells of the column tell by being hidden; null where none is."),
        broken_rows=_said(numbers, "Rows whose cell is guessed, by their numbers in the input from 1."),
        by_lot_rows=_said(numbers, "Rows whose cell was left to the lot."),
        against=_many(_against(), "How many cells each adversary guesses."),
        cells=_many(_cell(), "Each cell beside each adversary."),
    )


def _telling() -> Part:
    return _object(
        "Of the hidden cells that share a released text those that tell most of a confidential value among them.",
        cells=_said(_COUNT, "Hidden cells with the text."),
        alike=_said(_COUNT, "Those with the value that most have (or with the values that the cells are chosen by)."),
        vanished=_said(_FLAG, "Whether all have one value that no released row has."),
        common=_said(_COUNT, "Cells of the column in the original with its commonest value."),
        known=_said(_COUNT, "Of so many that tell one."),
    )


def _against() -> Part:
    return _object(
        "One adversary.",
        adversary=_said(_TEXT, "Its name in a policy."),
        cells=_said(_COUNT, "The cells in the release."),
        guessed=_said(_COUNT, "Those it guesses."),
        interval=_interval(),
        only_hidden=_maybe(
            _object(
                "The same.", cells=_said(_COUNT, "Cells."), guessed=_said(_COUNT, "Guessed."), interval=_interval()
            ),
            "On the table in which the confidential cells alone are hidden.",
        ),
        prior=_object(
            "By the commonest value alone.", guessed=_said(_COUNT, "Those that have it."), interval=_interval()
        ),
        readings=_maybe(
            _by_name(_COUNT, "Cells that an unsafe rule leads to."), "Against rules: by who reads the release."
        ),
    )


def _cell() -> Part:
    rule = _object(
        "A rule by counts.",
        columns=_many(_TEXT, "Its conditions."),
        support=_said(_COUNT, "Rows with the conditions and the value."),
        rows=_said(_COUNT, "Rows with the conditions."),
        published=_said(_COUNT, "Those of them whose sensitive cell is told."),
    )
    return _object(
        "One cell and one adversary.",
        row=_said({"type": "integer", "minimum": 1}, "Its row number in the input, from 1."),
        adversary=_said(_TEXT, "The adversary."),
        answer=_said(_ANSWER, "What was found."),
        hidden=_maybe(_FLAG, "Whether the released text does not tell the value; null for a removed row."),
        removed=_said(_FLAG, "Whether the row is not in the release."),
        probability=_maybe(_PART, "What the adversary gives the true value on the release."),
        guessed_when_only_hidden=_maybe(_FLAG, "Whether it is guessed where the cells alone are hidden."),
        probability_when_only_hidden=_maybe(_PART, "The probability there."),
        rule=_maybe(rule, "Against rules: the most confident one to the true value."),
        aware=_maybe(
            {"type": "array", "items": _COUNT, "minItems": 2, "maxItems": 2},
            "Against rules: among the hidden cells of rows that share conditions, those with the value, and all.",
        ),
    )


def _sample() -> Part:
    return _object(
        "A random sample.",
        share=_said(_EXACT, "The share that was asked for."),
        drawn_rows=_said(_COUNT, "Rows drawn."),
        of_rows=_said(_COUNT, "Rows of the table."),
        k_on=_said({"enum": ["sample", "population"]}, "Where k counts."),
    )


def _usefulness() -> Part:
    told = _object(
        "What the groups tell of one target; 0 is all that can be known.",
        target=_said(_TEXT, "The column."),
        measure=_said({"enum": ["CM", "RM"]}, "Mistakes about a class, or the spread of a number in the groups."),
        released=_said(_NUMBER, "On the release."),
        original=_said(_NUMBER, "With the columns as they were."),
        nothing=_said(_NUMBER, "With no column."),
        costs=_said(_FLAG, "Whether mistakes cost differently."),
    )
    return _object(
        "The groups of the release; suppressed rows that still stand in it are one, too.",
        groups=_said(_COUNT, "How many there are."),
        smallest=_said(_COUNT, "Rows of the smallest."),
        average=_said(_NUMBER, "Rows of a group on average."),
        discernibility=_said(_COUNT, "For each row the rows it cannot be told from, summed."),
        targets=_many(told, "What they tell of each target of the use."),
    )


def _edits() -> Part:
    removal = _object(
        "What is hidden against association rules.",
        requirement=_said(_COUNT, "The position of the requirement in `protect`."),
        hidden=_said(_COUNT, "Cells hidden beyond the confidential ones."),
        confidential=_said(_COUNT, "Confidential cells."),
        decoys=_said(_COUNT, "Of the hidden cells those that are decoys."),
        gap=_maybe(_COUNT, "How many more are hidden than needed at most, as proven; null when that is not known."),
        cells=_said(_COUNT, "Cells of the conditions and the sensitive column."),
        rate=_said(_NUMBER, "Hidden cells beside all."),
        rate_with_confidential=_said(_NUMBER, "The same with the confidential cells."),
    )
    return _object(
        "The measures of Hintoglu's thesis; logarithms are to base 2.",
        direct_distance=_said(_COUNT, "Changed cells."),
        skld=_maybe(_NUMBER, "Kullback-Leibler distance of the released values, summed; null: infinite."),
        acmi=_said(_NUMBER, "Original mutual information divided by the released, average of the pairs."),
        acmi_infinite=_said(_COUNT, "Pairs that lost all of it."),
        mutual_information_change=_said(_NUMBER, "Absolute difference of the two, average of the pairs."),
        sce=_said(_NUMBER, "Entropy of the original values given the released, summed."),
        columns=_said(_COUNT, "Columns that could be edited."),
        pairs=_said(_COUNT, "Pairs of columns that were looked at."),
        of_pairs=_said(_COUNT, "Of so many."),
        removal=_many(removal, "For each requirement that names rules."),
    )


def _spread() -> Part:
    return _object(
        "How many rows stand in groups of which risk.",
        ends=_many(_NUMBER, "Where the ranges begin: shares, or sizes of groups; the last has no end."),
        rows=_many(_COUNT, "Rows in each range."),
    )


def _risk() -> Part:
    def both(part: Part, description: str) -> Part:
        return _object(description, before=_said(part, "Before."), after=_said(part, "After."))

    return _object(
        "One promise about groups.",
        index=_said(_COUNT, "The position of the requirement in `protect`."),
        kind=_said({"enum": ["template", "k-anonymity"]}, "What kind of promise it is."),
        promise=_said(_TEXT, "The promise in words."),
        limit=_said(_EXACT, "The share that is allowed, or k."),
        rows=both(_COUNT, "All rows."),
        groups=both(_COUNT, "All groups."),
        above=both(_COUNT, "Rows in groups that do not keep the promise."),
        worst=both(_many(_ref("worst"), "Groups."), "The worst groups, worst first."),
        spread=both(_ref("spread"), "How all groups lie."),
    )


def _column() -> Part:
    bar = _object(
        "A value, or a range of numbers.",
        label=_maybe(_TEXT, "The value; null: all others."),
        original=_said(_NUMBER, "Its share of the known cells before."),
        released=_said(_NUMBER, "Its share after."),
    )
    shown = _object(
        "A text of the release.",
        label=_maybe(_TEXT, "The text; null: all others."),
        share=_said(_NUMBER, "Its share of all cells of the column."),
    )
    return _object(
        "What is kept of one column.",
        name=_said(_TEXT, "The column."),
        cells=_said(_COUNT, "Its cells in the release."),
        unchanged=_said(_COUNT, "Those that tell the original."),
        coarser=_said(_COUNT, "Those with something that covers it."),
        hidden=_said(_COUNT, "Those that tell nothing."),
        values=_said(_COUNT, "Different values of the original."),
        texts=_said(_COUNT, "Different texts of the release."),
        loss=_said(_NUMBER, "The mean loss of a cell, from 0 (all told) to 1 (nothing)."),
        distance=_maybe(_NUMBER, "How far the distributions are apart: 0 the same, 1 no overlap."),
        bars=_many(bar, "The distribution before and after."),
        shown=_many(shown, "The distribution of the texts of the release."),
    )


def _utility() -> Part:
    pair = _object(
        "What two columns tell of each other, in bits.",
        one=_said(_TEXT, "A column."),
        other=_said(_TEXT, "Another."),
        original=_said(_NUMBER, "Their mutual information before."),
        released=_said(_NUMBER, "After."),
    )
    learned = _object(
        "How well a target is learned, scored on rows that did not train.",
        target=_said(_TEXT, "The column."),
        learner=_said(_TEXT, "The learner."),
        score=_said(_TEXT, "What is scored: the error, or the share of the variance explained."),
        original=_said(_NUMBER, "Learned from the original."),
        released=_said(_NUMBER, "From the release."),
        without=_maybe(_NUMBER, "From the release without the protected columns."),
        nothing=_said(_NUMBER, "Without any column."),
        rows=_said(_COUNT, "Rows that were scored."),
        without_columns=_many(_TEXT, "The columns left out."),
    )
    return _object(
        "What a release is still good for.",
        loss=_said(_NUMBER, "The mean loss of the columns that may change."),
        columns=_many(_ref("column"), "Each released column."),
        pairs=_many(pair, "Pairs of columns."),
        of_pairs=_said(_COUNT, "How many pairs there are."),
        learned=_many(learned, "Targets."),
        notes=_many(_TEXT, "How it was measured."),
    )


def _rate() -> Part:
    return _object(
        "How often something is right.",
        right=_said({"type": "number", "minimum": 0}, "Right ones; not whole where each succeeds with a probability."),
        tries=_said(_COUNT, "Tries."),
        share=_maybe(_PART, "Right ones beside tries; null when nothing was tried."),
        interval=_interval(),
    )


def _attack() -> Part:
    rate = _ref("rate")
    return _object(
        "One attack.",
        kind=_said({"enum": ["linkage", "inference", "cells", "aware"]}, "What it is after, or what it knows."),
        name=_said(_TEXT, "Its short name."),
        title=_said(_TEXT, "What it does."),
        target=_maybe(_TEXT, "The column that is guessed."),
        knows=_many(_TEXT, "The columns that the adversary knows."),
        requirement=_maybe(_COUNT, "The position in `protect` of the promise that it concerns."),
        released=_said(rate, "On the release."),
        baseline=_maybe(rate, "Without any help."),
        original=_maybe(rate, "On the original table."),
        only_hidden=_maybe(rate, "On the table in which the confidential cells alone are hidden."),
        control=_maybe(rate, "About people who are not in the release."),
        control_by=_maybe(_TEXT, "Who they are."),
        of=_said(_COUNT, "People or cells that could be attacked."),
        sampled=_said(_FLAG, "Whether only some were tried."),
        leaks=_said(_FLAG, "Whether it is more often right about people of the release than about anybody."),
        warnings=_many(_TEXT, "What the owner should know."),
        notes=_many(_TEXT, "How to read the figures."),
        figures=_by_name({"type": ["number", "null"]}, "Further figures by name."),
        seconds=_said(_NUMBER, "How long it took."),
    )


def _attacks() -> Part:
    return _object(
        "All attacks.",
        thorough=_said(_FLAG, "Whether they were thorough, or quick."),
        victims=_said(_COUNT, "At most so many people or cells are attacked in each."),
        seconds=_said(_NUMBER, "How long all took."),
        attacks=_many(_ref("attack"), "Each attack."),
        skipped=_many(_TEXT, "Attacks for which there was no time."),
        warnings=_many(_TEXT, "The warnings of all, each once."),
        notes=_many(_TEXT, "How they were made."),
    )


def _about() -> Part:
    return _object(
        "What the release is and how it was made.",
        name=_maybe(_TEXT, "The name of the released file."),
        columns=_many(_TEXT, "The released columns, in order."),
        use=_said(_TEXT, "What it is for."),
        method=_maybe(_TEXT, "How it was made."),
        promises=_many(_TEXT, "Each promise in words."),
        public=_many(_TEXT, "The same without naming people."),
        changeable=_many(_TEXT, "The columns that may change."),
    )
