"""What a recoding that does not show more tells: equal to counting all worlds; what has other reasons."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.attack.base import Attack
from discreet.attack.minimality import Grouped, Split, attack_recoding, minimality_attacks
from discreet.attack.possible_worlds import within
from discreet.attack.possible_worlds_kernels import MANY
from discreet.common.watch import Watch
from discreet.compare.scene import Scene
from discreet.policy import Inference
from discreet.table.source import open_table
from tests.reference.attacks import surer

groups = st.lists(
    st.lists(st.integers(1, 3), min_size=1, max_size=3).flatmap(
        lambda sizes: st.tuples(st.just(sizes), st.integers(0, min(sum(sizes), 3)))
    ),
    min_size=1,
    max_size=2,
)


def split_of(made: Sequence[tuple[Sequence[int], int]], limit: Fraction) -> Split:
    """Groups with parts of these sizes and so many hits."""
    promise = Inference(0, ("x",), "y", "u", limit)
    group = np.repeat(np.arange(len(made)), [sum(sizes) for sizes, _ in made])
    part = np.concatenate([np.repeat(np.arange(len(sizes)), sizes) for sizes, _ in made])
    hits = np.array([hits for _, hits in made])
    grouped = Grouped(promise, group, np.bincount(group), hits)
    return grouped.split(np.arange(len(group)), part)


@given(groups, st.sampled_from([Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4)]))
def test_equal_to_counting_all_worlds(made: list[tuple[list[int], int]], limit: Fraction) -> None:
    refused, expected = surer(made, limit)
    split = split_of(made, limit)
    with np.errstate(divide="ignore"):
        log_kept = float(np.log(split.chances[0]).sum())
    assert -np.expm1(log_kept) == pytest.approx(float(refused), abs=1e-12)
    if refused:
        flat = [float(chance) for of_group in expected for chance in of_group]
        assert split.posterior(log_kept) == pytest.approx(flat, abs=1e-9)


@pytest.mark.slow
def test_many_hits_in_more_than_two_parts_are_nearly_independent() -> None:
    sizes = np.array([4000, 3000, 5000])
    most, starts = np.array([1010, 900, 1500]), np.array([0, 3])
    exact = within(starts, sizes, most, np.array([MANY]))
    near = within(starts, sizes, most + 1, np.array([MANY + 1]))
    assert exact[0][0] == pytest.approx(near[0][0], abs=0.02)
    assert exact[1] == pytest.approx(near[1], abs=0.01)


def scene_of(table: pl.DataFrame, policy: d.Policy, **more: Any) -> Scene:
    """A release as it is made, ready to be attacked."""
    release = d.protect(table, policy, seed=1)
    source = open_table(table, release.plan.policy)
    released = source.apply(release.plan)
    places = np.searchsorted(source.numbers(), released.numbers())
    return replace(Scene(released, source, release.plan.policy, places=places), **more)


def attacked(scene: Scene) -> Attack:
    (task,) = minimality_attacks(scene)
    (found,) = task.run()
    return found


# Jobs c and e are hidden together: told apart, the only c would be ill for sure.
ROWS = [*[("a", "no")] * 6, *[("a", "yes")] * 2, ("c", "yes"), *[("e", "no")] * 5]


def bank(rows: Sequence[tuple[str, str]] = ROWS, **more: Any) -> tuple[pl.DataFrame, d.Policy]:
    table = pl.DataFrame({"job": [job for job, _ in rows], "ill": [ill for _, ill in rows]})
    promise = d.Template(given=["job"], infer={"ill": "yes"}, at_most="50%")
    return table, d.Policy(**{"use": d.Counts(), "protect": [promise], **more})


def test_a_value_that_is_not_shown_tells() -> None:
    scene = scene_of(*bank())
    shown: Any = scene.released.native()
    assert set(shown["job"]) == {"a", "*"}
    found = attacked(scene)
    # Of 6 hidden rows one is ill: told apart, c breaks the limit exactly if it is that one, e never does.
    assert found.figures["highest"] == pytest.approx(1.0)
    assert (found.released.right, found.released.tries) == (1, 1)
    assert found.baseline is not None
    assert found.baseline.right == pytest.approx(1 / 6)
    (warning,) = found.warnings
    assert "surer than 50%" in warning
    assert "100.0%" in warning
    assert not any(value in warning.split() for value in ("yes", "c", "e", "a,"))


def test_everything_shown_tells_nothing_more() -> None:
    found = attacked(scene_of(*bank([("a", "no"), ("a", "yes"), ("b", "no"), ("b", "yes")])))
    assert (found.figures["refinements"], found.released.tries, found.warnings) == (0, 0, ())


def test_what_k_refuses_tells_nothing() -> None:
    """Everybody sees that the part would have too few rows."""
    table, policy = bank()
    crowd = d.KAnonymity(k=2, over=["job"])
    policy = d.Policy(use=d.Counts(), protect=[*policy.protect, crowd], search="disclosure")
    found = attacked(scene_of(table, policy))
    assert (found.figures["refinements"], found.warnings) == (0, ())


def test_what_is_of_no_use_tells_nothing() -> None:
    table, policy = bank()
    table = table.with_columns(pl.Series("class", ["good", "bad"] * 4 + ["good"] * 6))
    policy = d.Policy(use=d.Classify("class"), protect=policy.protect)
    scene = scene_of(table, policy)
    shown: Any = scene.released.native()
    assert shown["job"].to_list().count("*") == 6
    assert attacked(scene).figures["refinements"] == 0
    always = scene_of(
        table, d.Policy(use=d.Classify("class"), protect=policy.protect, disclosure={"disclose": "always"})
    )
    assert attacked(always).figures["refinements"] == 2


def test_nodes_and_ends_are_refined_too() -> None:
    rows = [("1", "no"), ("2", "no"), ("3", "no"), ("4", "yes"), ("5", "no"), ("6", "no")]
    columns: dict[str, Any] = {"job": d.Column(type="number")}
    scene = scene_of(*bank(rows, columns=columns))
    shown: Any = scene.released.native()
    assert shown["job"].to_list() == ["<2", "2", "3", "[4-5]", "[4-5]", ">=6"]
    found = attacked(scene)
    # cut in two, [4-5] breaks the limit whichever of the two is ill: nothing is learned
    assert found.figures["refinements"] == 1
    assert found.figures["highest"] == pytest.approx(0.5)
    ends: dict[str, Any] = {"job": d.Column(type="number", ends=["4", "6"])}
    assert attacked(scene_of(*bank(rows, columns=ends))).figures["refinements"] == 0
    tree = {"*": {"low": ["1", "2", "3"], "high": ["4", "5", "6"]}}
    noded = attacked(scene_of(*bank(rows, columns={"job": d.Column(taxonomy=tree)})))
    # both nodes are shown; high could be opened: one of three is ill, and alone is too sure
    assert noded.figures["refinements"] == 1
    assert noded.figures["highest"] == pytest.approx(1 / 3)


def test_local_recodings_are_not_attacked() -> None:
    table, _ = bank()
    policy = d.Policy(
        recoding="local",
        protect=[d.KAnonymity(k=2, over=["job"]), d.Template(given=["job"], infer={"ill": "yes"}, at_most="50%")],
        columns={"job": d.Column(taxonomy={"*": {"x": ["a", "c"], "e": None}})},
    )
    (found,) = attack_recoding(scene_of(table, policy))
    assert found.released.tries == 0
    assert "not attacked" in found.notes[0]


def test_rows_that_cannot_be_placed_and_policies_without_templates_are_left_alone() -> None:
    table, policy = bank()
    scene = scene_of(table, policy)
    assert not list(minimality_attacks(replace(scene, places=None)))
    crowd = d.Policy(protect=[d.KAnonymity(k=2, over=["job"])])
    assert not list(minimality_attacks(scene_of(table, crowd)))


def test_stops_when_the_time_is_over() -> None:
    (found,) = attack_recoding(scene_of(*bank(), watch=Watch(time_limit=-1)))
    assert found.figures["refinements"] == 0
    assert "want of time" in found.notes[0]
