"""The risk of every promise about groups before and after: the worst groups by counts, and how all of them lie."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.audit.verify import Worst


@dataclass(frozen=True)
class Spread:
    """How many rows stand in groups of which risk: `rows[i]` between `ends[i]` and `ends[i + 1]`.

    For a template the risk is the share of the property in the group; for k-anonymity the ends are sizes of groups.
    The last range has no end.
    """

    ends: tuple[float, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Risk:
    """One promise about groups before and after.

    `worst_before` and `worst_after` are the groups that come first when sorted by risk (then by size); `above_before`
    and `above_after` count the rows in groups that do not keep the promise.
    """

    index: int
    kind: str
    promise: str
    limit: str
    """The share that is allowed, or the size (k), as an exact number in words such as 3/4 or 10."""
    rows_before: int
    rows_after: int
    groups_before: int
    groups_after: int
    above_before: int
    above_after: int
    worst_before: tuple[Worst, ...]
    worst_after: tuple[Worst, ...]
    spread_before: Spread
    spread_after: Spread

    def to_dict(self) -> dict[str, object]:
        """Return plain data; the worst groups have their texts."""
        return {
            "index": self.index,
            "kind": self.kind,
            "promise": self.promise,
            "limit": self.limit,
            "rows": {"before": self.rows_before, "after": self.rows_after},
            "groups": {"before": self.groups_before, "after": self.groups_after},
            "above": {"before": self.above_before, "after": self.above_after},
            "worst": {
                "before": [worst.to_dict() for worst in self.worst_before],
                "after": [worst.to_dict() for worst in self.worst_after],
            },
            "spread": {
                "before": {"ends": list(self.spread_before.ends), "rows": list(self.spread_before.rows)},
                "after": {"ends": list(self.spread_after.ends), "rows": list(self.spread_after.rows)},
            },
        }
