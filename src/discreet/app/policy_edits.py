"""Forms as edits of the policy: which column is what, what is promised and how strictly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from discreet.app.policy_text import appended, at, data_of, removed_at, set_at, uncommented
from discreet.assist.drafting.presets import PRESETS
from discreet.common.shares import percent
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.policy.spelling import yaml_name

BINS = {
    "identifier": "Identifies a person",
    "known": "Others may know it",
    "secret": "Secret",
    "harmless": "Harmless",
}
KNOWN = ("over", "given")
"""The fields of a promise that say what is known."""
STRICT = Fraction(1, 2)
"""How sure somebody may be of a new secret, where no other promise says it."""


def bins_of(policy: Policy, columns: Sequence[str]) -> dict[str, list[str]]:
    """Return which columns of a table are what, by what a policy says of them."""
    known = {name for _, made in policy.groups() for name in made.known}
    secret = {*policy.sensitive, *(made.column for _, made in policy.cells())}
    found: dict[str, list[str]] = {name: [] for name in BINS}
    for column in columns:
        if policy.column(column).role == "identifier" or column in policy.identifiers:
            found["identifier"].append(column)
        elif column in secret:
            found["secret"].append(column)
        else:
            found["known" if column in known else "harmless"].append(column)
    return found


def moved(text: str, column: str, before: str, to: str, look: Mapping[str, Any] | None = None) -> str:
    """Return a policy in which a column is something else than before; `look` is what it looks like."""
    if to not in BINS:
        raise InputError(f"there is no bin {to!r}")
    if before == to:
        return text
    text = _without_lines(text, (f"# {column}:", f"#  {yaml_name(column)}:", *ABOUT_KNOWN))
    known = _all_known(data_of(text))
    if before == "known":
        text = _unknown(text, column)
    elif before == "secret":
        text = _no_secret(text, column)
    if before in ("identifier", "harmless") or to in ("identifier", "harmless"):
        text = removed_at(text, ("columns", column))
    if to in ("identifier", "harmless"):
        return set_at(text, ("columns", column), {"role": "identifier" if to == "identifier" else "other"})
    if to == "known":
        return _on_a_scale(_now_known(text, column), column, look or {})
    given = [name for name in known if name != column]
    if not given:
        raise InputError("nothing is left that others may know; put a column there first")
    promise = {"infer": {column: {"any": True}}, "given": given, "at_most": percent(_strictness(data_of(text)))}
    return appended(text, ("protect",), promise)


ABOUT_KNOWN = ("# Somebody is supposed to know ", "# together these single out ")
ABOUT_PRESET = ("# As strict as for ", *(f"# {name} (" for name in PRESETS))
"""How lines of a draft begin that say something which may not be so any more."""


def _without_lines(text: str, beginnings: Sequence[str]) -> str:
    """Return a policy without some comments."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(tuple(beginnings)))


def _on_a_scale(text: str, column: str, look: Mapping[str, Any]) -> str:
    """Return a policy that says of a column of numbers or dates that it is one: it can be told as intervals then."""
    if not look.get("type") or at(data_of(text), ("columns", column)) is not None:
        return text
    form = {"date_format": look["date_format"]} if look.get("date_format") else {}
    return set_at(text, ("columns", column), {"type": look["type"], **form})


def _all_known(data: Mapping[str, Any]) -> list[str]:
    """Return all columns that promises say are known, each once."""
    return list(dict.fromkeys(name for _, field, names in _lists(data) for name in names))


def _lists(data: Mapping[str, Any]) -> Iterator[tuple[int, str, list[str]]]:
    """Yield where promises list what is known: the place of the promise, the field and the columns."""
    for place, made in enumerate(data.get("protect") or ()):
        for field in KNOWN:
            names = made.get(field) if isinstance(made, Mapping) else None
            if isinstance(names, list):
                yield place, field, names


def _unknown(text: str, column: str) -> str:
    """Return a policy whose promises do not suppose that a column is known."""
    for place, field, names in list(_lists(data_of(text))):
        if column in names:
            if len(names) == 1:
                raise InputError(f"{column} is the last column that others may know; put another one there first")
            text = set_at(text, ("protect", place, field), [name for name in names if name != column])
    return text


def _now_known(text: str, column: str) -> str:
    found = list(_lists(data_of(text)))
    if not found:
        raise InputError("no promise lists what is known; write one under Promises first")
    for place, field, names in found:
        if column not in names and not _is_about(data_of(text)["protect"][place], column):
            text = set_at(text, ("protect", place, field), [*names, column])
    return text


def _is_about(made: Mapping[str, Any], column: str) -> bool:
    """Whether an item of `protect` says that a column is a secret."""
    inferred = made.get("infer")
    return column in inferred if isinstance(inferred, Mapping) else column in (made.get("of"), made.get("column"))


def _no_secret(text: str, column: str) -> str:
    """Return a policy that promises nothing about a column."""
    items = data_of(text).get("protect") or []
    about = [place for place, made in enumerate(items) if _is_about(made, column)]
    if len(about) == len(items):
        raise InputError("nothing would be promised any more; promise something else under Promises first")
    for place in reversed(about):
        inferred = items[place].get("infer")
        several = isinstance(inferred, Mapping) and len(inferred) > 1
        path = ("protect", place, "infer", column) if several else ("protect", place)
        text = removed_at(text, path)
    return text


