"""Random tokens that stand for the values of an identifier: they link a person's rows, and tell nothing else."""

from __future__ import annotations

import polars as pl

from discreet.chance import chance_from

BYTES = 8
"""Of a token: so many that two are never the same by chance, and are drawn again if they are."""


def tokens_of(texts: pl.Series) -> pl.Series:
    """Return a token for each text, the same for equal ones, drawn anew each time; a missing one has one too.

    They come from the operating system, whatever seed was given: nothing that somebody knows leads from a token to its
    text, and nobody keeps which is which.

    >>> one, other, again = tokens_of(pl.Series(["a", "b", "a"])).to_list()
    >>> one == again, one == other
    (True, False)
    """
    values = texts.unique(maintain_order=True)
    chance, taken = chance_from(None), set(values.to_list())
    drawn: list[str] = []
    while len(drawn) < len(values):
        token = chance(BYTES).hex()
        if token not in taken:
            taken.add(token)
            drawn.append(token)
    tokens = pl.DataFrame({"text": values, "token": pl.Series(drawn, dtype=pl.String)})
    rows = pl.DataFrame({"text": texts})
    return rows.join(tokens, on="text", how="left", nulls_equal=True, maintain_order="left").get_column("token")
