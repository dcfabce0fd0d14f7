"""What a promise counts of a group of rows, as a number that compiled loops understand.

Each measure makes of a group a fraction that must not be above a limit. Merging whole groups never makes it larger than
the larger of the two: that is what all searches rest on.
"""

from __future__ import annotations

ROWS = 0
"""One person among the rows of the group: 1 / rows."""
SHARE = 1
"""The rows with a property among those of which it is known: hits / rows."""
DIFFERENT = 2
"""One value among the different ones of the group: 1 / values. A group in which none is known has 0."""
