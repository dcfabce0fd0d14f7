"""Who is who: the fast counts are the slow ones; suppressed rows are a group; what is told has no value in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.attack.base import Attack
from discreet.attack.homogeneity import LEFT_OUT, OUTSIDE, look_up_attacks
from discreet.attack.linkage import linkage_attacks
from discreet.compare.scene import Scene
from discreet.table.source import open_table
from discreet.verification.truth import untrue
from tests.reference import linkage as reference

POLICY = d.Policy(
    columns={
        "age": {"type": "number"},
        "city": {"taxonomy": {"any": {"North": ["Oslo", "Turku"], "South": ["Rome", "Bern"]}}},
    },
    missing=d.Missing(values=["?"], rows="unknown"),
    protect=[d.KAnonymity(k=2, over=["age", "city"])],
)
AGES, CITIES, ILLS = ["20", "30", "40", "?"], ["Oslo", "Turku", "Rome", "?"], ["flu", "ok", "pox", "?"]
AGE_TEXTS, CITY_TEXTS, ILL_TEXTS = (
    ["*", "[20-30]", ">=30", *AGES],
    ["*", "any", "North", "South", *CITIES],
    ["*", *ILLS],
)
COLUMNS = ("age", "city", "ill")
Cells = list[tuple[str, str, str]]


def frame(rows: Sequence[Sequence[str | None]], columns: Sequence[str] = COLUMNS) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=dict.fromkeys(columns, pl.String), orient="row")


def scene_of(
    released: pl.DataFrame,
    original: pl.DataFrame,
    policy: d.Policy = POLICY,
    *,
    places: Sequence[int] | None = None,
    control: pl.DataFrame | None = None,
    population: pl.DataFrame | None = None,
    targets: tuple[str, ...] = (),
) -> Scene:
    return Scene(
        open_table(released, policy, released=True),
        open_table(original, policy),
        policy,
        places=None if places is None else np.array(places, dtype=np.int64),
        control=None if control is None else open_table(control, policy),
        population=None if population is None else open_table(population, policy),
        targets=targets,
        seed=1,
    )


def linked(scene: Scene) -> dict[str, Attack]:
    return {attack.name: attack for task in linkage_attacks(scene) for attack in task.run()}


def looked_up(scene: Scene) -> dict[str, Attack]:
    return {attack.name: attack for task in look_up_attacks(scene) for attack in task.run()}


def covers(place: int, text: str | None, value: str | None) -> bool:
    if value == "?" or text in ("*", "?"):
        return True
    column = (POLICY.columns["age"], POLICY.columns["city"])[place]
    return untrue([(value, text)], column, "*", ["?"]) == [False]


@st.composite
def releases(draw: st.DrawFn) -> tuple[Cells, Cells, list[int], Cells]:
    """An original, a release (true or not) of some of its rows in any order, and other people."""
    rows = st.tuples(st.sampled_from(AGES), st.sampled_from(CITIES), st.sampled_from(ILLS))
    original = draw(st.lists(rows, min_size=1, max_size=12))
    places = draw(st.permutations(range(len(original))))[: draw(st.integers(1, len(original)))]
    cells = st.tuples(st.sampled_from(AGE_TEXTS), st.sampled_from(CITY_TEXTS), st.sampled_from(ILL_TEXTS))
    same = draw(st.lists(st.booleans(), min_size=len(places), max_size=len(places)))
    released = [original[place] if kept else draw(cells) for place, kept in zip(places, same, strict=True)]
    return original, released, list(places), draw(st.lists(rows, max_size=6))


@given(releases())
def test_all_links_are_the_plain_ones(made: tuple[Cells, Cells, list[int], Cells]) -> None:
    original, released, places, others = made
    scene = scene_of(frame(released), frame(original), places=places, control=frame(others), population=frame(others))
    found = linked(scene)
    known = [row[:2] for row in released]
    chances = reference.literal(known)
    before = reference.literal([row[:2] for row in original])
    assert found["prosecutor"].released.right == pytest.approx(float(sum(chances)))
    assert found["prosecutor"].original is not None
    assert found["prosecutor"].original.right == pytest.approx(float(sum(before)))
    assert found["marketer"].released.right == len(set(known))
    assert found["uniqueness"].released.right == chances.count(Fraction(1))
    assert found["uniqueness"].original is not None
    assert found["uniqueness"].original.right == before.count(Fraction(1))
    assert found["prosecutor"].figures["largest_probability"] == pytest.approx(float(max(chances)))
    assert found["prosecutor"].figures["rows_above"] == sum(chance > Fraction(1, 2) for chance in chances)
    fit = [reference.compatible(known, original[place][:2], at, covers) for at, place in enumerate(places)]
    assert found["compatible"].released.right == pytest.approx(float(sum(fit)))
    assert found["compatible"].released.tries == len(places)
    one = sum(len(reference.fitting(known, person[:2], covers)) == 1 for person in others)
    assert (found["compatible"].control is None) is (not others)
    assert found["compatible"].control is None or found["compatible"].control.right == one
    people = [person[:2] for person in others]
    sizes = [int(1 / chance) for chance in chances]
    behind = [reference.journalist(row, people, size, covers) for row, size in zip(known, sizes, strict=True)]
    assert found["journalist"].released.right == pytest.approx(float(sum(behind)))


@given(releases())
def test_values_looked_up_are_the_plain_ones(made: tuple[Cells, Cells, list[int], Cells]) -> None:
    original, released, places, _ = made
    scene = scene_of(frame(released), frame(original), places=places, targets=("ill",))
    found = looked_up(scene)
    texts = [row[2] for row in released]
    domain = [value for value in scene.sense("ill").values if value not in (None, "?")]
    means = {**{value: [value] for value in domain}, "*": [], "?": []}
    values = [original[place][2] for place in places]

    def rate(rows_of: list[list[int]]) -> int:
        """How many are right; without a row to go by the commonest of all is taken."""
        prior = reference.commonest(range(len(texts)), texts, lambda text: means.get(text or "", []), domain)
        right = 0
        for rows, true in zip(rows_of, values, strict=True):
            guess = reference.commonest(rows, texts, lambda text: means.get(text or "", []), domain)
            right += true != "?" and (prior if guess is None else guess) == true
        return right

    everybody = range(len(released))
    alike = [[other for other in everybody if released[other][:2] == released[row][:2]] for row in everybody]
    fit = [reference.fitting([row[:2] for row in released], original[place][:2], covers) for place in places]
    assert found["look_up"].released.right == rate(alike)
    assert found["look_up"].released.tries == sum(value != "?" for value in values)
    assert found["look_up"].control is not None
    assert found["look_up"].control.right == rate([[o for o in rows if o != row] for row, rows in enumerate(alike)])
    assert found["look_up"].control_by == LEFT_OUT
    assert found["look_up_compatible"].released.right == rate(fit)
    assert found["look_up_compatible"].control is not None
    assert found["look_up_compatible"].control.right == rate(
        [[o for o in rows if o != r] for r, rows in enumerate(fit)]
    )
    assert found["look_up"].baseline is not None
    assert found["look_up"].baseline.right == rate([list(everybody)] * len(places))
    uniform = [rows for rows in alike if len({texts[row] for row in rows}) == 1 and texts[rows[0]] in domain]
    assert found["look_up"].figures["homogeneous_rows"] == len(uniform)


def test_a_coarse_target_counts_as_all_that_it_may_be() -> None:
    policy = d.Policy(
        columns={"pay": {"type": "number"}, "job": {"type": "category"}},
        protect=[d.KAnonymity(k=2, over=["job", "pay"])],
    )
    original = frame([("a", "10"), ("a", "10"), ("a", "20"), ("a", "30")], ["job", "pay"])
    released = frame([("a", "[10-20]"), ("a", "[10-20]"), ("a", "[10-20]"), ("a", "30")], ["job", "pay"])
    found = looked_up(scene_of(released, original, policy, places=range(4), targets=("pay",)))
    assert found["look_up"].released.right == 2, "10 and 20 have a row and a half each, 30 has one"
    assert found["look_up"].control is not None
    assert found["look_up"].control.right == 2, "without an own row of 10 or 20 there are still 10, 20 and 30, one each"
    assert found["look_up_compatible"].released.right == 2


def test_who_is_outside_is_a_control_of_what_is_looked_up() -> None:
    original = frame([("20", "Oslo", "flu"), ("20", "Oslo", "flu"), ("30", "Rome", "ok")])
    control = frame([("20", "Oslo", "ok"), ("30", "Rome", "ok"), ("30", "Rome", "?"), ("40", "Bern", "flu")])
    found = looked_up(scene_of(original, original, places=range(3), control=control, targets=("ill",)))
    attack = found["look_up_compatible"]
    assert attack.control_by == OUTSIDE
    assert attack.control is not None
    assert (attack.control.right, attack.control.tries) == (2, 3), (
        "of whom nobody knows, the commonest value is guessed"
    )


def test_places_that_are_not_known() -> None:
    original = frame([("20", "Oslo", "flu"), ("30", "Oslo", "ok")])
    released = frame([("[20-30]", "Oslo", "ok"), ("[20-30]", "Oslo", "flu")])
    scene = scene_of(released, original, targets=("ill",))
    assert linked(scene)["compatible"].released.right == 1
    assert any("not known" in note for note in linked(scene)["compatible"].notes)
    found = looked_up(scene)
    assert (found["look_up"].released.right, found["look_up"].released.tries) == (1, 2)
    assert found["look_up_compatible"].control is None


def test_rows_that_do_not_cover_their_own_values_are_told() -> None:
    original = frame([("20", "Oslo", "flu"), ("30", "Rome", "ok")])
    released = frame([("30", "Oslo", "flu"), ("30", "Rome", "ok")])
    attack = linked(scene_of(released, original, places=[0, 1]))["compatible"]
    assert attack.released.right == 1
    assert any(note.startswith("1 row does not cover") for note in attack.notes)


def test_a_population_without_the_columns_is_said() -> None:
    table = frame([("20", "Oslo", "flu")])
    attack = linked(scene_of(table, table, places=[0], population=table.drop("age")))["journalist"]
    assert attack.released.tries == 0
    assert attack.notes


def test_a_population_hides_people() -> None:
    original = frame([("20", "Oslo", "flu"), ("40", "Rome", "ok")])
    released = frame([("[20-30]", "Oslo", "flu"), ("40", "Rome", "ok")])
    people = frame([("20", "Oslo", "-"), ("30", "Oslo", "-"), ("25", "Oslo", "-"), ("30", "Turku", "-")])
    attack = linked(scene_of(released, original, places=[0, 1], population=people))["journalist"]
    assert attack.released.right == pytest.approx(1 / 3 + 1), "three in Oslo; nobody in Rome, so one row alike"
    assert attack.figures["nobody"] == 1
    assert attack.baseline is not None
    assert attack.baseline.share == 1 / 4


def blanked(rows: int, values: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Two groups of ten with both values, and some blank rows with these values."""
    people = [("20", "Oslo", value) for value in ["flu", "ok"] * 5] + [
        ("40", "Rome", value) for value in ["flu", "ok"] * 5
    ]
    hidden = [("30", "Bern", value) for value in values[:rows]]
    blank = [("*", "*", value) for value in values[:rows]]
    return frame([*people, *blank]), frame([*people, *hidden])


