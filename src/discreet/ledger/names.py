"""Which columns of several releases are one: equal names, and those that policies join with `same`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from discreet.errors import InputError
from discreet.policy import Policy
from discreet.policy.ledger_options import over_time


class ColumnNames:
    """The names that columns have had."""

    def __init__(self, policies: Iterable[Policy]) -> None:
        self._one: dict[str, str] = {}
        for policy in policies:
            for now, then in over_time(policy).same.items():
                first, second = self.one(now), self.one(then)
                self._one[max(first, second)] = min(first, second)

    def one(self, name: str) -> str:
        """Return the name that stands for all names of a column."""
        while (before := self._one.get(name, name)) != name:
            name = before
        return name

    def ones(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the same for several columns, in order, each once."""
        return tuple(sorted({self.one(name) for name in names}))

    def among(self, columns: Sequence[str], name: str) -> str | None:
        """Return what a column is called among those of a release; None where that does not have it."""
        found = [column for column in columns if self.one(column) == self.one(name)]
        if len(found) > 1:
            raise InputError(
                f"ledger.same: a release has both {found[0]!r} and {found[1]!r}, which are said to be one column; join "
                "only columns that are never in one release"
            )
        return found[0] if found else None

    def missing(self, known: Iterable[str], columns: Sequence[str], gone: Collection[str]) -> list[str]:
        """Return the columns that are found under no name and not said to be gone."""
        excused = {self.one(name) for name in gone}
        wanted = dict.fromkeys(name for name in known if self.one(name) not in excused)
        return [name for name in wanted if self.among(columns, name) is None]
