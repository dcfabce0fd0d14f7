"""Combinations of masked rows as single keys, which stores compare those of their rows with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.plan.masks import ALL, Masks

LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Keys:
    """For each masked combination a key: a number made of the places of its texts or, if too large, these as text."""

    masks: Masks

    @cached_property
    def bound(self) -> int:
        """A number above all keys."""
        return math.prod(len(masked.values) for masked in self.masks.columns)

    @property
    def steps(self) -> list[int] | None:
        """What the place in each column counts; None where keys are texts, with blanks between the places."""
        if self.bound >= LARGEST_KEY:
            return None
        sizes = [len(masked.values) for masked in self.masks.columns]
        return [math.prod(sizes[at + 1 :]) for at in range(len(sizes))]

    @cached_property
    def all(self) -> pl.Series:
        """The keys, in the order of the combinations."""
        places = [pl.Series(masked.of_combination, dtype=pl.Int64) for masked in self.masks.columns]
        if self.steps is None:
            return pl.select(pl.concat_str(places, separator=" ")).to_series()
        return sum((one * step for one, step in zip(places, self.steps, strict=True)), start=places[0] * 0)

    @cached_property
    def rows(self) -> Ints:
        """How many rows of each combination are masked, or `ALL`."""
        return np.array(self.masks.rows, dtype=np.int64)

    @property
    def whole(self) -> pl.Series:
        """The keys of combinations that are masked whole."""
        return self.all.filter(pl.Series(self.rows == ALL))

    @property
    def partly(self) -> pl.Series:
        """The keys of combinations of which a lot takes some rows."""
        return self.all.filter(pl.Series(self.rows != ALL))

    def numbers(self, keys: pl.Series) -> Ints:
        """Return the places of the combinations with some keys."""
        known = pl.DataFrame({"key": self.all, "number": range(len(self.rows))})
        asked = pl.DataFrame({"key": keys.cast(self.all.dtype)})
        found = asked.join(known, on="key", how="left", maintain_order="left")
        return found.get_column("number").to_numpy().astype(np.int64)

    @property
    def wanted(self) -> Ints:
        """How many rows a lot takes of each combination."""
        return np.maximum(self.rows, 0)