def test_blank_rows_with_one_value_are_caught() -> None:
    policy = POLICY.model_copy(update={"protect": (d.KAnonymity(k=10, over=["age", "city"]),)})
    released, original = blanked(6, ["flu"] * 6)
    scene = scene_of(released, original, policy, places=range(26), targets=("ill",))
    found = {**linked(scene), **looked_up(scene)}
    assert found["prosecutor"].figures["suppressed_rows"] == 6
    assert found["prosecutor"].figures["suppressed_group"] == 6
    assert any("6 suppressed rows stand in a group of 6" in text for text in found["prosecutor"].warnings)
    assert any("all 6 suppressed rows have the same value of 'ill'" in text for text in found["look_up"].warnings)
    assert found["look_up"].figures["homogeneous_suppressed_rows"] == 6
    assert not d.verify(released, policy, original).holds
    said = [text for attack in found.values() for text in (*attack.warnings, *attack.notes, attack.title)]
    assert not any(value in text for text in said for value in ("flu", "Oslo", "Bern", "Rome"))


ADULT = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


def adult(folder: Path) -> pl.DataFrame:
    """The 30,162 complete rows of the training file."""
    names = {0: "age", 1: "workclass", 3: "education", 5: "marital-status", 6: "occupation", 8: "race", 9: "sex"}
    names |= {13: "native-country", 14: "salary"}
    lines = [[cell.strip() for cell in line.split(",")] for line in (folder / "adult.data").read_text().splitlines()]
    rows = [[line[place] for place in names] for line in lines if len(line) == 15 and "?" not in line]
    return frame(rows, list(names.values()))


