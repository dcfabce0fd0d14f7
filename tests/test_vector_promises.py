"""Promises about vectors of counts from end to end: every search and engine, counted by the definitions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import discreet as d
from discreet.method.base.limits import lines_of
from discreet.method.base.vector_kernels import ENTROPY
from discreet.method.base.vector_kernels import broken as kernel_breaks
from discreet.planning.limits import limit_of
from discreet.policy.requirements.seen import SeenColumn
from tests import vector_promises as slow
from tests.profiles import FEW
from tests.spark import GROUP, from_spark, to_spark
from tests.table.engines import LARGE, frame_of

GLOBAL = ["disclosure", "coordinate", "genetic", "exact"]
SEARCHES = [*GLOBAL, "local"]
ILLS = ["low", "mid", "high", "top"]
ITEMS: list[dict[str, Any]] = [
    {"infer": {"ill": {"any": True}}, "at_most": "1/2"},
    {"infer": {"ill": {"any_but": ["low"]}}, "at_most": "2/5"},
    {"infer": {"ill": {"not": "low"}}, "at_most": "3/4"},
    {"infer": {"pay": {"within": 10}}, "at_most": "2/3"},
    {"infer": {"ill": "low"}, "at_most": "1.5x"},
    {"infer": {"ill": {"any": True}}, "at_most": "2x"},
    {"infer": {"ill": {"not": "low"}}, "at_most": "5/4x"},
    {"infer": {"pay": {"within": 10}}, "at_most": "3/2x"},
    {"l": 2, "of": "ill", "kind": "entropy"},
    {"l": "1.75", "of": "ill", "kind": "entropy"},
    {"l": 2, "of": "ill", "kind": "recursive", "c": 2},
    {"l": 3, "of": "ill", "kind": "recursive", "c": "3/2"},
    {"t": "1/3", "of": "ill", "distance": "equal"},
    {"t": "1/4", "of": "ill", "distance": "ordered", "order": slow.ORDER},
    {"t": "1/4", "of": "ill", "distance": "tree"},
]


def knows(item: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    return {**item, ("given" if "infer" in item else "over"): list(columns)}


@st.composite
def jobs(draw: st.DrawFn, search: str) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table and a policy with one or two of the promises, perhaps beside k."""
    holes = draw(st.booleans())
    cells = {
        "job": st.sampled_from("pqr"),
        "town": st.sampled_from(["oslo", "rome", "bari"]),
        "age": st.sampled_from(["1", "2", "8", "13"]),
        "ill": st.sampled_from([*ILLS[: draw(st.integers(1, 4))], *(["?"] if holes else [])]),
        "pay": st.sampled_from(["5", "10", "15", "40", "41", *(["?"] if holes else [])]),
    }
    rows = draw(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=14))
    rows.append({"job": "p", "town": "oslo", "age": "1", "ill": "low", "pay": "5"})  # what is named is there
    some = draw(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=2, unique_by=str))
    known = st.lists(st.sampled_from(["job", "town", "age"]), min_size=1, max_size=3, unique=True)
    protect = [knows(item, draw(known)) for item in some]
    if draw(st.booleans()):
        protect.append({"k": 2, "over": draw(known)})
    columns: dict[str, Any] = {}
    if any("within" in str(item) for item in some):
        columns["pay"] = {"type": "number"}
    if any(item.get("distance") == "tree" for item in some):
        columns["ill"] = {"taxonomy": slow.TREE}
    if any("age" in slow.known_of(item) for item in protect) and draw(st.booleans()):
        columns["age"] = {"type": "number"}
    policy: dict[str, Any] = {"protect": protect, "columns": columns}
    if holes:
        policy["missing"] = {"values": ["?"], "rows": "unknown"}
    policy |= {"recoding": "local"} if search == "local" else {"search": search}
    if search == "genetic":
        policy["genetic"] = {"population": 10, "iterations": 30}
    if search != "disclosure":
        policy["suppress"] = {"rows": draw(st.sampled_from(["mask", "remove"]))}
    if search in ("coordinate", "genetic") and draw(st.integers(0, 3)) == 0:
        policy["search_on"] = "60%"
    return pl.DataFrame(rows, schema=dict.fromkeys(cells, pl.String)), policy


