"""No room left on the disk or in the memory, as libraries say it: Polars, DuckDB and Spark have no code for it."""

from __future__ import annotations

_FULL = ("No space left", "os error 28", '"errno":"28"', "Disk quota", "max_temp_directory_size")
_MEMORY = ("Out of Memory", "out of memory", "memory allocation")


def is_disk_full(said: str) -> bool:
    """Whether a library said that the disk is full."""
    return any(text in said for text in _FULL)


def is_memory_short(said: str) -> bool:
    """Whether a library said that the memory does not suffice."""
    return any(text in said for text in _MEMORY)
