"""A bag of words: what the words of released texts tell of a class, by exact counts.

The words of a row are the different ones in all its texts, in small letters, whatever their order. A class v has the
probability n(v)/n times (n(v,w) + 1) / (n(v) + 2) for each word w of the row that some other row with a known class has
too; n(v,w) counts the rows of the class with the word. A hidden text has no words, a group those of its label.

Exact: whole numbers decide which candidate is best.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.adversary.base import Guesses, guess_in_parts
from discreet.adversary.products import Products
from discreet.adversary.view import UNKNOWN, Lines, Seen, Tree, View
from discreet.encoded import Ints

_WORD = re.compile(r"\w+")
_FEW_WORDS = 3
_REPEATED = 4


def words_of(text: str | None) -> frozenset[str]:
    """Return the different words of a text.

    >>> sorted(words_of("Fell from the ladder; the ladder broke."))
    ['broke', 'fell', 'from', 'ladder', 'the']
    """
    return frozenset(_WORD.findall((text or "").casefold()))


def is_free_text(texts: Iterable[str | None], rows: int) -> bool:
    """Whether the different texts of a column look as if people had written them.

    Half of them have three words or more, parted by blanks, and one text stands in four rows at most on average.
    """
    known = [text for text in texts if text]
    long = sum(len(text.split()) >= _FEW_WORDS for text in known)
    return bool(known) and 2 * long >= len(known) and _REPEATED * len(known) >= rows


@dataclass(frozen=True)
class WordsGuesser:
    """Naive Bayes over the words of the predictors that are free text; of all predictors where none is.

    Which are is said by the rows that train: of a row whose class is not told nothing is learned.
    """

    name: str = "bag_of_words"

    def train(self, view: View) -> TrainedWords:
        """Learn from the rows of a release."""
        texts = tuple(place for place, seen in enumerate(view.predictors) if has_words(seen, view.training))
        return TrainedWords(view, texts or tuple(range(len(view.predictors))))


def has_words(seen: Seen, rows: Ints | None = None) -> bool:
    """Whether a released column is free text, by some of its rows; by all when absent."""
    nodes = seen.nodes if rows is None else seen.nodes[rows]
    told = nodes[nodes != UNKNOWN]
    used = set(np.unique(told).tolist())
    return is_free_text((text for text, node in seen.tree.node_of.items() if node in used), len(told))


@dataclass(frozen=True)
class TrainedWords:
    """A bag of words beside the rows that it counts."""

    view: View
    texts: tuple[int, ...]
    """The predictors whose words count."""

    def guess(self, lines: Lines) -> Guesses:
        """Return what the cells with these lines are taken for."""
        domain = self.view.classes.tree.domain
        return guess_in_parts(self._guess, lines, domain, len(domain) * (1 + self._longest))

    @cached_property
    def _longest(self) -> int:
        """How many words a row has at most."""
        return sum(
            max(len(self._words[text, node]) for node in range(len(self._tree(text).parent))) for text in self.texts
        )

    def _tree(self, text: int) -> Tree:
        return self.view.predictors[text].tree

    def _guess(self, lines: Lines) -> Guesses:
        tree = self.view.classes.tree
        bags = [self._bag(line) for line in lines.nodes[:, list(self.texts)].tolist()]
        among = tree.covers(lines.levels)
        products = Products(*among.shape)
        rows = np.bincount(self.view.training_classes, minlength=len(tree.domain)).astype(np.int64)
        products.times(rows, max(1, len(self.view.training)))
        asked = np.unique(np.array([word for bag in bags for word in bag], dtype=np.int64))
        counts = self._with_word(asked)
        for step in range(max(map(len, bags), default=0)):
            word = np.array([bag[step] if step < len(bag) else -1 for bag in bags], dtype=np.int64)
            told = counts[np.minimum(np.searchsorted(asked, word), len(asked) - 1)]
            counted = (word >= 0)[:, None] & (told.sum(axis=1, keepdims=True) > 0)
            products.times(np.where(counted, told + 1, 1), np.where(counted, rows + 2, 1))
        return products.guesses(tree.domain, among)

    def _with_word(self, asked: Ints) -> Ints:
        """Count training rows by class that have each of some words."""
        values = len(self.view.classes.tree.domain)
        rows, words = self._pairs
        place = np.minimum(np.searchsorted(asked, words), max(len(asked) - 1, 0))
        hit = asked[place] == words if len(asked) else np.zeros(len(words), dtype=np.bool_)
        flat = place[hit] * values + self.view.training_classes[rows[hit]]
        return np.bincount(flat, minlength=max(len(asked), 1) * values).reshape(-1, values).astype(np.int64)

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        """Training rows beside the words that they have, each pair once."""
        rows, words = [], []
        for text in self.texts:
            nodes, which = np.unique(self.view.predictors[text].nodes[self.view.training], return_inverse=True)
            bags = [self._words[text, node] for node in nodes.tolist()]
            sizes = np.array([len(bag) for bag in bags], dtype=np.int64)
            number = sizes[which.reshape(-1)]
            starts = np.append(0, np.cumsum(sizes))[which.reshape(-1)]
            ends = np.append(0, np.cumsum(number))
            rows.append(np.repeat(np.arange(len(self.view.training)), number))
            inside = np.arange(ends[-1]) - np.repeat(ends[:-1], number) + np.repeat(starts, number)
            words.append(np.array([word for bag in bags for word in bag], dtype=np.int64)[inside])
        if not rows:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        pairs = np.unique(np.column_stack([np.concatenate(rows), np.concatenate(words)]), axis=0)
        return pairs[:, 0], pairs[:, 1]

    @cached_property
    def _words(self) -> dict[tuple[int, int], list[int]]:
        """The words (as numbers) that each node of each text stands for."""
        numbers: dict[str, int] = {}
        found: dict[tuple[int, int], list[int]] = {}
        for text in self.texts:
            tree = self._tree(text)
            found.update({(text, node): [] for node in range(len(tree.parent))})
            for label, node in tree.node_of.items():
                if node != UNKNOWN:
                    mine = {numbers.setdefault(word, len(numbers)) for word in sorted(words_of(label))}
                    found[text, node] = sorted({*found[text, node], *mine})
        return found

    def _bag(self, nodes: list[int]) -> list[int]:
        return sorted({word for text, node in zip(self.texts, nodes, strict=True) for word in self._words[text, node]})
