"""What each released text stands for, and what is guessed from the class alone."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from discreet.adversary.base import prior
from discreet.adversary.view import domain_of, flat_tree, see, tree_of
from discreet.columns.taxonomy import Taxonomy
from discreet.common.rates import wilson
from discreet.policy import Confidential, KAnonymity, Policy
from discreet.table.source import open_table
from tests.adversary.releases import policy_for, view_of

JOBS = {"Any": {"Public": ["State", "Local"], "Private": {"Firm": None}}}


def nodes(texts: list[str | None], policy: Policy, column: str = "job") -> list[str | None]:
    """The label of the node that each text stands for."""
    frame = pl.DataFrame({"job": texts, "ill": ["yes"] * len(texts)})
    requirement = policy.protect[0]
    assert isinstance(requirement, Confidential)
    engine = open_table(frame, policy)
    seen = next(seen for seen in see(engine, policy, requirement, engine).predictors if seen.name == column)
    label = {node: text for text, node in reversed([*seen.tree.node_of.items()])}
    return [label.get(int(node), "nothing") for node in seen.nodes]


def policy(**options: object) -> Policy:
    return Policy(protect=[Confidential(column="ill", rows=[1])], columns={"job": {"taxonomy": JOBS}}, **options)  # type: ignore[arg-type]


def test_labels_are_groups_and_values() -> None:
    texts = ["State", "Public", "Any", "*", None, "Private", "Firm"]
    # a group of one value is that value: Private is Firm
    assert nodes(texts, policy()) == ["State", "Public", "nothing", "nothing", "nothing", "Firm", "Firm"]


def test_missing_values() -> None:
    texts = ["State", "?", None]
    assert nodes(texts, policy(missing={"values": ["?"], "rows": "unknown"})) == ["State", "nothing", "nothing"]
    assert nodes(texts, policy(missing={"values": ["?"], "rows": "value"})) == ["State", "?", None]
    assert nodes(texts, policy()) == ["State", "?", "nothing"]


def test_recoded_columns_have_texts_for_values() -> None:
    both = Policy(
        protect=[Confidential(column="ill", rows=[1]), KAnonymity(k=1, over=["job"])],
        columns={"job": {"taxonomy": JOBS}},
    )
    assert nodes(["State", "Public", "*", "Public"], both) == ["State", "Public", "nothing", "Public"]
    requirement = both.protect[0]
    assert isinstance(requirement, Confidential)
    engine = open_table(pl.DataFrame({"job": ["Public", "*"], "ill": ["a", "b"]}), both)
    view = see(engine, both, requirement, engine)
    assert view.predictors[0].tree.domain == ("Public",)


def test_domains_come_from_the_taxonomy_or_the_original() -> None:
    frame = pl.DataFrame({"job": ["Local", "Other", "*"], "ill": ["b", "a", None]})
    engine = open_table(frame, policy())
    assert domain_of(engine, policy(), "job") == ("State", "Local", "Firm", "Other")
    assert domain_of(engine, policy(), "ill") == ("a", "b")


def test_trees() -> None:
    tree = tree_of(Taxonomy.from_tree(JOBS), ["Other"])
    assert tree.domain == ("State", "Local", "Firm", "Other")
    assert tree.depth.tolist() == [0, 1, 2, 2, 1, 1]
    assert tree.covers(np.array([0, 1, 5])).tolist() == [[True] * 4, [True, True, False, False], [False] * 3 + [True]]
    assert tree.summed(np.array([1, 2, 3, 4, 5, 6])).tolist() == [21, 9, 3, 4, 5, 6]
    assert tree.paths(np.array([2, 0, 5])).tolist() == [[1, 2], [-1, -1], [5, -1]]
    assert tree.paths(np.array([2, 1]), np.array([1, 1])).tolist() == [[2], [-1]]


def test_a_taxonomy_of_one_value_still_has_a_root() -> None:
    tree = tree_of(Taxonomy.from_tree({"*": ["only"]}))
    assert (tree.domain, tree.node_of, tree.parent.tolist()) == (("only",), {"only": 1}, [-1, 0])
    assert flat_tree([]).domain == ()


def test_prior_is_the_commonest_known_value() -> None:
    rows: list[list[str | None]] = [["x", "u"], ["x", "v"], ["x", "v"], ["x", None]]
    found = prior(view_of(rows, policy_for(2, [3], 1, [0], {})))
    assert (found.value, found.rows, found.known, found.share) == ("v", 2, 3, Fraction(2, 3))
    nothing = prior(view_of([["x", None]], policy_for(2, [0], 1, [0], {}), [["x", "u"], ["x", "v"]]))
    assert (nothing.value, nothing.share) == ("u", Fraction(0))


def test_wilson() -> None:
    assert wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1), abs=1e-4)
    with pytest.raises(ValueError, match="between"):
        wilson(3, 2)
