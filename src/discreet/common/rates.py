"""How often something is right, with what chance explains of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

_Z = 1.959963984540054


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Return the 95% interval of a share by Wilson's score; of a mean of probabilities (not whole) a wider one.

    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if not 0 <= successes <= n:
        raise ValueError("successes lie between 0 and n")
    if n == 0:
        return 0.0, 1.0
    share, square = successes / n, _Z * _Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = _Z * sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    low = 0.0 if successes == 0 else max(middle - half, 0.0)
    return low, 1.0 if successes == n else min(middle + half, 1.0)


@dataclass(frozen=True)
class Rate:
    """How often an attack is right: `right` of `tries`.

    `right` is not whole where each try succeeds with a known probability (one of five rows alike is the person: 1/5);
    the interval is then wider than it need be, never narrower: such a mean varies less than that of whole tries.
    """

    right: float
    tries: int

    @property
    def share(self) -> float | None:
        """The share of the tries that were right; None when nothing was tried."""
        return self.right / self.tries if self.tries else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share, by Wilson's score."""
        return wilson(self.right, self.tries)

    def beyond(self, other: Rate) -> bool:
        """Whether it is more than another, beyond what chance explains at 95%.

        By Newcombe's interval of the difference of two shares, made of their Wilson intervals.

        >>> Rate(60, 100).beyond(Rate(40, 100)), Rate(45, 100).beyond(Rate(40, 100))
        (True, False)
        """
        if self.share is None or other.share is None:
            return False
        low, high = self.interval[0], other.interval[1]
        return self.share - other.share > sqrt((self.share - low) ** 2 + (high - other.share) ** 2)

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.right + other.right, self.tries + other.tries)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"right": self.right, "tries": self.tries, "share": self.share, "interval": list(self.interval)}