def test_adult_with_six_blank_rows_of_one_salary_is_caught(data_dir: Path) -> None:
    """As ARX leaves it at k = 10: groups are large enough but for six suppressed rows, all of low income."""
    original = adult(data_dir)
    tree = data_dir / "adult-hierarchies" / "adult_hierarchy_marital-status.csv"
    policy = d.Policy(
        columns={"marital-status": {"taxonomy": str(tree)}},
        use=d.Classify("salary"),
        protect=[d.KAnonymity(k=10, over=ADULT)],
    )
    taxonomy = policy.columns["marital-status"].taxonomy
    assert taxonomy is not None
    groups = {value: taxonomy.ancestors(value)[1] for value in taxonomy.leaves}
    blank = original.with_row_index().filter(pl.col("salary") == "<=50K")["index"][:6].to_list()
    hidden = pl.int_range(pl.len()).is_in(blank)
    kept = {"sex": pl.col("sex"), "marital-status": pl.col("marital-status").replace_strict(groups)}
    released = original.with_columns(
        pl.when(hidden).then(pl.lit("*")).otherwise(kept.get(name, pl.lit("*"))).alias(name) for name in ADULT
    )
    scene = scene_of(released, original, policy, places=range(len(original)))
    found = {**linked(scene), **looked_up(scene)}
    (warning,) = found["prosecutor"].warnings
    assert warning.startswith("6 suppressed rows stand in a group of 6, smaller than k = 10")
    assert found["prosecutor"].figures["rows_above"] == 6
    assert any("all 6 suppressed rows have the same value of 'salary'" in text for text in found["look_up"].warnings)
    verification = d.verify(released, policy, original)
    assert verification.truthful.answer == d.Answer.HOLDS
    assert [finding.answer for finding in verification.requirements] == [d.Answer.BROKEN]