def released(table: pl.DataFrame, said: dict[str, Any], engine: str = "local", time_limit: float | None = None) -> None:
    """Protect: what comes out keeps everything by the definitions, what is refused cannot be kept with all hidden."""
    policy = d.Policy.from_dict(said)
    silent: set[str | None] = {"*", *(["?"] if "missing" in said else [])}
    known = sorted({name for item in said["protect"] for name in slow.known_of(item)})
    hidden = [{**row, **dict.fromkeys(known, "*")} for row in table.to_dicts()]
    impossible = slow.broken(hidden, said["protect"], silent)
    given = to_spark(table) if engine == "spark" else table
    try:
        release = d.protect(given, policy, engine=engine, time_limit=time_limit)
    except d.PromiseError as error:
        removes = said.get("suppress", {}).get("rows") == "remove"
        assert impossible or removes or (said.get("recoding") and isinstance(error, d.TooManySuppressed)), error
        assert not isinstance(error, d.BrokenPromise), error
        return
    found = from_spark(release.table) if engine == "spark" else frame_of(release.table)
    assert not slow.broken(found.to_dicts(), said["protect"], silent)
    assert d.verify(release.table, policy, original=None if engine == "spark" else table).holds
    assert release.audit.to_json()


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES)
@given(st.data())
def test_every_release_of_every_search_keeps_them(search: str, data: st.DataObject) -> None:
    released(*data.draw(jobs(search)))


@pytest.mark.parametrize("search", SEARCHES)
@FEW
@given(st.data())
def test_a_search_that_is_stopped_at_once_keeps_them_too(search: str, data: st.DataObject) -> None:
    released(*data.draw(jobs(search)), time_limit=0)


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@FEW
@given(st.data())
def test_every_release_of_every_engine_keeps_them(engine: str, data: st.DataObject) -> None:
    released(*data.draw(jobs(data.draw(st.sampled_from(GLOBAL)))), engine)


@GROUP
@FEW
@given(st.data())
def test_every_release_of_spark_keeps_them(data: st.DataObject) -> None:
    released(*data.draw(jobs(data.draw(st.sampled_from(GLOBAL)))), "spark")


@given(
    st.lists(
        st.fixed_dictionaries({
            "job": st.sampled_from(["p", "q", "*"]),
            "ill": st.sampled_from([*ILLS, "*", "?"]),
            "pay": st.sampled_from(["5", "10", "15", "40", "*", "?"]),
        }),
        max_size=12,
    ),
    st.sampled_from(ITEMS),
    st.booleans(),
)  # fmt: skip
def test_verification_counts_by_the_definitions(
    rows: list[dict[str, str]], item: dict[str, Any], unknown: bool
) -> None:
    item = knows(item, ["job"])
    if not unknown:
        rows = [row for row in rows if "?" not in row.values()]
    said: dict[str, Any] = {"protect": [item]}
    if unknown:
        said["missing"] = {"values": ["?"], "rows": "unknown"}
    if "pay" in str(item):
        said["columns"] = {"pay": {"type": "number"}}
    if item.get("distance") == "tree":
        said["columns"] = {"ill": {"taxonomy": slow.TREE}}
    table = pl.DataFrame(rows, schema=dict.fromkeys(("job", "ill", "pay"), pl.String))
    (finding,) = d.verify(table, d.Policy.from_dict(said)).requirements
    expected = not slow.broken(rows, [item], {"*", "?"})
    assert finding.answer in (("holds", "not checkable") if expected else ("broken",))
    assert json.dumps(finding.to_dict())


# The compiled loops, and merging

COUNTS = st.lists(st.integers(0, 12), min_size=4, max_size=4)
OF = {"ill": ILLS, "pay": ["5", "10", "15", "40"]}


