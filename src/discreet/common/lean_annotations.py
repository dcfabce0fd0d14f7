"""Annotations that are compiled when they are evaluated.

Python compiles every annotation that is a text as soon as a typed dictionary, a named tuple or such is made with it.
A command makes fourteen hundred such, many for Pydantic's own dictionaries, which nobody evaluates. So in a
program of ours alone the text stands for its code: evaluating a text compiles it. Later versions of Python do so
themselves; there nothing is done.
"""

from __future__ import annotations

import sys
import typing

TRIED = (3, 11), (3, 12), (3, 13)
"""The versions of Python in which `typing` compiles such a text at once, and evaluates whatever came of that."""


def compile_annotations_later() -> None:
    """Let annotations that are made from now on be compiled when they are evaluated."""
    if sys.version_info[:2] in TRIED:
        vars(typing)["compile"] = _text_itself


def _text_itself(text: str, _name: str, _kind: str) -> str:
    return text
