"""What was decided by the secrets where decisions are blind: which k of a public list was the first to do."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2


@dataclass(frozen=True)
class Decided:
    """The k with which every promise held, those that were asked before it, and how many there are to ask."""

    k: int
    refused: tuple[int, ...]
    of: int

    @property
    def bits(self) -> float:
        """How much the choice tells at most: nothing where the first k did, for that it holds is seen anyway."""
        return log2(self.of) if self.refused else 0.0

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"k": self.k, "refused": list(self.refused), "of": self.of, "bits": round(self.bits, 3)}

    def in_words(self) -> str:
        """Return what was decided, and how much that tells."""
        if not self.refused:
            return f"decided without the secrets, k = {self.k}: the first that was asked, which tells nothing"
        refused = ", ".join(map(str, self.refused))
        return (
            f"decided without the secrets, k = {self.k}: with k = {refused} a promise would have been broken, which "
            f"tells at most {self.bits:.1f} bits of all secrets together"
        )
