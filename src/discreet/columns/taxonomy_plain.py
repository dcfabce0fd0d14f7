"""Taxonomies as nested plain data, as in a policy: read into a draft, each value with the groups above it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from discreet.columns.taxonomy_draft import MOST_LEAVES, MOST_LEVELS, TaxonomyDraft, listed, quoted
from discreet.common.values import as_text

MOST_LABELS = 2 * MOST_LEAVES
"""Labels of an inline tree that are read; aliases of aliases could make any number of a small YAML file."""


def draft_of(tree: object) -> TaxonomyDraft:
    """Return the draft of a taxonomy written as nested plain data; see `Taxonomy.from_tree`."""
    if not isinstance(tree, Mapping) or not tree:
        given = type(tree).__name__ if tree is not None and not isinstance(tree, Mapping) else "nothing"
        raise ValueError(f'write one label for all values and the rest under it, as in {{"*": ...}}; given: {given}')
    if len(tree) > 1:
        roots = listed([quoted(str(label)) for label in tree])
        raise ValueError(f"has {len(tree)} roots: {roots}; put them under one most general label, such as *")
    reader = _TreeReader()
    reader.below((), tree)
    return reader.draft


class _TreeReader:
    """Goes through nested plain data and hands each value with its groups to a draft."""

    def __init__(self) -> None:
        self.draft = TaxonomyDraft()
        self._labels = 0

    def below(self, groups: tuple[str, ...], items: Mapping[object, object] | Sequence[object]) -> None:
        """Take in what stands under a label; `groups` are that label and those above it."""
        for key, inner in self._pairs(items):
            label = as_label(key)
            if label:
                self._take((label, *groups), inner)
            else:
                what = "an empty label" if key is None or label == "" else f"a {type(key).__name__} for a label"
                self._mistake(groups, f"has {what} under it; write texts, or mappings with what is under each label")

    def _pairs(self, items: Mapping[object, object] | Sequence[object]) -> Iterator[tuple[object, object]]:
        if isinstance(items, Mapping):
            yield from items.items()
            return
        for item in items:
            if isinstance(item, Mapping) and item:
                yield from item.items()
            else:
                yield item, None

    def _take(self, path: tuple[str, ...], inner: object) -> None:
        self._labels += 1
        # Both limits stop the walk at once: data that contain themselves have no end.
        if len(path) > MOST_LEVELS:
            raise ValueError(f"is too deep, near {quoted(path[0])}; at most {MOST_LEVELS} levels can be")
        if self._labels > MOST_LABELS:
            raise ValueError(f"is too large: it has more than {MOST_LABELS:,} labels")
        if inner is None or (isinstance(inner, str) and not inner):
            self.draft.add(path, None)
        elif not isinstance(inner, (Mapping, list, tuple)):
            self._mistake(path, "has no list; write the values under it as [one, two], or nothing if it is a value")
        elif not inner:
            self._mistake(path, "is an empty group; write the values under it, or nothing if it is a value")
        else:
            self.below(path, inner)

    def _mistake(self, path: tuple[str, ...], message: str) -> None:
        place = f"{quoted(path[0])} " if path else "the tree "
        self.draft.problems.add("mistakes in the tree", None, f"{place}{message}")


def as_label(value: object) -> str | None:
    """Return the text of a label; None if it is nothing or has none."""
    if isinstance(value, str):
        return value
    try:
        text = as_text(value)
    except ValueError:
        return None
    return text if isinstance(text, str) else None
