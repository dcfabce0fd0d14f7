"""Edits of a policy as text: the data change in one place, and what else is written stays."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="the app is not installed (discreet[app])")

from discreet.app.policy_edits import bins_of, moved, preset_of, sliders, with_preset, with_threshold
from discreet.app.policy_text import appended, at, data_of, dump, removed_at, set_at, uncommented
from discreet.assist.draft import draft_policy
from discreet.errors import InputError
from discreet.policy.read import policy_of_text
from tests.conftest import ROOT

TEXT = """# my policy, ä ö ü €
use: general    # least loss

protect:
  # enough people
  - k: 10
    over: [age, "home town"]
  # a secret: 😀
  - infer: {diagnosis: {any: true}}
    given: [age]
    at_most: 50%    # half
columns:
  name: {role: identifier}   # a name
  age: {type: number}
"""

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
values: Any = st.recursive(
    words, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=6
)


def test_one_place_changes_and_the_rest_stays() -> None:
    text = set_at(TEXT, ("protect", 0, "k"), "7")
    assert text == TEXT.replace("k: 10", "k: 7")
    text = set_at(TEXT, ("columns", "age", "ends"), ["18", "65"])
    assert text == TEXT.replace("{type: number}", "{type: number, ends: [18, 65]}")
    assert removed_at(TEXT, ("columns", "name")) == TEXT.replace("  name: {role: identifier}   # a name\n", "")
    gone = removed_at(TEXT, ("protect", 1))
    assert "😀" not in gone
    assert gone.startswith(TEXT[: TEXT.index("  # a secret")])
    more = appended(TEXT, ("protect",), {"k": "3", "over": ["x"]})
    assert "at_most: 50%    # half\n  - k: 3\n    over: [x]\ncolumns:" in more
    assert uncommented(TEXT, ("protect", 1)) == TEXT.replace("  # a secret: 😀\n", "")


def test_what_would_be_empty_goes_with_it() -> None:
    assert "columns" not in removed_at(removed_at(TEXT, ("columns", "name")), ("columns", "age"))


def paths(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(each for name, value in inner for each in paths(value, (*path, name)))]


@pytest.mark.slow
@given(st.dictionaries(words, values, min_size=1, max_size=4), st.data(), values)
def test_every_edit_says_what_the_data_say(data: dict[str, Any], draw: st.DataObject, value: object) -> None:
    """Whatever is written, and however odd its names are, the text afterwards says exactly what was wanted."""
    text = dump(data)
    assert data_of(text) == data
    path = draw.draw(st.sampled_from(paths(data)[1:]))
    wanted = copy.deepcopy(data)
    at(wanted, path[:-1])[path[-1]] = value
    assert data_of(set_at(text, path, value)) == wanted
    if isinstance(at(data, path), list) and at(data, path):
        wanted = copy.deepcopy(data)
        at(wanted, path).append(value)
        assert data_of(appended(text, path, value)) == wanted
    kept = at(data_of(removed_at(text, path)), path)
    assert isinstance(path[-1], int) or kept is None


@pytest.mark.parametrize("table", ["clinic.csv", "bob.csv"])
def test_columns_go_through_all_bins_and_the_policy_stays_in_order(table: str) -> None:
    draft = draft_policy(ROOT / "examples" / table)
    columns = [look.name for look in draft.looks]
    text = draft.text
    for column in columns:
        for to in ("harmless", "known", "secret", "identifier", "known"):
            bins = bins_of(policy_of_text(text), columns)
            before = next(name for name, some in bins.items() if column in some)
            try:
                text = moved(text, column, before, to)
            except InputError as refused:
                assert "first" in str(refused)
                continue
            assert column in bins_of(policy_of_text(text), columns)[to]


def test_thresholds_and_presets() -> None:
    text = draft_policy(ROOT / "examples" / "clinic.csv").text
    assert preset_of(data_of(text)) == "open-data"
    strict = with_preset(text, "research")
    assert preset_of(data_of(strict)) == "research"
    assert policy_of_text(strict).shuffle is False
    assert with_preset(strict, "open-data") != text
    assert policy_of_text(with_preset(strict, "open-data")) == policy_of_text(text)
    assert [each["value"] for each in sliders(data_of(text), 0)] == [10]
    loose = with_threshold(text, 0, "k", 4)
    assert data_of(loose)["protect"][0]["k"] == "4"
    assert "at least 10 rows alike" not in loose, "a comment must not say what is not so any more"
    for place, field, number in ((0, "at_most", 4), (9, "k", 4), (0, "k", 1)):
        with pytest.raises(InputError):
            with_threshold(text, place, field, number)


def test_a_preset_that_speaks_of_a_crowd_is_chosen_only_where_one_is_promised() -> None:
    text = "protect:\n  - {infer: {Bankruptcy: Discharged}, given: [Job, Country], at_most: 75%}\n"
    assert preset_of(data_of(text)) is None
    chosen = with_preset(text, "research")
    assert preset_of(data_of(chosen)) == "research"
    assert data_of(chosen)["protect"][1] == {"k": "5", "over": ["Job", "Country"]}
    assert with_preset(chosen, "research") == chosen
