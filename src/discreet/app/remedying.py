"""Remedies of attacks as edits of the policy: what can be offered with one click, and what it writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.app.policy_text import appended, at, data_of, set_at
from discreet.audit.report.remedies import Remedy
from discreet.common.shares import parse_share, percent
from discreet.policy.adversaries import BagOfWords, BayesianNetwork, Id3, Learner, NaiveBayes

FIRST_K = "5"
"""The k that is asked for where there is none yet."""
_KNOWN = ("given", "over")
"""The fields that say what others may know."""
_BY_NAME = (*NaiveBayes.names, *Id3.names, *BayesianNetwork.names, *BagOfWords.names, *Learner.names)
"""Adversaries whose word alone says enough."""


@dataclass(frozen=True)
class RemedyOffer:
    """Something that a button does to the policy."""

    words: str
    edit: Callable[[str], str]


def offers(remedy: Mapping[str, Any] | None, text: str) -> list[RemedyOffer]:
    """Return what can be done about an attack by a change of this policy."""
    if remedy is None or remedy["change"] is None:
        return []
    said = Remedy(**{**remedy, "knows": tuple(remedy["knows"])})
    return list(_OFFERS[said.change](said, data_of(text).get("protect") or []))  # type: ignore[index]


def _larger_k(said: Remedy, items: Sequence[Any]) -> list[RemedyOffer]:
    for place, item in enumerate(items):
        if _whole(at(item, ("k",))) and set(said.knows) <= set(at(item, ("over",)) or []):
            return [_doubled(place, item)]
    knows = list(said.knows)
    if not knows:
        return []
    words = f"Promise that at least {FIRST_K} people look alike on {_named(knows)}"
    return [RemedyOffer(words, lambda text: appended(text, ("protect",), {"k": FIRST_K, "over": knows}))]


def _doubled(place: int, item: Any) -> RemedyOffer:
    more = str(2 * int(item["k"]))
    return RemedyOffer(
        f"Raise k of promise {place + 1} from {item['k']} to {more}",
        lambda text: set_at(text, ("protect", place, "k"), more),
    )


def _stricter(said: Remedy, items: Sequence[Any]) -> list[RemedyOffer]:
    place = said.requirement
    if place is None or place >= len(items) or not isinstance(items[place], dict):
        return []
    item, found = items[place], []
    for field in ("at_most", "t"):
        less = _less(item.get(field))
        if less is not None:
            words = f"Lower {field} of promise {place + 1} from {item[field]} to {less}"
            found.append(RemedyOffer(words, _setting(("protect", place, field), less)))
    if _whole(item.get("l")):
        more = str(int(item["l"]) + 1)
        words = f"Raise l of promise {place + 1} from {item['l']} to {more}"
        found.append(RemedyOffer(words, _setting(("protect", place, "l"), more)))
    if _whole(item.get("k")):
        found.append(_doubled(place, item))
    for field in _KNOWN:
        names = item.get(field)
        if isinstance(names, list) and not set(said.knows) <= set(names):
            every = list(dict.fromkeys([*names, *said.knows]))
            words = f"Let promise {place + 1} count with all that may be known: {_named(every)}"
            found.append(RemedyOffer(words, _setting(("protect", place, field), every)))
    return found


def _promise(said: Remedy, items: Sequence[Any]) -> list[RemedyOffer]:
    del items
    new = {"infer": {said.target: {"any": "true"}}, "given": list(said.knows), "at_most": "50%"}
    words = f"Promise that nobody is surer than 50% of any value of {said.target}, knowing {_named(said.knows)}"
    return [RemedyOffer(words, lambda text: appended(text, ("protect",), new))] if said.target and said.knows else []


def _against(said: Remedy, items: Sequence[Any]) -> list[RemedyOffer]:
    place, name = said.requirement, said.adversary
    if place is None or place >= len(items) or name not in _BY_NAME:
        return []
    named = items[place].get("against") or []
    if name in named or not isinstance(named, list):
        return []
    words = f"Name {name.replace('_', ' ')} among those whom promise {place + 1} is against"
    return [RemedyOffer(words, _setting(("protect", place, "against"), [*named, name]))]


def _decoys(said: Remedy, items: Sequence[Any]) -> list[RemedyOffer]:
    place = said.requirement
    if place is None or place >= len(items) or items[place].get("decoys") not in (None, "false"):
        return []
    words = f"Ask for decoys in promise {place + 1}: as many other cells are hidden for half of them"
    return [RemedyOffer(words, _setting(("protect", place, "decoys"), "50%"))]


_OFFERS: Mapping[str, Callable[[Remedy, Sequence[Any]], list[RemedyOffer]]] = {
    "larger_k": _larger_k,
    "stricter": _stricter,
    "promise": _promise,
    "against": _against,
    "decoys": _decoys,
}


def _setting(path: tuple[str | int, ...], value: object) -> Callable[[str], str]:
    return lambda text: set_at(text, path, value)


def _whole(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[1-9]\d{0,8}", value) is not None


def _less(value: object) -> str | None:
    """Return a share by a fifth smaller, to a whole percent; None where it is no share, or none is left."""
    try:
        share = parse_share(value)
    except ValueError:
        return None
    less = (share * 80).__floor__()
    return percent(parse_share(f"{less}%")) if less else None


def _named(names: Sequence[str], most: int = 6) -> str:
    shown = [str(name) for name in names[:most]]
    return ", ".join(shown) + (f" and {len(names) - most} more" if len(names) > most else "")
