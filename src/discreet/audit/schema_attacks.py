"""What the JSON Schema of an audit says of attacks."""

from __future__ import annotations

from discreet.audit.schema_blocks import (
    COUNT,
    FLAG,
    NUMBER,
    SHARE,
    TEXT,
    Schema,
    by_name,
    interval,
    many,
    maybe,
    object_of,
    ref,
    said,
)


def rate() -> Schema:
    """Return how often something is right."""
    return object_of(
        "How often something is right.",
        right=said({"type": "number", "minimum": 0}, "Right ones; not whole where each succeeds with a probability."),
        tries=said(COUNT, "Tries."),
        share=maybe(SHARE, "Right ones beside tries; null when nothing was tried."),
        interval=interval(),
    )


def attack() -> Schema:
    """Return one attack."""
    right = ref("rate")
    return object_of(
        "One attack.",
        kind=said({"enum": ["linkage", "inference", "cells", "aware"]}, "What it is after, or what it knows."),
        name=said(TEXT, "Its short name."),
        title=said(TEXT, "What it does."),
        target=maybe(TEXT, "The column that is guessed."),
        knows=many(TEXT, "The columns that the adversary knows."),
        requirement=maybe(COUNT, "The position in `protect` of the promise that it concerns."),
        released=said(right, "On the release."),
        baseline=maybe(right, "Without any help."),
        original=maybe(right, "On the original table."),
        only_hidden=maybe(right, "On the table in which the confidential cells alone are hidden."),
        control=maybe(right, "About people who are not in the release."),
        control_by=maybe(TEXT, "Who they are."),
        surest=maybe(right, "On the fifth of the confidential cells about which the adversary is surest."),
        surest_only_hidden=maybe(right, "The same on the table in which the confidential cells alone are hidden."),
        of=said(COUNT, "People or cells that could be attacked."),
        sampled=said(FLAG, "Whether only some were tried."),
        leaks=said(FLAG, "Whether it is more often right about people of the release than about anybody."),
        warnings=many(TEXT, "What the owner should know."),
        notes=many(TEXT, "How to read the figures."),
        figures=by_name({"type": ["number", "null"]}, "Further figures by name."),
        seconds=said(NUMBER, "How long it took."),
    )


def attacks() -> Schema:
    """Return all attacks."""
    return object_of(
        "All attacks.",
        thorough=said(FLAG, "Whether they were thorough, or quick."),
        victims=said(COUNT, "At most so many people or cells are attacked in each."),
        seconds=said(NUMBER, "How long all took."),
        attacks=many(ref("attack"), "Each attack."),
        skipped=many(TEXT, "Attacks for which there was no time."),
        warnings=many(TEXT, "The warnings of all, each once."),
        notes=many(TEXT, "How they were made."),
    )
