"""Registries of kinds: a name is given once, and whoever forgets a side of a kind is told."""

from __future__ import annotations

import pytest

from discreet.common.registry import Registry, Sides


def test_a_name_is_given_once_and_a_forgotten_side_is_told() -> None:
    kinds: Registry[type] = Registry("use")
    kinds.add("whole", int)
    with pytest.raises(ValueError, match="there is a use 'whole' already"):
        kinds.add("whole", float)
    with pytest.raises(LookupError, match="nobody has added the measure of int"):
        Sides("measure").of(1)
