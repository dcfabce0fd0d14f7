"""Each promise and the attack that it stops: it succeeds on the table as it is, and not on what is released.

The attackers count by hand, on texts alone; they know nothing of discreet.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import polars as pl
import pytest

import discreet as d

Rows = list[dict[str, str]]
ILL = ["flu", "cold", "ulcer", "hiv"]
PEOPLE: Rows = [
    {
        "who": f"p{at // 2}",
        "age": str(20 + 5 * (at // 6)),
        "town": ["oslo", "turku", "rome", "bari"][at // 12],
        "job": "abcd"[at % 4 if at > 30 else 0],
        "ill": ILL[(at // 6) % 4] if at < 24 else ILL[at % 4],
        "pay": str(100 * (at // 6) + at % 3) if at < 24 else str(137 * (at % 7)),
    }
    for at in range(48)
]
REGISTER: Rows = [*PEOPLE, *({**row, "who": "other"} for row in PEOPLE[24:] for _ in range(2))]


def groups(rows: Rows, known: Sequence[str]) -> dict[tuple[str, ...], Rows]:
    found: dict[tuple[str, ...], Rows] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in known)].append(row)
    return found


def worst(figure: Callable[[Rows], float], *known: str) -> Callable[[Rows], float]:
    """The attacker looks for the group in which he learns most."""
    return lambda rows: max(figure(group) for group in groups(rows, known or ("age", "town")).values())


def surest(group: Rows, spared: Sequence[str] = ()) -> float:
    counts = Counter(row["ill"] for row in group if row["ill"] not in spared)
    return max(counts.values(), default=0) / len(group)


def nearly(group: Rows, width: float = 10) -> float:
    """The largest share of a group whose pay lies within so much."""
    pays = [float(row["pay"]) for row in group]
    return max(sum(low <= pay <= low + width for pay in pays) for low in pays) / len(pays)


def times(rows: Rows) -> float:
    usual = Counter(row["ill"] for row in rows)
    return max(
        (count / len(group)) / (usual[ill] / len(rows))
        for group in groups(rows, ("age", "town")).values()
        for ill, count in Counter(row["ill"] for row in group).items()
    )


def far(rows: Rows) -> float:
    usual = Counter(row["ill"] for row in rows)
    return max(
        sum(abs(Counter(row["ill"] for row in group)[ill] / len(group) - usual[ill] / len(rows)) for ill in usual) / 2
        for group in groups(rows, ("age", "town")).values()
    )


def uncertain(group: Rows) -> float:
    shares = [count / len(group) for count in Counter(row["ill"] for row in group).values()]
    return 1 / math.exp(-sum(share * math.log(share) for share in shares))


def commonest(group: Rows) -> float:
    """The commonest value beside all but the two commonest; infinite where there are but two."""
    first, *rest = sorted(Counter(row["ill"] for row in group).values(), reverse=True)
    return first / sum(rest[1:]) if sum(rest[1:]) else math.inf


def looked_up(rows: Rows) -> float:
    """Any two of three columns are known."""
    pairs = combinations(("age", "town", "job"), 2)
    return max(1 / len(group) for known in pairs for group in groups(rows, known).values())


def persons_found(rows: Rows) -> float:
    """All rows of a person are known."""
    looks = Counter(tuple(sorted((row["age"], row["town"]) for row in own)) for own in groups(rows, ("who",)).values())
    return 1 / min(looks.values())


OVER, GIVEN = {"over": ["age", "town"]}, {"given": ["age", "town"]}
ATTACKS: list[tuple[str, dict[str, Any], Callable[[Rows], float], float]] = [
    ("who", {"k": 7, **OVER}, worst(lambda group: 1 / len(group)), 1 / 7),
    ("one value", {"infer": {"ill": "hiv"}, **GIVEN, "at_most": "40%"},
     worst(lambda group: sum(row["ill"] == "hiv" for row in group) / len(group)), 0.4),
    ("any value", {"infer": {"ill": {"any": True}}, **GIVEN, "at_most": "50%"}, worst(surest), 0.5),
    ("any but", {"infer": {"ill": {"any_but": ["flu"]}}, **GIVEN, "at_most": "50%"},
     worst(lambda group: surest(group, ["flu"])), 0.5),
    ("absence", {"infer": {"ill": {"not": "flu"}}, **GIVEN, "at_most": "90%"},
     worst(lambda group: sum(row["ill"] != "flu" for row in group) / len(group)), 0.9),
    ("nearly known", {"infer": {"pay": {"within": 10}}, **GIVEN, "at_most": "60%"}, worst(nearly), 0.6),
    ("times", {"infer": {"ill": {"any": True}}, **GIVEN, "at_most": "2x"}, times, 2),
    ("l", {"l": 3, "of": "ill", **OVER}, worst(lambda group: 1 / len({row["ill"] for row in group})), 1 / 3),
    ("entropy", {"l": 2, "of": "ill", **OVER, "kind": "entropy"}, worst(uncertain), 1 / 2),
    ("recursive", {"l": 3, "of": "ill", **OVER, "kind": "recursive", "c": 2}, worst(commonest), 2),
    ("t", {"t": "30%", "of": "ill", **OVER}, far, 0.3),
    ("any two", {"k": 4, "over": {"any": 2, "of": ["age", "town", "job"]}}, looked_up, 1 / 4),
]  # fmt: skip


def told(release: d.Release) -> Rows:
    """A release with whose rows they are, which only its owner knows."""
    lines = list(release.table.iter_rows(named=True))  # type: ignore[attr-defined]
    return [{**row, **line} for row, line in zip(PEOPLE, lines, strict=True)]


@pytest.mark.parametrize(("item", "attack", "limit"), [one[1:] for one in ATTACKS], ids=[one[0] for one in ATTACKS])
@pytest.mark.parametrize("search", ["disclosure", "coordinate", "local"])
def test_the_attack_that_it_stops(
    item: dict[str, Any], attack: Callable[[Rows], float], limit: float, search: str
) -> None:
    how = {"recoding": "local"} if search == "local" else {"search": search}
    columns = {"who": {"role": "identifier"}, **({"pay": {"type": "number"}} if "pay" in str(item) else {})}
    policy = d.Policy.from_dict({"protect": [item], "columns": columns, **how})
    assert attack(PEOPLE) > limit + 1e-9
    assert attack(told(d.protect(pl.DataFrame(PEOPLE), policy, seed=1))) <= limit + 1e-9


def test_who_knows_all_rows_of_a_person() -> None:
    policy = d.Policy.from_dict({"protect": [{"k": 4, "over": ["age", "town"]}], "unit": "who"})
    assert persons_found(PEOPLE) > 1 / 4
    assert persons_found(told(d.protect(pl.DataFrame(PEOPLE), policy, seed=1))) <= 1 / 4


@pytest.mark.parametrize(
    ("item", "limit"),
    [({"k": 9, **OVER}, 1 / 9), ({"infer": "membership", **GIVEN, "at_most": "70%"}, 0.7)],
    ids=["k-map", "membership"],
)
def test_who_has_a_list_of_everybody(item: dict[str, Any], limit: float) -> None:
    """He looks up whom a row is about, or whether somebody is there, by what the recodings make of his list."""
    people = pl.DataFrame(REGISTER).select("age", "town")
    policy = d.Policy(
        protect=[d.Membership(["age", "town"], people, "70%") if "infer" in item else
                 d.KAnonymity(k=9, over=["age", "town"], among=people)],
        columns={"who": d.Column(role="identifier")},
    )  # fmt: skip

    def learned(rows: Rows, register: Rows) -> float:
        listed = groups(register, ("age", "town"))
        sizes = {look: len(own) for look, own in groups(rows, ("age", "town")).items()}
        return max((size if "infer" in item else 1) / len(listed[look]) for look, size in sizes.items())

    assert learned(PEOPLE, REGISTER) > limit
    assert policy.method == "coordinate"
    rows = told(d.protect(pl.DataFrame(PEOPLE), policy.model_copy(update={"search": "disclosure"}), seed=1))
    texts = {(name, was[name]): row[name] for was, row in zip(PEOPLE, rows, strict=True) for name in ("age", "town")}
    recoded = [{**row, **{name: texts[name, row[name]] for name in ("age", "town")}} for row in REGISTER]
    assert learned(rows, recoded) <= limit + 1e-9
