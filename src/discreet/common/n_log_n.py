"""n log n as whole numbers, so that entropies are compared by integers, and the same on every machine."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import numpy.typing as npt

UNIT = 2**20
_DOUBT = 1e-2
"""Far above the error of a float for up to 2**26, and below a half."""


def n_log_n(most: int) -> npt.NDArray[np.int64]:
    """Return the whole number next to n log2 n times 2**20, for each n up to `most`.

    >>> n_log_n(4).tolist() == [0, 0, 2 * 2**20, 4985861, 8 * 2**20]
    True
    """
    n = np.arange(most + 1, dtype=np.float64)
    exact = n * np.log2(np.maximum(n, 1)) * UNIT
    found = np.rint(exact).astype(np.int64)
    unsure = np.flatnonzero(np.abs(np.abs(exact - np.floor(exact)) - 0.5) < _DOUBT)
    with localcontext() as context:
        context.prec = 60
        two = Decimal(2).ln()
        for each in unsure.tolist():
            found[each] = int((each * Decimal(each).ln() / two * UNIT).to_integral_value())
    return found
