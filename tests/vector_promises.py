"""Promises about vectors of counts, slow and obvious: each predicate as its definition has it, by whole numbers.

A group is given by its counts of each value, the rows of which nothing is known, and those of the whole release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Value = str | None
Row = Mapping[str, Value]
ORDER = ["low", "mid", "high", "top"]
TREE = {"any": {"l": ["low", "mid"], "h": ["high", "top"]}}
DEPTH = {"low": "l", "mid": "l", "high": "h", "top": "h"}


def times(text: str) -> Fraction:
    return Fraction(text.rstrip("x"))


def any_value(c: Mapping[Value, int], n: int, h: Fraction, but: Sequence[Value] = ()) -> bool:
    return all(c[v] <= h * n for v in c if v not in but)


def windows(c: Mapping[Value, int], n: int, width: int, h: Fraction) -> bool:
    numbers = {int(v): c[v] for v in c if v is not None}
    return all(sum(rows for w, rows in numbers.items() if v <= w <= v + width) <= h * n for v in numbers)


def entropy(c: Mapping[Value, int], least: Fraction) -> bool:
    n = sum(c.values())
    product = least.numerator**n
    for rows in c.values():
        product *= rows**rows
    return bool((least.denominator * n) ** n >= product)


def recursive(c: Mapping[Value, int], least: int, much: Fraction) -> bool:
    counts = sorted(c.values(), reverse=True)
    n = sum(counts)
    return n == 0 or counts[0] * much.denominator + much.numerator * sum(counts[: least - 1]) < much.numerator * n


def closeness(
    c: Mapping[Value, int], q: Mapping[Value, int], t: Fraction, distance: str, all_values: Sequence[str] = ORDER
) -> bool:
    n, total = sum(c.values()), sum(q.values())
    if n == 0:
        return True
    extra = {v: Fraction(c.get(v, 0), n) - Fraction(q[v], total) for v in q}
    if distance == "equal":
        return sum((abs(x) for x in extra.values()), Fraction(0)) <= 2 * t
    if distance == "ordered":
        order = [v for v in all_values if v in q]
        prefixes = [sum((extra[v] for v in order[: i + 1]), Fraction(0)) for i in range(len(order) - 1)]
        return sum((abs(x) for x in prefixes), Fraction(0)) <= t * (len(order) - 1)
    groups = {name: sum((x for v, x in extra.items() if DEPTH[str(v)] == name), Fraction(0)) for name in ("l", "h")}
    # Height of the root 2, of l and h 1, of the leaves 0: every node is one below its parent.
    return sum((abs(x) for x in (*extra.values(), *groups.values())), Fraction(0)) <= 4 * t


def relative(hits: int, known: int, rows: int, usual: int, all_known: int, all_rows: int, x: Fraction) -> bool:
    return hits * all_known <= x * usual * known and hits * all_rows <= x * usual * rows


def keeps(item: Mapping[str, Any], cells: Sequence[Value], everyone: Sequence[Value], silent: set[Value]) -> bool:
    """Whether a group with these cells of the sensitive column keeps an item of `protect`."""
    c, q = (Counter(cell for cell in some if cell not in silent) for some in (cells, everyone))
    n = sum(c.values())
    if "t" in item:
        return closeness(c, q, Fraction(item["t"]), item["distance"], item.get("order", ORDER))
    if "l" in item:
        kind, least = item.get("kind", "distinct"), Fraction(item["l"])
        if kind == "entropy":
            return n == 0 or entropy(c, least)
        if kind == "recursive":
            return recursive(c, int(least), Fraction(item["c"]))
        return n == 0 or len(c) >= least
    if "k" in item:
        return not cells or len(cells) >= item["k"]
    ((_, asked),) = item["infer"].items()
    sets = properties(asked, q)
    if item["at_most"].endswith("x"):
        x, of = times(item["at_most"]), (len(cells), sum(q.values()), len(everyone))
        return all(
            relative(sum(c[v] for v in some), n, of[0], sum(q[v] for v in some), of[1], of[2], x) for some in sets
        )
    return all(sum(c[v] for v in some) <= Fraction(item["at_most"]) * n for some in sets)


def properties(asked: Any, q: Mapping[Value, int]) -> list[list[Value]]:
    """The sets of values that a template is about."""
    if not isinstance(asked, dict):
        return [[asked]]
    if "any" in asked:
        return [[v] for v in q]
    if "any_but" in asked:
        return [[v] for v in q if v not in asked["any_but"]]
    if "not" in asked:
        return [[v for v in q if v != asked["not"]]]
    width = int(str(asked["within"]).split()[0])
    return [[w for w in q if int(str(v)) <= int(str(w)) <= int(str(v)) + width] for v in q]


def known_of(item: Mapping[str, Any]) -> list[str]:
    return list(item.get("over", item.get("given", [])))


def column_of(item: Mapping[str, Any]) -> str | None:
    return item["of"] if "of" in item else next(iter(item["infer"])) if "infer" in item else None


def broken(rows: Sequence[Row], protect: Sequence[Mapping[str, Any]], silent: set[Value]) -> list[Mapping[str, Any]]:
    """The items that some group of a release breaks."""
    found = []
    for item in protect:
        column, known = column_of(item), known_of(item)
        cells: dict[tuple[Value, ...], list[Value]] = {}
        for row in rows:
            cells.setdefault(tuple(row[name] for name in known), []).append(row[column] if column else "x")
        everyone = [cell for some in cells.values() for cell in some]
        if not all(keeps(item, some, everyone, silent) for some in cells.values()):
            found.append(item)
    return found


Predicate = Callable[[Mapping[Value, int]], bool]
