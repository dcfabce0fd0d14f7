"""What `init` asks on a terminal: each question shows what is guessed, and Enter takes it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from discreet.common.printable import printable
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.assist.drafting.choices import DraftChoices, DraftParts
    from discreet.assist.drafting.looks import ColumnLook

Answering = Callable[[str], str]
NOTHING = ("-", "none")
"""Answers that take none of what is guessed."""


def may_ask() -> bool:
    """Whether somebody sits there who can answer."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def ask_choices(
    looks: Sequence[ColumnLook], said: DraftChoices, parts_of: Callable[[DraftChoices], DraftParts], hear: Answering
) -> DraftChoices:
    """Return what the owner chooses: what was said already is not asked for.

    `parts_of` refuses choices that do not fit the table; then the question is asked again.
    """
    from discreet.assist.drafting.choices import MOST_SECRETS
    from discreet.assist.drafting.presets import PRESETS, STRICTEST

    columns = [look.name for look in looks]
    print(f"The table has {len(columns)} columns: {printable(', '.join(columns))}.")
    print("Answer with names of columns between commas; Enter takes what is guessed, - takes none.")
    questions: tuple[tuple[str, str, list[str]], ...] = (
        ("identifier", "Which name people, and are left out?", [look.name for look in looks if look.identifier]),
        ("secret", "Which must nobody infer? (COLUMN, or COLUMN=VALUE)", [
            look.name for look in looks if look.why_secret and look.distinct > 1
        ][:MOST_SECRETS]),
        ("known", "Which may somebody know of a person?", []),
    )  # fmt: skip
    for name, question, guessed in questions:
        if getattr(said, name) is None:
            said = _asked(name, question, guessed, columns, said, parts_of, hear)
    if said.preset is None:
        for preset, about in PRESETS.items():
            print(f"  {preset}: {about.words} (k = {about.k})")
        said = _preset(said, STRICTEST, parts_of, hear)
    return said


def _asked(
    name: str,
    question: str,
    guessed: list[str],
    columns: Collection[str],
    said: DraftChoices,
    parts_of: Callable[[DraftChoices], DraftParts],
    hear: Answering,
) -> DraftChoices:
    """Return the choices with the answer to one question; None stays where the guess is taken."""
    shown = guessed
    if name == "known":
        with suppress(InputError):  # where everything names people, nothing is known
            shown = list(parts_of(said).known)
    while True:
        answer = hear(f"{question} [{printable(', '.join(shown)) or 'none'}] ").strip()
        if not answer:
            return said
        chosen = [] if answer.lower() in NOTHING and answer not in columns else _named(answer, columns)
        tried = _choosing(said, name, chosen)
        try:
            if name != "identifier" or chosen:
                parts_of(tried)
        except InputError as error:
            print(printable(str(error)))
            continue
        return tried


def _choosing(said: DraftChoices, name: str, chosen: list[str]) -> DraftChoices:
    """Return the choices with one more."""
    if name == "identifier":
        return replace(said, identifier=chosen, no_others=True)
    return replace(said, secret=chosen) if name == "secret" else replace(said, known=chosen)


def _preset(
    said: DraftChoices, guessed: str, parts_of: Callable[[DraftChoices], DraftParts], hear: Answering
) -> DraftChoices:
    while True:
        answer = hear(f"Who gets the release? [{guessed}] ").strip()
        tried = replace(said, preset=answer or guessed)
        try:
            parts_of(tried)
        except InputError as error:
            print(printable(str(error)))
            continue
        return tried


def _named(answer: str, columns: Collection[str]) -> list[str]:
    """Return the names in an answer; one that has a comma in it stands alone."""
    return [answer] if answer in columns else [part for part in map(str.strip, answer.split(",")) if part]


def hear(question: str) -> str:
    """Return what is typed in answer to a question.

    Polars catches Ctrl-C in a way that lets the terminal go on waiting for Enter; so it must interrupt what waits.
    """
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)
    try:
        return input(question)
    except KeyboardInterrupt:
        print()
        raise
    except EOFError:
        print()
        raise InputError("no answer came; give --secret, --known, --identifier and --preset instead") from None
