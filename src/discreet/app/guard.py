"""What stands before every request: who may ask, from where, how much; and what every answer must say.

One user on one machine. A page of somebody else's, open in the same browser, can send requests here: it does not know
the cookie (SameSite=Strict), its Origin and Sec-Fetch-Site tell, and it has no token for forms. A name that suddenly
points to this machine (DNS rebinding) is not among the hosts that are answered.
"""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPEN = "/open"
"""The one path that is answered without the cookie: it takes the one-time token."""
UPLOAD = "/upload"
MOST_BODY = 2_500_000
"""Bytes of a form."""
MOST_UPLOAD = 1_000_000_000
"""Bytes of a table that is dropped."""
SAFE = ("GET", "HEAD")
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer, browsers say `Origin: null` of our own forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
NO_COOKIE = (
    "This is discreet's app. It answers only the browser that opened the address which `discreet app` printed: open "
    "that address, or start it again for a new one."
)


@dataclass
class Entrance:
    """The secrets of one start, and the hosts that it answers to."""

    hosts: frozenset[str]
    """What may stand in the Host header: names with the port."""
    cookie_name: str
    token: str | None = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """Opens the app once."""
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    form: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """Stands in every form."""

    @classmethod
    def at(cls, host: str, port: int) -> Entrance:
        """Return the entrance of a server."""
        names = {host, "localhost", "127.0.0.1", "::1"} if host in LOOPBACK else {host}
        shown = {f"[{name}]" if ":" in name else name for name in names}
        hosts = {f"{name}:{port}" for name in shown} | (shown if port == 80 else set())
        return cls(frozenset(hosts), f"discreet-{port}")

    def takes(self, token: str) -> bool:
        """Whether this is the token; it is worth nothing afterwards."""
        if self.token is None or not hmac.compare_digest(token.encode(), self.token.encode()):
            return False
        self.token = None
        return True

    def knows(self, cookies: str) -> bool:
        """Whether a browser shows the cookie."""
        try:
            found = SimpleCookie(cookies).get(self.cookie_name)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self.cookie.encode())

    def is_ours(self, form: str) -> bool:
        """Whether a form is one of our pages'."""
        return hmac.compare_digest(form.encode(), self.form.encode())


LOOPBACK = ("127.0.0.1", "localhost", "::1")


class AppGuard:
    """Lets through what may pass, and writes on every answer what browsers must know."""

    def __init__(self, app: ASGIApp, entrance: Entrance, most_upload: int = MOST_UPLOAD) -> None:
        self._app, self._entrance, self._most_upload = app, entrance, most_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        begun = False

        async def told(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        if refused is not None:
            await PlainTextResponse(refused[1], refused[0])(scope, receive, told)
            return
        most = self._most_upload if scope["path"] == UPLOAD else MOST_BODY
        try:
            await self._app(scope, _counted(receive, most), told)
        except Exception as error:  # never a trace: it may have values
            if os.environ.get("DISCREET_DEBUG"):
                raise
            if not begun:
                await failed(error)(scope, receive, told)

    def _refusal(self, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
        """Return why a request is refused, with the code; None where it may pass."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._entrance.hosts:
            return 400, "this server answers to its own address only"
        if method not in (*SAFE, "POST", "PUT"):
            return 405, "not a way to ask"
        site = headers.get("sec-fetch-site")
        if path == OPEN and method == "GET":
            return None
        if site not in (None, "same-origin", "none"):
            return 403, "asked by another site"
        if not self._entrance.knows("; ".join(headers.getlist("cookie"))):
            return 403, NO_COOKIE
        if method in SAFE:
            return None
        origin = headers.get("origin")
        if origin is None and site != "same-origin":
            return 403, "asked by nobody knows whom"
        if origin is not None and origin.lower() not in {f"http://{host}" for host in self._entrance.hosts}:
            return 403, "asked by another site"
        return self._too_long(path, headers)

    def _too_long(self, path: str, headers: Headers) -> tuple[int, str] | None:
        most = self._most_upload if path == UPLOAD else MOST_BODY
        length = headers.get("content-length")
        if length is not None and not (length.isascii() and length.isdigit()):
            return 400, "no length"
        if length is not None and int(length) > most:
            return 413, f"more than {most:,} bytes"
        return None


def failed(error: Exception) -> PlainTextResponse:
    """Return what is said of a mistake of ours: its kind, and nothing that may have values."""
    said = f"internal error ({type(error).__name__}). This is a mistake in discreet, please report it."
    return PlainTextResponse(said, 500)


def _counted(receive: Receive, most: int) -> Receive:
    """Return what receives a body, up to a limit, whatever its header said."""
    taken = 0

    async def counting() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise HTTPException(413, f"more than {most:,} bytes")
        return message

    return counting
