"""The secret of a ledger, and the names under which it knows persons.

A person is known by a keyed hash of her id: SipHash with 128 bits, by a key that is made of the secret. Ledgers of the
first version know her by HMAC-SHA-256 (its first 16 bytes), id by id, and go on to. Whoever has the secret can try ids;
beside the hashes, in the ledger itself, it stops only a glance. It may lie elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from discreet.common.reading import reading_file
from discreet.errors import InputError
from discreet.ledger.people_file import number_of
from discreet.ledger.siphash import keyed_hashes

BYTES = 32
LEAST = 16
BLOCK = 64
"""Bytes that SHA-256 takes at a time."""
PROBE, NAMES = b"the secret of this ledger", b"the names of persons"
ROWS = b"the names of rows"
SIPHASH, HMAC = "siphash-2-4-128", "hmac-sha-256-128"
"""How ids are hashed: in ledgers that are made now, and in those of the first version."""


class LedgerSecret:
    """The key by which ids are hashed, and how."""

    def __init__(self, key: bytes, how: str = SIPHASH) -> None:
        self._key, self._how = key, how
        self._last: tuple[pl.Series, pl.Series] | None = None

    def __repr__(self) -> str:
        return "<LedgerSecret>"

    def hashing(self, how: str) -> LedgerSecret:
        """Return the same key, for ids that are hashed in some way."""
        return LedgerSecret(self._key, how)

    @property
    def check(self) -> str:
        """What tells this secret from another one, and nothing else."""
        return hmac.digest(self._key, PROBE, "sha256").hex()

    def names(self, ids: pl.Series | Sequence[str]) -> pl.Series:
        """Return the names of persons, each by her id: whole numbers of 128 bits."""
        wanted = ids if isinstance(ids, pl.Series) else pl.Series(ids, dtype=pl.String)
        if self._last is None or not self._last[0].equals(wanted):
            self._last = wanted, self._hashed(wanted)
        return self._last[1]

    def row_names(self, keys: pl.Series) -> pl.Series:
        """Return the names of rows, each by its key: they tell nothing of names of persons."""
        return keyed_hashes(keys, hmac.digest(self._key, ROWS, "sha256")[:16])

    def _hashed(self, ids: pl.Series) -> pl.Series:
        if self._how == SIPHASH:
            return keyed_hashes(ids, hmac.digest(self._key, NAMES, "sha256")[:16])
        digits = map(_hmac_of(self._key), ids.to_list())
        return number_of(pl.Series(list(digits), dtype=pl.String))


def _hmac_of(key: bytes) -> Callable[[str], str]:
    """Return what makes the start of the HMAC of an id, from what the key alone makes of it: a third of the time."""
    block = (key if len(key) <= BLOCK else hashlib.sha256(key).digest()).ljust(BLOCK, b"\0")
    first = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
    last = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))

    def made(one: str) -> str:
        inner, outer = first.copy(), last.copy()
        inner.update(one.encode())
        outer.update(inner.digest())
        return outer.hexdigest()[:32]

    return made


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
