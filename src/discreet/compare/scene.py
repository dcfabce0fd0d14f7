"""A release with all that an attack may need: the original, to judge guesses by; and who is attacked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from discreet.columns.medians import Ranges
from discreet.common.watch import Watch
from discreet.compare.meanings import Sense, sense_of
from discreet.encoded import Ints
from discreet.fit.cells import confidential_places, is_missing
from discreet.ledger.note import LinkedReleases
from discreet.plan.blind_statement import LEAVING, BlindStatement
from discreet.policy import Policy
from discreet.policy.bind import known_to_groups
from discreet.policy.confidential import Confidential
from discreet.policy.requirements.any_of import sets_of
from discreet.table.engine import Engine

QUICK, THOROUGH = 1_000, 20_000
"""People or cells that each attack tries."""


MOST_KNOWN = 3
"""Sets of columns with which is attacked where any so many of them may be known."""


@dataclass(frozen=True)
class Scene:
    """A release to be attacked.

    Parameters
    ----------
    released, original, policy
        The release, the table it was made from (as read by the policy), and the policy.
    places
        The row of the original (by place) that each released row is; None where that is not known.
    hide_only
        The original as the recodings alone release it, with all its rows in order: the baseline for confidential cells.
    control
        Rows of people of the same kind who are not in the original, with the same columns, to see what is learned
        about them.
    population
        A table of the people among whom those of the release are known to be.
    medians
        The intervals published beside the release.
    targets
        Columns to be guessed besides the sensitive ones of the policy.
    thorough
        Whether to take the time that it takes.
    seed
        For tests: who is attacked is then always the same.
    watch
        Says when there is no time left to begin an attack.
    linked
        Where a ledger was given: earlier releases, and who each released row is there.
    block_rule
        How blind protection found its blocks, as the method statement says.
    """

    released: Engine
    original: Engine
    policy: Policy
    places: Ints | None = None
    hide_only: Engine | None = None
    control: Engine | None = None
    population: Engine | None = None
    medians: Mapping[str, Ranges] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    thorough: bool = False
    seed: int | None = None
    watch: Watch = field(default_factory=Watch, repr=False)
    linked: LinkedReleases | None = None
    block_rule: str = LEAVING
    _senses: dict[str, Sense] = field(default_factory=dict, repr=False)

    def stated_by(self, statement: BlindStatement | None) -> Scene:
        """Return the same release as its method statement says that it was made."""
        return self if statement is None else replace(self, block_rule=statement.rule)

    @property
    def victims(self) -> int:
        """How many people or cells are tried by each attack at most."""
        return THOROUGH if self.thorough else QUICK

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return self.watch.seconds_left() < 0

    @cached_property
    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def draw(self, places: Ints, most: int | None = None) -> Ints:
        """Return at most so many (`victims` when absent) of some places, drawn at random, ascending."""
        most = self.victims if most is None else most
        return places if len(places) <= most else np.sort(self._rng.choice(places, most, replace=False))

    def shuffled(self, number: int) -> Ints:
        """Return the numbers from 0 in an order drawn at random."""
        return self._rng.permutation(number)

    @cached_property
    def people(self) -> Ints:
        """The rows of the original (by place) that are attacked: some of those that are in the release, if known."""
        return self.draw(np.arange(self.original.rows) if self.places is None else np.sort(self.places))

    @cached_property
    def here(self) -> Ints | None:
        """Where each row of the original stands in the release; -1 if nowhere. None if that is not known."""
        if self.places is None:
            return None
        here = np.full(self.original.rows, -1, dtype=np.int64)
        here[self.places] = np.arange(len(self.places))
        return here

    def sense(self, column: str) -> Sense:
        """Return what the released texts of a column may mean."""
        if column not in self._senses:
            others = [table for table in (self.control, self.population) if table is not None]
            tables = [self.original, *(table for table in others if column in table.columns)]
            self._senses[column] = sense_of(self.released, self.policy, column, tables, self.medians.get(column))
        return self._senses[column]

    @cached_property
    def known(self) -> tuple[tuple[str, ...], ...]:
        """Sets of columns that somebody may know of a person: of each promise about groups, else all released ones."""
        both = [name for name in self.released.columns if name in self.original.columns]
        sets = [one for promise in self.policy.promises() for one in sets_of(promise.given)[:MOST_KNOWN]]
        sets = [given for given in dict.fromkeys(sets) if given and set(given) <= set(both)]
        largest = [given for given in sets if not any(set(given) < set(other) for other in sets)]
        return tuple(dict.fromkeys(largest)) or (tuple(name for name in both if name not in self.guessed),)

    @cached_property
    def guessed(self) -> tuple[str, ...]:
        """The columns that an adversary wants to know: the sensitive ones, those asked for, else targets of the use."""
        both = [name for name in self.released.columns if name in self.original.columns]
        confidential = {made.column for _, made in self.policy.cells()}
        sensitive = {*self.policy.sensitive, *self.targets} - confidential
        if not sensitive and not confidential:
            others = {name for name, column in self.policy.columns.items() if column.role == "other"}
            sensitive = set(self.policy.targets or others or both) - known_to_groups(self.policy)
        return tuple(name for name in both if name in sensitive)

    def cells(self, requirement: Confidential) -> Ints:
        """Return the rows of the original (by place) with a confidential cell of a requirement."""
        return confidential_places(requirement, self.original)

    def is_missing(self, value: str | None) -> bool:
        """Whether a text tells no value."""
        return is_missing(self.policy, value)
