"""Why a plan tells no more: codes, each with its wording."""

from __future__ import annotations

from enum import StrEnum


class KeptReason(StrEnum):
    """Why a value stays hidden, or a node or interval is not told finer. Its text, in plans too, is the wording.

    >>> KeptReason("is no input of the use").name
    'NO_INPUT'
    """

    NO_BENEFIT = "would not help the use"
    NO_INPUT = "is no input of the use"
    STOPPED = "the search was stopped before"
    BREAKS = "would break a promise"
    MARKER = "is the marker already"

    def __repr__(self) -> str:
        return repr(self.value)
