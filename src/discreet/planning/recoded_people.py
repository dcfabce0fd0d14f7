"""The people of a population under the recodings of a plan, in the groups of the rows that it releases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.encoded import Combinations, Ints, places_among
from discreet.plan.plan import Plan
from discreet.policy.bind import Bound
from discreet.policy.populations import Population
from discreet.table.recoded import told

NOWHERE = -1
"""The group of people who look like no row."""


@dataclass(frozen=True)
class RecodedPeople:
    """People in the groups of a recoded table."""

    group: Ints
    """The group that each combination of them belongs to."""
    masked: Ints
    """The group that it would belong to if its rows were masked."""
    counts: Ints

    def of_groups(self, group_of: Ints, parts: Ints, number: int) -> Ints:
        """Return the people of each group; for masked rows those count who are not released unmasked.

        `group_of` has the groups of the rows as they are, and if they are masked; `parts` how many rows are which.
        """
        light = np.zeros(number + 1, dtype=np.bool_)  # the last one is nowhere
        light[group_of[0][parts[0] > 0]] = True
        dark = np.zeros(number + 1, dtype=np.bool_)
        dark[group_of[1][parts[1] > 0]] = True
        people = np.zeros(number + 1, dtype=np.int64)
        np.add.at(people, self.group, self.counts)
        unreleased = dark[self.masked] & ~light[self.group] & (self.masked != self.group)
        np.add.at(people, self.masked[unreleased], self.counts[unreleased])
        return people[:number]


def recoded_people(
    counted: Combinations, bound: Bound, plan: Plan, given: frozenset[str], among: Population, group_of: Ints
) -> RecodedPeople:
    """Return people by what a plan would release of them; `group_of` has the groups of the recoded rows, twice.

    A value of which the plan says nothing stands under the marker.
    """
    people, marker = bound.populations[among], bound.policy.marker
    recodings = {recoding.column: recoding for recoding in plan.recodings}
    mine, masked_rows, theirs, masked_people, sizes = [], [], [], [], []
    for name in (column for column in counted.columns if column in given):
        places = {text: place for place, text in enumerate(counted.domain(name))}
        hidden = places.setdefault(marker, len(places))
        texts = (
            people.domain(name) if name not in recodings else told(recodings[name], people.domain(name), plan.policy)[0]
        )
        own = np.array([places.setdefault(text, len(places)) for text in texts], dtype=np.int64)[people.code(name)]
        rows = counted.code(name).astype(np.int64)
        changes = name in bound.changeable
        mine.append(rows)
        masked_rows.append(np.full_like(rows, hidden) if changes else rows)
        theirs.append(own)
        masked_people.append(np.full_like(own, hidden) if changes else own)
        sizes.append(len(places))
    looks = [np.concatenate(pair) for pair in zip(mine, masked_rows, strict=True)]
    groups = group_of.ravel()
    _, first = np.unique(groups, return_index=True)
    among_looks = [look[first] for look in looks]

    def group(codes: list[Ints]) -> Ints:
        """Return the group of each combination of people."""
        rows = len(people.counts)
        found = places_among([each.astype(np.uint64) for each in codes], among_looks, sizes, rows, len(first))
        return np.where(found < 0, NOWHERE, groups[first][found])

    return RecodedPeople(group(theirs), group(masked_people), people.counts)
