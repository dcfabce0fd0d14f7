"""Who grows an ID3 tree."""

from __future__ import annotations

from typing import ClassVar

from discreet.policy.adversaries.base import Adversary
from discreet.policy.cell_methods import AGAINST_TREES, Hideable


class Id3(Adversary):
    """An adversary who trains an ID3 decision tree on the released rows with a known class.

    Rows whose class is released as a group train as the commonest value of it, or not at all: neither tree may guess.
    """

    names: ClassVar[tuple[str, ...]] = ("id3",)
    methods: ClassVar[tuple[str, ...]] = AGAINST_TREES

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "id3"

    def usual_defence(self, may_hide: tuple[Hideable, ...] | None) -> str:  # noqa: ARG002
        """Return the method against it where the policy names none."""
        return "hid3"
