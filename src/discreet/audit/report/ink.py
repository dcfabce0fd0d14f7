"""The colours of charts and the order of their marks, for whoever draws them."""

from __future__ import annotations

INK, MUTED, GRID, ACCENT, SOFT, PAPER = "#1c2328", "#5a6570", "#dde2e6", "#0b6370", "#5f9aa4", "#fefefe"
"""The colours of light paper; the style sheet replaces each by name on dark paper."""
ORDER = ("baseline", "limit", "before", "hidden", "control", "after")
"""Marks of points, in the order in which they are drawn from below."""
