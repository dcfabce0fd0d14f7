"""Which columns of several releases are one: equal names, and those that policies join with `same`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from discreet.errors import InputError
from discreet.policy import Policy
from discreet.policy.ledger_options import over_time

if TYPE_CHECKING:
    from discreet.ledger.entry import PastRelease


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


def unjoined(past: Sequence[PastRelease], policy: Policy, columns: Sequence[str]) -> Iterator[str]:
    """Yield a warning for each sensitive column of earlier releases that may have another name now, which nobody said.

    It is found under no name, and a sensitive column of this release is in no earlier one. Known columns, and those
    with confidential cells, are refused then; a sensitive one may well be gone.
    """
    names = ColumnNames([*(release.policy for release in past), policy])
    asked = sorted(name for name in policy.sensitive if names.among(columns, name) is not None)
    new = [name for name in asked if all(names.among(release.columns, name) is None for release in past)]
    if not new:
        return
    lost: dict[str, str] = {}
    for release in past:
        there = sorted(name for name in release.policy.sensitive if names.among(release.columns, name) is not None)
        for name in names.missing(there, columns, over_time(policy).gone):
            lost.setdefault(name, release.name)
    for name, last in lost.items():
        yield (
            f"ledger: the sensitive column {name!r} of {last} is found under no name now, and "
            f"{' and '.join(map(repr, new))} {'is' if len(new) == 1 else 'are'} in no earlier release: if it has "
            f"another name now write same: {{{new[0]}: {name}}}, for else nobody counts who was shown with a value in "
            f"any of the releases; if it is no longer released, gone: [{name}]"
        )
