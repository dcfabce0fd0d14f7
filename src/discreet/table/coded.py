"""A table in memory that is known by its codes: texts are made where somebody asks for them.

A plan that recodes columns and masks rows is carried out on the codes. Everything else is done on a table of texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from discreet.encoded import Encoded, Ints, of_texts
from discreet.plan.parts import Edit
from discreet.plan.plan import Plan
from discreet.table.local import LocalEngine
from discreet.table.recoded import by_recodings


def text_series(encoded: Encoded) -> pl.Series:
    """Return a column of codes as texts."""
    return pl.Series(encoded.domain, dtype=pl.String).gather(pl.Series(encoded.codes).cast(pl.UInt32))


class CodedTable(LocalEngine):
    """A table of columns of codes."""

    def __init__(self, columns: Mapping[str, Encoded], rows: int, numbers: Ints | None) -> None:
        super().__init__(pl.DataFrame(), numbers=numbers)
        self._encoded = dict(columns)
        self._rows = rows

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return tuple(self._encoded)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._rows

    def texts(self, column: str) -> pl.Series:
        """Return a column as texts; null where there is no value."""
        return text_series(self.encoded(column))

    def kind(self, column: str) -> str:  # noqa: ARG002 - codes stand for texts
        """Return the kind of values of a column: text."""
        return "text"

    def has_text(self, column: str) -> bool:  # noqa: ARG002 - as above
        """Whether the values of a column have a text form: all have."""
        return True

    def _is_in_lots(self, column: str) -> bool:  # noqa: ARG002 - as above
        return True

    def edited(self, edits: Sequence[Edit]) -> LocalEngine:
        """Return the table with other texts in some cells; its rows keep their numbers."""
        return self.as_texts().edited(edits) if edits else self

    def as_texts(self) -> LocalEngine:
        """Return the same as a table of texts."""
        return LocalEngine(pl.DataFrame({name: self.texts(name) for name in self.columns}), numbers=self._numbers)

    def apply(self, plan: Plan) -> LocalEngine:
        """Return the release that the plan makes of this table."""
        policy = plan.policy
        told = plan.masks is None and plan.sampled is None and not (plan.removed or plan.groupings or plan.edits)
        if not told or policy.removes or policy.token is not None:
            return self.as_texts().apply(plan)
        made = by_recodings(plan, self.encoded, self.rows)
        masked, strangers = made.gone, int(made.unseen.sum())
        masked[self._positions(plan.suppressed)] = True
        columns = {name: each for name, each in self._encoded.items() if name not in policy.identifiers}
        for name, (texts, codes) in made.texts.items():
            if masked.any():
                codes, texts = np.where(masked, len(texts), codes.astype(np.int64)), [*texts, policy.marker]
            columns[name] = of_texts(texts, codes)
        release = CodedTable(columns, self.rows, self._numbers)
        release.suppressed, release.unseen = int(masked.sum()), strangers
        release._suppressed = self.numbers()[masked]
        return release

    def only(self, places: Ints) -> LocalEngine:
        """Return the table with only the rows at these places (from 0, ascending); they keep their numbers."""
        columns = {name: of_texts(each.domain, each.codes[places]) for name, each in self._encoded.items()}
        return CodedTable(columns, len(places), self.numbers()[places])
