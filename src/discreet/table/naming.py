"""Names of the columns of a release that has no line with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.table.formats.place import Place


def names_of_release(path: Place, options: FileOptions, left_out: Sequence[str]) -> Callable[[int], list[str]]:
    """Return what names so many columns of a release as those of its original, without those that are left out."""

    def names(width: int) -> list[str]:
        if isinstance(options.header, tuple):
            all_names = list(options.header)
        else:
            all_names = [f"column_{place}" for place in range(1, width + len(left_out) + 1)]
        kept = [name for name in all_names if name not in left_out]
        if width not in (len(all_names), len(kept)):
            raise InputError(f"{path}: has {width} columns, expected {len(kept)} (as in `header`, without identifiers)")
        return kept if width == len(kept) else all_names

    return names
