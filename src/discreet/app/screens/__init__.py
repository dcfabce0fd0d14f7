"""The screens, from left to right: one module each, named here and nowhere else."""

from __future__ import annotations

from discreet.app.screens import attacks, columns, compare, groups, promises, publish, release, table
from discreet.app.screens.base import Screen

SCREENS: tuple[Screen, ...] = tuple(
    module.SCREEN for module in (table, columns, groups, promises, release, attacks, compare, publish)
)
