"""The golden random tables of the confidential cells: taxonomies, cases, and what the methods made of them."""

from typing import Any

from tests.conftest import load_golden
from tests.reference.cells_model import Table, Taxonomy, copied
from tests.reference.cells_tree import is_guessed_g

TINY = load_golden("suppress_random_tiny.json")
CASES = [*TINY["cases"], *load_golden("suppress_random_more.json")]
METHODS = list(TINY["cases"][0]["results"])
"""Those of the specification; the second file also has other readings of two of them."""
TAXONOMIES = [Taxonomy(TINY["taxonomy"])] * 3 + [Taxonomy(TINY["class_taxonomy"])]

STILL_GUESSED = {(2, "HID3-G+incp"), (12, "HID3-G+dropp"), (16, "HID3-G+decp"), (16, "HID3-G+incp")}
"""Tables (by seed) and hybrids whose output in the files is guessed by a tree: who ends otherwise does better.

Of these the first one by a tree that leaves out the rows whose class INCP-G generalised.
"""


def released(case: Any, name: str) -> Table:
    """The table as the method called ``name`` released it, by the files."""
    table = copied(case["D"])
    for row, column, value in case["results"][name]["changed"]:
        table[row][column] = value
    return table


def is_guessed(case: Any, table: Table) -> bool:
    """Whether a tree of the generalising methods guesses the confidential cell of a released table."""
    return is_guessed_g(table, case["i"], case["j"], case["predictors"], TAXONOMIES, case["D"][case["i"]][case["j"]])
