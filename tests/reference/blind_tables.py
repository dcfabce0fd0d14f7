"""Small random tables with confidential cells, for blind protection and its slow version."""

from fractions import Fraction

from hypothesis import strategies as st

from tests.reference.blind import BlindTable, Item

AT_MOST = (Fraction(1, 2), Fraction(2, 5), Fraction(7, 10))
MARGINS = (Fraction(1, 20), Fraction(1, 10), Fraction(0), Fraction(1, 5))
MISSING = "?"
TOLD_AS_SETS = BlindTable(
    ("a", "b", "c", "d"),
    (*[("x", "x", "x", "x")] * 6, ("x", "y", "y", "x"), ("y", "y", "x", "x")),
    (Item("a", (0,)), Item("a", (0, 1))),
    blocks="told",
)
"""Two rows, the first asked for by two items, that are released as a set, as what it is not, and as a value."""


@st.composite
def tables(draw: st.DrawFn, most_rows: int = 14, plain: bool = False) -> BlindTable:
    """Draw a table; `plain`: of categories only, with one item, by blocks."""
    number = draw(st.integers(6, most_rows))
    columns = draw(st.integers(2, 4))
    names = tuple("abcd"[:columns])
    texts = [
        draw(st.sampled_from((("x", "y"), ("x", "y", "z"), ("x", "y", "*"), ("x", MISSING), tuple("stuvwxyz"))))
        for _ in names
    ]
    numbers: tuple[str, ...] = ()
    trees: dict[str, dict[str, str]] = {}
    if not plain and draw(st.booleans()):
        numbers, texts[0] = ("a",), draw(st.sampled_from((("1", "2.5", "-3", "10", MISSING), ("1", "2", "none"))))
    if not plain and columns > 2 and draw(st.booleans()):
        trees, texts[1] = {"b": {"x": "u", "y": "u", "u": "w", "z": "w"}}, ("x", "y", "z", "u")
    drawn = [tuple(draw(st.sampled_from(own)) for own in texts) for _ in range(number)]
    if draw(st.booleans()):  # the last column follows the first
        drawn = [(*row[:-1], texts[-1][texts[0].index(row[0]) % len(texts[-1])]) for row in drawn]
    places = st.lists(st.integers(0, number - 1), min_size=1, max_size=2 if plain else 3, unique=True)
    items = []
    for column in [names[-1]] if plain else draw(st.lists(st.sampled_from(names), min_size=1, max_size=2)):
        others = tuple(name for name in names if name != column)
        asked = (
            None if plain else draw(st.none() | st.lists(st.sampled_from(others), min_size=1, unique=True).map(tuple))
        )
        known = () if plain or not draw(st.booleans()) else tuple((others if asked is None else asked)[:1])
        rows = tuple(sorted(draw(places)))
        items.append(Item(column, rows, draw(st.sampled_from(AT_MOST)), draw(st.sampled_from(MARGINS)), asked, known))
    references = [("naive_bayes", "count")] if plain else [
        ("naive_bayes", "count"), ("count", "naive_bayes"), ("count",), ("naive_bayes",),
        ("kernel",), ("kernel", "naive_bayes"), ("naive_bayes", "count", "kernel"),
    ]  # fmt: skip
    return BlindTable(
        names,
        tuple(drawn),
        tuple(items),
        "starred" if plain else draw(st.sampled_from(("starred", "told", "none"))),
        draw(st.sampled_from(references)),
        () if plain else tuple(draw(st.lists(st.sampled_from(names), max_size=2, unique=True))),
        numbers,
        trees,
        (MISSING,) if draw(st.booleans()) or numbers else (),
        grows=not plain and draw(st.integers(0, 3)) == 0,
    )
