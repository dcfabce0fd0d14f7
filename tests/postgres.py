"""A PostgreSQL server from Debian's packages for as long as tests run: on a port and in a folder of its own."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REQUIRE_ALL

PATIENCE = 60.0
PASSWORD = "s3cret-of-Ann"
"""The password of the user `ann`; nothing may ever show it."""


def programs() -> Path | None:
    """Return where Debian puts the programs of the newest server; None if there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: float(path.parts[-3]))
    return found[-1].parent if found else None


def need_postgres() -> Path:
    """Return where the programs are, or skip the test."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        reason = "PostgreSQL needs psycopg"
    else:
        if (found := programs()) is not None and _user() is not None:
            return found
        reason = "there is no PostgreSQL server here (Debian: apt install postgresql)"
    if REQUIRE_ALL:
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass(frozen=True)
class Server:
    """A running server with a database `bank`; `ann` owns it and needs a password, `postgres` may do everything."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]

    def address(self, table: str = "", *, user: str = "ann@", host: str = "127.0.0.1") -> str:
        """Return an address without a password."""
        return f"postgresql://{user}{host}:{self.port}/bank{'#' + table if table else ''}"

    def admin(self) -> Any:
        """Return a connection that may do everything, without a password, through the socket."""
        import psycopg

        return psycopg.connect(f"host={self.folder} port={self.port} user=postgres dbname=bank", autocommit=True)

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Carry statements out; return what the last one gives."""
        with contextlib.closing(self.admin()) as connection:
            connection.execute("SET ROLE ann")
            for statement in statements:
                found = connection.execute(statement)
            return found.fetchall() if found.description else []


def _user() -> str | None:
    """Return as whom a server runs: never as root."""
    if os.getuid() != 0:
        return pwd.getpwuid(os.getuid()).pw_name
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return None


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """Start a server, and end it."""
    binaries, user = need_postgres(), _user()
    folder = Path(tempfile.mkdtemp(prefix="discreet-pg-", dir="/tmp"))
    other: dict[str, Any] = (
        {"user": user, "group": pwd.getpwnam(str(user)).pw_gid, "extra_groups": []} if os.getuid() == 0 else {}
    )
    if other:
        shutil.chown(folder, str(user))
    folder.chmod(0o755)
    data = folder / "data"
    here = {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, **other}
    made = [
        binaries / "initdb",
        "-D",
        data,
        "-U",
        "postgres",
        "-E",
        "UTF8",
        "-N",
        "--auth-local=trust",
        "--auth-host=scram-sha-256",
    ]
    try:
        subprocess.run(list(map(str, made)), check=True, capture_output=True, **here)
        port = _free_port()
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": folder,
            "fsync": "off",
            "max_connections": 20,
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (folder.parent / f"{folder.name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(binaries / "postgres"), "-D", str(data), *words], stdout=log, stderr=log, **here
            )
        try:
            yield _ready(Server(folder, port, process))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        (folder.parent / f"{folder.name}.log").unlink(missing_ok=True)


def _ready(server: Server) -> Server:
    import psycopg

    end = time.monotonic() + PATIENCE
    while True:
        try:
            with psycopg.connect(
                f"host={server.folder} port={server.port} user=postgres dbname=postgres", autocommit=True
            ) as one:
                one.execute(f"CREATE ROLE ann LOGIN PASSWORD '{PASSWORD}'")
                one.execute("CREATE DATABASE bank OWNER ann")
                return server
        except psycopg.OperationalError:
            if time.monotonic() > end or server.process.poll() is not None:
                raise
            time.sleep(0.1)
