"""The memory of the machine, and what a job may take of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SHARE = 0.6
"""Of the machine's memory, the share that a job may take when nobody says more."""
NO_LIMIT = sys.maxsize


def machine() -> int:
    """Return the memory of the machine, or of the container it is divided into."""
    sizes = [NO_LIMIT]
    try:
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError, AttributeError):
        return NO_LIMIT  # a system that does not say
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            said = Path(file).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if said.isdigit():
            sizes.append(int(said))
    return min(sizes)


def memory_for_a_job() -> int:
    """Return how much memory a job may take when nobody says more."""
    return int(SHARE * machine())
