"""The secret of a ledger, and the names under which it knows persons.

A person is known by a keyed hash of her id (HMAC-SHA-256, its first 16 bytes). Whoever has the secret can try ids;
beside the hashes, in the ledger itself, it stops only a glance. It may lie elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from discreet.common.reading import reading_file
from discreet.errors import InputError

BYTES = 32
LEAST = 16
BLOCK = 64
"""Bytes that SHA-256 takes at a time."""
PROBE = b"the secret of this ledger"


class LedgerSecret:
    """The key by which ids are hashed."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        block = (key if len(key) <= BLOCK else hashlib.sha256(key).digest()).ljust(BLOCK, b"\0")
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))
        self._last: tuple[tuple[str, ...], pl.Series] | None = None

    def __repr__(self) -> str:
        return "<LedgerSecret>"

    @property
    def check(self) -> str:
        """What tells this secret from another one, and nothing else."""
        return hmac.digest(self._key, PROBE, "sha256").hex()

    def names(self, ids: Sequence[str]) -> pl.Series:
        """Return the names of persons, each by her id."""
        wanted = tuple(ids)
        if self._last is None or self._last[0] != wanted:
            self._last = wanted, pl.Series([self._name(one) for one in wanted], dtype=pl.String)
        return self._last[1]

    def _name(self, one: str) -> str:
        """Return the start of the HMAC of an id, from what the key alone makes of it: a third of the time."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(one.encode())
        outer.update(inner.digest())
        return outer.hexdigest()[:32]


def new_secret(path: Path) -> LedgerSecret:
    """Draw a secret and write it to a private file."""
    key = secrets.token_hex(BYTES).encode()
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "wb") as file:
            file.write(key + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or 'failed'})") from None
    return LedgerSecret(key)


def read_secret(path: Path) -> LedgerSecret:
    """Return the secret in a file: all that is in it, but for blanks and line ends around it."""
    with reading_file(path, missing="there is no such file with the secret of the ledger"):
        key = path.read_bytes().strip()
    if len(key) < LEAST:
        raise InputError(f"{path}: a secret needs at least {LEAST} characters; let discreet draw one into a new file")
    with contextlib.suppress(OSError):
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise InputError(f"{path}: others can read this secret; take their rights away (chmod 600)")
    return LedgerSecret(key)
