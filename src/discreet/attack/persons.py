"""Who is who among persons with several rows: picking somebody by all her rows at once.

Somebody who knows all rows of a person on some columns sees which released persons look like her: they have the same
released rows there, each as often. He is right with one by their number. Whose row each is is taken from the original:
this is the most that anybody could know who links the rows of a person, by a token, their order or what else they say.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from discreet.attack.alike import alike
from discreet.attack.base import Attack, AttackTask
from discreet.attack.linkage import alike_values, listed
from discreet.common.rates import Rate
from discreet.compare.scene import Scene
from discreet.encoded import Ints

MOST_ROWS = 5_000_000
"""Rows of which profiles are compared."""


def person_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield one task for each set of columns, where several rows are those of one person."""
    name = whose(scene)
    if name is None or scene.places is None or scene.released.rows > MOST_ROWS:
        return
    for known in scene.known:
        seconds = 0.1 + 2e-6 * scene.released.rows
        yield AttackTask(f"linkage of {name} by {listed(known)}", seconds, _run(scene, known, name))


def whose(scene: Scene) -> str | None:
    """Return the column that says whose row it is: the unit, else an identifier that several rows share."""
    policy = scene.policy
    if policy.unit is not None:
        return policy.unit.id if policy.unit.id in scene.original.columns else None
    for name in policy.identifiers:
        found = scene.original.named(name, policy.missing_values)
        if found is not None and found[1] < found[0] == scene.original.rows:
            return name
    return None


def _run(scene: Scene, known: tuple[str, ...], name: str) -> Callable[[], Iterator[Attack]]:
    return lambda: iter([_attack(scene, known, name)])


def _attack(scene: Scene, known: tuple[str, ...], name: str) -> Attack:
    begin = time.monotonic()
    assert scene.places is not None
    senses = [scene.sense(column) for column in known]
    person = np.unique(scene.original.encoded(name).codes[scene.places], return_inverse=True)[1].astype(np.int64)
    released = profile_sizes(person, alike([sense.codes for sense in senses], scene.released.rows).group)
    before = profile_sizes(person, alike_values(senses, scene.original).group[scene.places])
    persons = len(released)
    crowds = [p for p in scene.policy.promises() if p.column is None and set(p.given) == set(known)]
    crowd = None if scene.policy.unit is None else max(crowds, key=lambda each: each.least_rows, default=None)
    alone = int((released == 1).sum())
    warnings: tuple[str, ...] = ()
    if alone:
        some = "1 person stands" if alone == 1 else f"{alone} persons stand"
        warnings = (f"{some} alone: whoever knows {listed(known)} in all rows of such a {name} finds them",)
    return Attack(
        "linkage",
        "person",
        f"Knows all rows of one {name}, and picks one of those who look alike in all their rows",
        None,
        known,
        Rate(_groups(released), persons),
        persons,
        Rate(float(persons > 0), persons),
        original=Rate(_groups(before), persons),
        requirement=None if crowd is None else crowd.index,
        figures={"persons": persons, "smallest_group": int(released.min(initial=persons)), "unique_persons": alone},
        warnings=warnings,
        seconds=time.monotonic() - begin,
    )


def _groups(sizes: Ints) -> float:
    """Return how many groups there are, from the size of the group of each person: so many are picked rightly."""
    return float(round((1 / sizes).sum()))


def profile_sizes(person: Ints, look: Ints) -> Ints:
    """Return for each person how many have the same rows, each as often; `look` says how each row looks.

    >>> profile_sizes(np.array([0, 0, 1, 1, 2]), np.array([5, 6, 6, 5, 5]))
    array([2, 2, 1])
    """
    width = int(look.max(initial=0)) + 1
    each, often = np.unique(person * width + look, return_counts=True)
    owner, looks = np.divmod(each, width)
    profiles: dict[bytes, int] = {}
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    pairs = np.column_stack((looks, often))
    found = [profiles.setdefault(some.tobytes(), len(profiles)) for some in np.split(pairs, starts[1:])]
    which = np.array(found, dtype=np.int64)
    return np.bincount(which, minlength=1)[which]
