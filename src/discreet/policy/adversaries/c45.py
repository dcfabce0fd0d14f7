"""Who grows a tree like C4.5."""

from __future__ import annotations

from typing import ClassVar

from discreet.policy.adversaries.base import Adversary
from discreet.policy.cell_methods import AGAINST_TREES, Hideable


class C45(Adversary):
    """An adversary who trains a tree like C4.5 (gain ratio, not pruned) on the released rows with a known class.

    Examples
    --------
    >>> C45().name
    'c45'
    """

    names: ClassVar[tuple[str, ...]] = ("c45",)
    methods: ClassVar[tuple[str, ...]] = AGAINST_TREES

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "c45"

    def usual_defence(self, may_hide: tuple[Hideable, ...] | None) -> str:  # noqa: ARG002
        """Return the method against it where the policy names none."""
        return "hid3"
