"""Confidential cells of random releases, guessed again by the slow references: no code of the product looks at them.

What comes out must not be guessed from the texts that are released of the row. With `knows: original` it is promised of
other texts that cover it, too: these are left to verification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

from hypothesis import strategies as st

from tests.reference import cells_any_tree as trees
from tests.reference.cells_model import Taxonomy
from tests.reference.cells_tree import classify, id3
from tests.reference.learners import bag_of_words, network

Row = Mapping[str, str | None]
EXACT = ["id3", "c45", "bayesian_network", "bag_of_words"]
"""Adversaries that the references know."""
LIBRARY = ["decision_tree", "perceptron", "multilayer_perceptron", "winnow"] if find_spec("sklearn") else []


@st.composite
def against(draw: st.DrawFn) -> dict[str, Any]:
    """Naive Bayes by one of its methods; or one or two of the others, who are met by HID3 or the greedy search."""
    if draw(st.booleans()):
        return {"against": ["naive_bayes"], "method": draw(st.sampled_from(["dropp", "decp", "incp"]))}
    names = draw(st.lists(st.sampled_from(EXACT + LIBRARY), min_size=1, max_size=2, unique=True))
    return {"against": names, **draw(st.sampled_from([{}, {}, {"strict": True}, {"method": "greedy"}]))}


def guessed(
    item: Mapping[str, Any], rows: Sequence[Row], released: Sequence[Row], recoded: set[str], marker: str = "*"
) -> Iterator[str]:
    """Yield the confidential cells of a requirement that are not hidden, or that an adversary guesses.

    `recoded`: columns whose released texts are values of their own.
    """
    column, predictors = item["column"], list(item.get("predictors", []))
    names = [column, *predictors]
    domains = []
    for name in names:
        texts = {row[name] for row in released} | (set() if name in recoded else {row[name] for row in rows})
        domains.append(sorted(str(text) for text in texts - {marker}))
    table = [[None if row[name] == marker else row[name] for name in names] for row in released]
    flat = [Taxonomy({value: {} for value in domain}) for domain in domains]
    training = [row for row in table if row[0] is not None]
    for place, row in enumerate(rows):
        wanted = place + 1 in item["rows"] if "rows" in item else all(row[n] == v for n, v in item["where"].items())
        if not wanted or row[column] == marker:
            continue
        if table[place][0] is not None:
            yield f"{column} of row {place + 1} is not hidden"
            continue
        for name in item.get("against", []):
            best = _best(name, table, place, training, flat) if name in EXACT else set()
            if row[column] in best if item.get("strict") else best == {row[column]}:
                yield f"{name} guesses {column} of row {place + 1}"


def _best(
    name: str, table: list[list[str | None]], place: int, training: list[list[str | None]], flat: list[Taxonomy]
) -> set[str]:
    """What an adversary takes a hidden cell of the first column for."""
    predictors, domain = range(1, len(flat)), flat[0].domain
    weights: Mapping[str, Fraction]
    if name == "c45":
        return trees.path(trees.c45(table, 0, predictors, flat, None), table[place])[-1].best
    if name == "id3":
        return {classify(id3(table, place, 0, predictors, [one.domain for one in flat]), table[place])}
    if name == "bayesian_network":
        weights = network(table, place, 0, predictors, flat, domain)
    else:
        texts = [at for at in predictors if _is_free_text([row[at] for row in training])]
        weights = bag_of_words(table, place, 0, texts or list(predictors), domain)
    return {value for value in weights if weights[value] == max(weights.values())}


def _is_free_text(texts: Sequence[str | None]) -> bool:
    told = [text for text in texts if text is not None]
    different = set(told) - {""}
    long = [text for text in different if len(text.split()) >= 3]
    return bool(different) and 2 * len(long) >= len(different) and 4 * len(different) >= len(told)