def _strictness(data: Mapping[str, Any]) -> Fraction:
    """Return how sure somebody may be of a secret, by the strictest promise that says so."""
    shares = []
    for made in data.get("protect") or ():
        said = str(made.get("at_most", "")) if isinstance(made, Mapping) else ""
        if said.endswith("%"):
            shares.append(Fraction(said[:-1]) / 100)
    return min(shares, default=STRICT)


# What is promised

SLIDERS: dict[str, tuple[int, int, str]] = {
    "at_most": (1, 99, "%"),
    "k": (2, 100, ""),
    "l": (2, 20, ""),
    "t": (1, 99, "%"),
}
"""The thresholds that have a slider: from, to, and what stands behind the number."""


def sliders(data: Mapping[str, Any], place: int) -> Iterator[dict[str, Any]]:
    """Yield the thresholds of a promise as sliders; those that are written in another way are left to the text."""
    made = at(data, ("protect", place))
    for field, (least, most, unit) in SLIDERS.items():
        said = str(made.get(field, "")) if isinstance(made, Mapping) else ""
        number = said.removesuffix("%").strip()
        if number.isdigit() and said.endswith(unit) and least <= int(number):
            yield {"field": field, "value": int(number), "least": least, "most": max(most, int(number)), "unit": unit}


def with_threshold(text: str, place: int, field: str, number: int) -> str:
    """Return a policy with another threshold of a promise."""
    found = next((each for each in sliders(data_of(text), place) if each["field"] == field), None)
    if found is None or not found["least"] <= number <= found["most"]:
        raise InputError("there is no such threshold any more; reload the page")
    if number == found["value"]:
        return text
    text = uncommented(_without_lines(text, ABOUT_PRESET), ("protect", place))
    return set_at(text, ("protect", place, field), f"{number}{found['unit']}")


def with_known(text: str, place: int, names: Sequence[str]) -> str:
    """Return a policy with other columns that are known of a promise."""
    if not names:
        raise InputError("a promise must say what is known; choose at least one column")
    found = next(((field, old) for at_, field, old in _lists(data_of(text)) if at_ == place), None)
    if found is None:
        raise InputError("there is no such promise any more; reload the page")
    field, old = found
    return text if list(names) == old else set_at(text, ("protect", place, field), list(names))


def without_promise(text: str, place: int) -> str:
    """Return a policy without a promise."""
    if len(data_of(text).get("protect") or ()) <= 1:
        raise InputError("nothing would be promised any more; add another promise first")
    return removed_at(text, ("protect", place))


def with_crowd(text: str, columns: Sequence[str], k: int) -> str:
    """Return a policy that promises that so many people look alike."""
    names = list(columns) or _all_known(data_of(text))
    return appended(text, ("protect",), {"k": str(k), "over": names})


def with_cell(text: str, column: str, rows: Sequence[int], predictors: Sequence[str]) -> str:
    """Return a policy that keeps single cells of a column confidential."""
    if not rows:
        raise InputError("name at least one row, by its number")
    promise: dict[str, Any] = {"column": column, "rows": [str(row) for row in rows]}
    if predictors:
        promise["predictors"] = list(predictors)
    return appended(text, ("protect",), {**promise, "against": ["naive_bayes"]})


def with_preset(text: str, name: str) -> str:
    """Return a policy as strict as a preset: every k, every share, and whether the rows leave in order.

    Where nothing says how many people look alike, that is added, with all columns that anybody is said to know.
    """
    if name not in PRESETS:
        raise InputError(f"there is no preset {name!r}")
    preset = PRESETS[name]
    text = _without_lines(text, ABOUT_PRESET)
    known = _all_known(data_of(text))
    if known and not any(isinstance(made, Mapping) and "k" in made for made in data_of(text).get("protect") or ()):
        text = with_crowd(text, known, preset.k)
    said = {"k": str(preset.k), "at_most": percent(preset.at_most)}
    for place, made in enumerate(data_of(text).get("protect") or ()):
        for field, value in said.items():
            if isinstance(made, Mapping) and field in made and str(made[field]) != value:
                text = set_at(uncommented(text, ("protect", place)), ("protect", place, field), value)
    if preset.shuffle:
        return set_at(text, ("shuffle",), True)
    return _without_lines(removed_at(text, ("shuffle",)), ("# The order of the rows may tell ",))


def preset_of(data: Mapping[str, Any]) -> str | None:
    """Return the preset that a policy is as strict as; None where it is none of them."""
    items = [made for made in data.get("protect") or () if isinstance(made, Mapping)]
    for name, preset in PRESETS.items():
        said = {"k": str(preset.k), "at_most": percent(preset.at_most)}
        alike = [str(made[field]) == value for made in items for field, value in said.items() if field in made]
        shuffled = str(data.get("shuffle", "false")) == "true"
        crowd = any("k" in made for made in items) or not _all_known(data)
        if alike and crowd and all(alike) and shuffled == preset.shuffle:
            return name
    return None
