"""Where a table is, or goes: a file (perhaps a part of one), standard input or output, a database by its address.

An address never holds a password: who gives one with it is refused before it is kept, shown or used.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from discreet.errors import InputError

STANDARD = Path("-")
"""Standard input, or output."""
SCHEMES = ("postgresql", "postgres")
_SCHEME = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*)://")
_FLATTENED = re.compile(rf"^\s*({'|'.join(SCHEMES)}):", re.IGNORECASE)
_PASSWORD = re.compile(r"(\b|_)(ssl)?password\s*=|\boauth_client_secret\s*=", re.IGNORECASE)
SECRETS = ("password", "sslpassword", "oauth_client_secret")
ELSEWHERE = "PGPASSWORD, ~/.pgpass or a service file"
UNREADABLE = (
    "the address of the database cannot be read; write postgresql://HOST/DATABASE#TABLE, without a password, and with "
    "%40 for an @ in the name of a table"
)


@dataclass(frozen=True, repr=False)
class Address:
    """A table of a database by its address; what is shown of it tells neither user nor options.

    Parameters
    ----------
    server
        What a driver connects to: `postgresql://user@host:port/database?options`.
    table
        The table, as it is written after `#`; None where none is named.
    """

    server: str
    table: str | None
    arrival: list[object] = field(default_factory=list, compare=False)
    """What was fetched from there, once it was: a table does not change while a job looks at it."""

    @classmethod
    def of(cls, text: str) -> Address:
        """Return the address in a text.

        >>> str(Address.of("postgresql://ann@db.example/bank?connect_timeout=3#loans"))
        'postgresql://db.example/bank#loans'
        """
        server, _, table = text.strip().partition("#")
        netloc: str | None = None
        secret = _PASSWORD.search(unquote(text)) is not None
        with contextlib.suppress(ValueError):  # it cannot be read
            parts = urlsplit(server)
            options = parse_qsl(parts.query, keep_blank_values=True)
            secret = secret or parts.password is not None or any(name.lower() in SECRETS for name, _ in options)
            _ = parts.port
            netloc = parts.netloc
        if secret:
            raise InputError(
                f"the address of the database has a password in it, which would stay in histories and logs; take it "
                f"out, and give it by {ELSEWHERE}"
            )
        if netloc is None or not _SCHEME.match(server) or _strays(netloc, text):
            raise InputError(UNREADABLE)
        return cls(server, unquote(table) or None)

    @property
    def scheme(self) -> str:
        """How it begins."""
        return urlsplit(self.server).scheme

    @property
    def name(self) -> str:
        """What it is called in messages and manifests."""
        parts = urlsplit(self.server)
        host = parts.netloc.rpartition("@")[2]
        shown = urlunsplit(("postgresql", host, parts.path, "", ""))
        shown = shown if "//" in shown else shown.replace(":", "://", 1)
        return shown if self.table is None else f"{shown}#{self.table}"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Address {self.name}>"


def _strays(netloc: str, text: str) -> bool:
    """Whether an @ stands elsewhere than behind the user: what is before it may be the rest of a password."""
    return text.count("@") > netloc.count("@") or netloc.count("@") > 1


Place: TypeAlias = Path | Address


def place_of(said: str | Path | Address) -> Place:
    """Return the place that somebody means.

    >>> place_of("bank.csv").name
    'bank.csv'
    """
    if isinstance(said, Address):
        return said
    text = str(said)
    if isinstance(said, Path):
        if _FLATTENED.match(text):
            raise InputError("the address of a database is given as a text, not as a Path, which changes it")
        return said
    scheme = _SCHEME.match(text.strip())
    if _FLATTENED.match(text):
        return Address.of(text)
    if scheme is not None:
        raise InputError(
            f"{scheme[1]}://...: tables are read from files and postgresql:// addresses; save it to a file first"
        )
    if _PASSWORD.search(text):
        raise InputError(f"this names a password, which would stay in histories and logs; give it by {ELSEWHERE}")
    path = Path(text)
    return path.absolute() if path == STANDARD and text != "-" else path


def is_standard(place: Place) -> bool:
    """Whether a place is standard input or output; a file of that name is `./-`."""
    return place == STANDARD


def settled(place: Place) -> Place:
    """Return a place that stays the same wherever the program goes.

    >>> settled(Path("bank.csv")).is_absolute(), settled(STANDARD).name
    (True, '-')
    """
    return place if isinstance(place, Address) or is_standard(place) else place.absolute()


def file_and_part(table: Path) -> tuple[Path, str | None]:
    """Return the file that `FILE` or `FILE#PART` means, and the part; a file whose own name has `#` comes first."""
    text = str(table)
    try:
        if table.is_file():
            return table, None
        for at in reversed([place for place, letter in enumerate(text) if letter == "#"]):
            if Path(text[:at]).is_file():
                return Path(text[:at]), text[at + 1 :] or None
    except (OSError, ValueError):
        pass  # reading it says what is wrong
    return table, None


def is_there(place: Place) -> bool:
    """Whether a file that was written is there; what is no file is, once it was told of."""
    return isinstance(place, Address) or is_standard(place) or file_and_part(place)[0].exists()