def test_blank_rows_with_several_values_are_not() -> None:
    released, original = blanked(6, ["flu", "ok"] * 3)
    found = looked_up(scene_of(released, original, places=range(26), targets=("ill",)))
    assert found["look_up"].warnings == ()
    assert linked(scene_of(released, original, places=range(26)))["prosecutor"].warnings == ()


def test_a_group_with_one_value_is_told_if_it_is_a_protected_one() -> None:
    table = frame([("20", "Oslo", "flu"), ("20", "Oslo", "flu"), ("40", "Rome", "ok"), ("40", "Rome", "ok")])
    template = d.Template(given=["age", "city"], infer={"ill": "flu"}, at_most="50%")
    policy = POLICY.model_copy(update={"protect": (template,)})
    (warning,) = looked_up(scene_of(table, table, policy, places=range(4)))["look_up"].warnings
    assert warning.startswith("2 rows stand in groups whose rows all have the same protected value of 'ill'")
    (warning,) = looked_up(scene_of(table, table, places=range(4), targets=("ill",)))["look_up"].warnings
    assert warning.startswith("4 rows stand in groups whose rows all have the same value of 'ill'")


def test_only_some_are_tried_and_it_is_said() -> None:
    rows = [(str(20 + number % 40), "Oslo", "flu") for number in range(3000)]
    scene = scene_of(frame(rows), frame(rows), places=range(3000))
    attack = linked(scene)["compatible"]
    assert (attack.released.tries, attack.of, attack.sampled) == (1000, 3000, True)
    assert linked(replace(scene, thorough=True))["compatible"].released.tries == 3000


def test_a_table_without_rows() -> None:
    table = frame([])
    scene = scene_of(table, table, places=[], control=table, population=table, targets=("ill",))
    assert all(attack.released.tries == 0 for attack in [*linked(scene).values(), *looked_up(scene).values()])
