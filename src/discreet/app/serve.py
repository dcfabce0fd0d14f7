"""Starting and ending the app: the private folder, the address, the browser, idle time."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path

import uvicorn

from discreet.app.desk import Desk
from discreet.app.folder import OpenFolder
from discreet.app.guard import LOOPBACK, OPEN, Entrance
from discreet.app.sitting import Sitting, write_whole
from discreet.app.web import WebApp
from discreet.errors import InputError

GRACE = 2
"""Seconds that requests have to end when the server does."""


@dataclass(frozen=True)
class AppOptions:
    """What the command line says."""

    table: str | None = None
    policy: Path | None = None
    folder: Path | None = None
    port: int = 0
    host: str = "127.0.0.1"
    i_know: bool = False
    idle: float | None = None
    browser: bool = True
    resume: bool = False


def run(options: AppOptions, say: Callable[[str], None]) -> None:
    """Serve until somebody ends it."""
    refuse_far(options)
    sitting = Sitting.begin(OpenFolder.of(options.folder or Path()), resume=options.resume)
    desk = Desk(sitting)
    try:
        take_up(desk, options)
        with listening(options.host, options.port) as bound:
            port = bound.getsockname()[1]
            entrance = Entrance.at(options.host, port)
            say(address(options.host, port, entrance.token or ""))
            if options.host not in LOOPBACK:
                print(EXPOSED.format(options.host), file=sys.stderr)
            desk.figures.warm_up()
            if options.browser:
                open_browser(desk.sitting.path, address(options.host, port, entrance.token or ""))
            serve(WebApp(desk, entrance), bound, options.idle)
    finally:
        desk.end()


def refuse_far(options: AppOptions) -> None:
    """Refuse to be reached from other machines by mistake."""
    if options.host not in LOOPBACK and not options.i_know:
        raise InputError(
            f"--host {options.host}: everybody who reaches this machine there could see the table if the address "
            "leaks, and nothing is encrypted on the way; add --i-know if you want that"
        )


def take_up(desk: Desk, options: AppOptions) -> None:
    """Open the table and the policy that were named."""
    here = Path.cwd()
    if options.policy is not None:
        desk.take_policy(here / options.policy)
    if options.table is not None:
        desk.open_table(str(here / options.table))


def address(host: str, port: int, token: str) -> str:
    """Return the address that opens the app, once."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{OPEN}?token={token}"


@contextlib.contextmanager
def listening(host: str, port: int):  # type: ignore[no-untyped-def]
    """Bind a socket."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(128)  # who opens the address at once waits rather than fails
        yield bound
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL):
            raise InputError(f"--port {port}: cannot be used ({error.strerror}); leave it out for a free one") from None
        raise
    finally:
        bound.close()


def serve(web: WebApp, bound: socket.socket, idle: float | None = None) -> None:
    """Answer requests until the program is interrupted, or nobody has asked for so many minutes."""
    config = uvicorn.Config(
        web.made(),
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=30,
        limit_concurrency=100,
        h11_max_incomplete_event_size=64_000,
    )
    server = EndingServer(config, web)
    if idle is not None:
        threading.Thread(target=_end_when_idle, args=(server, web, idle * 60), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve(sockets=[bound]))


class EndingServer(uvicorn.Server):
    """Lets pages that listen go when it ends; they would keep it waiting."""

    def __init__(self, config: uvicorn.Config, web: WebApp) -> None:
        super().__init__(config)
        self._web = web

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._web.desk.hub.end()
        await super().shutdown(sockets)


def _end_when_idle(server: uvicorn.Server, web: WebApp, seconds: float) -> None:
    while not server.should_exit:
        time.sleep(min(1.0, seconds / 4))
        if web.desk.jobs.busy is not None:
            web.last_asked = time.monotonic()
        elif time.monotonic() - web.last_asked > seconds:
            server.should_exit = True


def open_browser(folder: Path, url: str) -> None:
    """Open the address in the user's browser by way of a private file: other users can see what programs are told."""
    page = folder / "open.html"
    text = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={escape(url)}">discreet'
    write_whole(page, text.encode())
    threading.Thread(target=_open, args=(page,), daemon=True).start()


def _open(page: Path) -> None:
    with contextlib.suppress(Exception):
        webbrowser.open(page.as_uri())


EXPOSED = (
    "discreet: reachable from other machines at {}; whoever has the address above can see the table, and nothing is "
    "encrypted on the way"
)
