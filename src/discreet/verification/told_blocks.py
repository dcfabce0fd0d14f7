"""Released blocks read: sets of values, of intervals, and what a value is not; by code of verification alone.

`{cook, nurse}` is one of them, `not {clerk}` anything but that, `{"[20, 30)", >=60}` a number in one of two intervals,
`[20, 30)` one in that interval. A group of the taxonomy is read where all groups are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from discreet.policy.columns import Column
from discreet.verification.set_texts import set_members
from discreet.verification.stretches import StretchReader, label_reader, written_reader
from discreet.verification.value_texts import DateTexts, NumberTexts, TextKind, kind_of

Text = str | None
NOT = "not "


class ToldBlocks:
    """What the blocks of one column cover."""

    def __init__(self, column: Column | None, originals: Collection[Text], unknown: Collection[Text]) -> None:
        """Take the texts of the original: what is one of them is read as itself."""
        self.originals, self.unknown = frozenset(originals), {None, *unknown}
        self.readers: list[tuple[TextKind, StretchReader]] = []
        if column is not None and column.type in ("number", "date"):
            kind = kind_of(column)
            self.readers = [(kind, label_reader(column, kind) if column.labels is not None else written_reader(kind))]
        elif column is None or column.taxonomy is None:
            kinds: Sequence[TextKind] = (NumberTexts(), NumberTexts(comma=True), DateTexts(None, None))
            self.readers = [(kind, written_reader(kind)) for kind in kinds]
        self.members = cache(self._members)

    def _members(self, text: Text) -> tuple[bool, frozenset[Text]] | None:
        """Return whether a block is what a value is not, and the items that it names; None where it is no block."""
        if text is None or text in self.originals:
            return None
        negative = text.startswith(NOT + "{")
        items = set_members(text[len(NOT) :] if negative else text, least=1)
        if items:
            return negative, items
        interval = any(kind.single(text) is None and reader(text) for kind, reader in self.readers)
        return (False, frozenset([text])) if interval else None

    def covers(self, original: Text, text: Text) -> bool:
        """Whether a released text is a block that the original is in."""
        found = self.members(text)
        if found is None:
            return False
        negative, items = found
        return self._named(original, items) is not negative

    def _named(self, original: Text, items: frozenset[Text]) -> bool:
        if original in self.unknown:
            return None in items
        if original in items:
            return True
        for kind, reader in self.readers:
            value = kind.value(original or "")
            if value is not None and any(
                value in stretch
                for item in items
                if item is not None and item not in self.originals
                for stretch in reader(item)
            ):
                return True
        return False

    def several(self, text: Text) -> bool:
        """Whether a text is a block."""
        return self.members(text) is not None


def block_text(
    elements: Sequence[object],
    block: Collection[int],
    missing: object,
    other: object,
    cuts: Sequence[str] | None,
    kind: tuple[str, str] | None,
    parents: Mapping[str, str] | None,
) -> str:
    """Return how a block must be written, from what a method statement says of the column.

    Parameters
    ----------
    elements
        Those of the column in order: texts, numbers of classes, `missing` and `other`.
    block
        The places of those that are in the block.
    cuts, kind
        Where classes begin, as they are written; what stands between two ends, and where all numbers are parted.
    parents
        The label above each of a taxonomy.
    """
    chosen = [elements[place] for place in sorted(block)]
    negative = other in chosen
    listed = [each for each in elements if (each in chosen) is not negative and each is not other]
    if not negative and (node := _node(chosen, elements, parents or {})):
        return node
    items = _written(listed, missing, cuts or (), kind or ("", ""))
    if cuts is not None and not negative and len(items) == 1 and missing not in listed:
        return items[0]
    return (NOT if negative else "") + "{" + ", ".join(map(_quoted, items)) + "}"


_NOTHING = "\0missing"


def _written(listed: Sequence[object], missing: object, cuts: Sequence[str], kind: tuple[str, str]) -> list[str]:
    link, middle = kind
    numbers = [each for each in listed if isinstance(each, int)]
    starts = [each for each in numbers if each - 1 not in numbers]
    stops = [each for each in numbers if each + 1 not in numbers]
    items = []
    for start, stop in zip(starts, stops, strict=True):
        if start == 0 and stop == len(cuts):
            at = cuts[0] if cuts else middle
            items += [f"<{at}", f">={at}"]
        elif start == 0:
            items.append(f"<{cuts[stop]}")
        elif stop == len(cuts):
            items.append(f">={cuts[start - 1]}")
        else:
            items.append(f"[{cuts[start - 1]}{link}{cuts[stop]})")
    items += [each for each in listed if isinstance(each, str)]
    return items + ([_NOTHING] if missing in listed else [])


def _quoted(item: str) -> str:
    if item == _NOTHING:
        return ""
    bare = item and item == item.strip() and not any(sign in item for sign in ',{}"')
    return item if bare else '"' + item.replace('"', '""') + '"'


def _node(chosen: Sequence[object], elements: Sequence[object], parents: Mapping[str, str]) -> str | None:
    """Return the lowest label, of no row of the rest, under which lies the block, all of it and nothing else."""

    def above(label: str) -> list[str]:
        path: list[str] = []
        while label in parents and len(path) <= len(parents):
            label = parents[label]
            path.append(label)
        return path

    inner = set(parents.values())
    paths = {label: above(label) for label in {*parents, *inner}}
    fitting = []
    for label in inner:
        under = {each for each, path in paths.items() if label in path}
        alone = {each for each in elements if each in under} == set(chosen) and under - inner <= set(elements)
        if alone and label in parents and label not in elements:
            fitting.append(label)
    return max(fitting, key=lambda label: (len(paths[label]), label), default=None)