def counted(item: dict[str, Any], group: Sequence[int], other: Sequence[int]) -> tuple[bool, bool]:
    """Whether a group keeps an item by the definition; and whether it breaks it as the compiled loops say."""
    column = slow.column_of(item) or ""
    values = OF[column]
    cells = [value for value, count in zip(values, group, strict=True) for _ in range(count)]
    everyone = cells + [value for value, count in zip(values, other, strict=True) for _ in range(count)]
    q = Counter(everyone)
    said: dict[str, Any] = {"protect": [knows(item, ["job"])]}
    if column == "pay":
        said["columns"] = {"pay": {"type": "number"}}
    if item.get("distance") == "tree":
        said["columns"] = {"ill": {"taxonomy": slow.TREE}}
    policy = d.Policy.from_dict(said)
    present = [value for value in values if q[value]]
    counts = tuple(q[value] for value in present)
    seen = SeenColumn(tuple(present), counts, len(everyone), policy.column(column))
    (promise,) = policy.promises(lambda _: seen)
    marks = promise.marks(present, np.ones(len(present), dtype=np.bool_))
    tallies = marks.astype(np.int64) @ np.array([Counter(cells)[value] for value in present], dtype=np.int64)
    limit = limit_of(promise, 0, 0, len(tallies))
    lines = lines_of([limit], max(len(everyone), 1))
    kept = slow.keeps(item, cells, everyone, set())
    rows = np.array([len(cells)])
    (figure,) = limit.figures(rows, tallies.reshape(-1, 1))
    assert (figure <= promise.at_most) == kept  # what Python says of the same counts
    assert (promise.lacking(rows, tallies.reshape(-1, 1), 1000)[0] == 0) == kept
    compiled = kernel_breaks(len(cells), tallies, lines, 0) if promise.measure != "share" else not kept
    return kept, bool(compiled)


@pytest.mark.parametrize("item", ITEMS, ids=str)
@given(COUNTS, COUNTS)
@example([1, 1, 0, 0], [1, 1, 0, 0])
@example([3, 3, 0, 0], [0, 0, 0, 0])
@example([4, 2, 2, 0], [9, 9, 9, 9])
def test_the_loops_decide_by_the_definitions(item: dict[str, Any], group: list[int], other: list[int]) -> None:
    if not sum(group) or not group[0]:
        return
    kept, compiled = counted(item, group, other)
    assert compiled is not kept


@pytest.mark.parametrize("item", ITEMS, ids=str)
@given(COUNTS, COUNTS, COUNTS, st.tuples(*[st.integers(0, 3)] * 3))
def test_two_groups_that_keep_it_keep_it_together(
    item: dict[str, Any], one: list[int], two: list[int], rest: list[int], hidden: tuple[int, int, int]
) -> None:
    """Safe under merging: the reference, which both are compared with, is the same before and after."""
    values = OF[slow.column_of(item) or ""]
    groups = [
        [*(value for value, count in zip(values, counts, strict=True) for _ in range(count)), *["?"] * many]
        for counts, many in zip((one, two, rest), hidden, strict=True)
    ]
    everyone = [cell for cells in groups for cell in cells]
    kept = [slow.keeps(item, cells, everyone, {"?"}) for cells in (groups[0], groups[1], groups[0] + groups[1])]
    assert kept[2] or not (kept[0] and kept[1])


@pytest.mark.slow
def test_exact_at_the_threshold_of_large_groups() -> None:
    """Equal counts are a tie for entropy, however many rows; one row less on one side breaks it."""
    from discreet.policy.requirements.entropy_diversity import keeps_entropy
    from discreet.verification.distances import _uncertain

    for rows in (1, 7, 1000, 123_456):
        even, uneven = [rows] * 3, [rows + 1, rows, rows]
        for keeps in (keeps_entropy, _uncertain):
            assert keeps(even, Fraction(3))
            assert not keeps(uneven, Fraction(3))
        line = np.array([[1, 1, ENTROPY, 0, 3, 3, 1]])
        assert not kernel_breaks(3 * rows, np.array(even), line, 0)
        assert kernel_breaks(3 * rows + 1, np.array(uneven), line, 0)


@pytest.mark.parametrize("at_most", ["50%", "2x"])
def test_values_above_others_are_refused_where_any_value_is_counted(at_most: str) -> None:
    """Who is said to have a lung disease may have the flu: the one cannot be counted beside the other."""
    table = pl.DataFrame({"job": list("ppqqpq"), "ill": ["flu", "cold", "lung", "flu", "cold", "lung"]})
    column = d.Column(taxonomy={"ill": {"lung": ["flu", "cold"], "other": ["hiv"]}})
    template = d.Template(given=["job"], infer={"ill": d.Any()}, at_most=at_most)
    with pytest.raises(d.PolicyError, match="1 of the 3 different values of 'ill' have others below them") as error:
        d.protect(table, d.Policy(protect=[template], columns={"ill": column}))
    assert "lung" not in str(error.value)
