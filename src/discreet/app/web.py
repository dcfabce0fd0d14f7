"""From a request to an answer: the same few ways for every screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from discreet.app.desk import Desk
from discreet.app.forms import FormSaid
from discreet.app.guard import MOST_UPLOAD, OPEN, UPLOAD, AppGuard, Entrance, failed
from discreet.app.pages import Pages
from discreet.app.screens import SCREENS
from discreet.app.screens.base import UNSAVED, Query, Screen, UnsavedText
from discreet.app.uploads import Arrival
from discreet.errors import DiscreetError, InputError, PolicyError

STATIC = Path(__file__).parent / "static"
_BY_NAME = {screen.name: screen for screen in SCREENS}


class WebApp:
    """The answers to all requests."""

    def __init__(self, desk: Desk, entrance: Entrance, most_upload: int = MOST_UPLOAD) -> None:
        self.desk, self.entrance = desk, entrance
        self.pages = Pages(desk, entrance)
        self.last_asked = time.monotonic()
        """When somebody last did something; pages that only listen do not count."""
        self._most_upload = most_upload

    def made(self) -> ASGIApp:
        """Return the whole, guarded."""
        routes = [
            Route(OPEN, self._open),
            Route("/", self._home),
            Route("/events", self._events),
            Route(UPLOAD, self._upload, methods=["PUT"]),
            Route("/step/{what}", self._step, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC, packages=[("discreet.audit.report", "style")])),
            *(route for screen in SCREENS for route in self._screen_routes(screen)),
        ]
        return AppGuard(
            Starlette(routes=routes, exception_handlers={Exception: _failed}), self.entrance, self._most_upload
        )

    def _screen_routes(self, screen: Screen) -> list[Route]:
        async def show(request: Request) -> Response:
            return await self._show(screen, dict(request.query_params))

        async def act(request: Request) -> Response:
            return await self._act(request, screen)

        async def live(request: Request) -> Response:
            name = request.path_params["part"]
            if name not in screen.parts:
                return PlainTextResponse("there is no such part", 404)
            return HTMLResponse(await run_in_threadpool(self.pages.part, screen, name, dict(request.query_params)))

        own = [
            Route(f"/{screen.name}/{path}", self._own(view), methods=["GET"]) for path, view in screen.downloads.items()
        ]
        return [
            Route(f"/{screen.name}", show),
            Route(f"/{screen.name}/live/{{part}}", live),
            *own,
            Route(f"/{screen.name}/{{action}}", act, methods=["POST"]),
        ]

    def _own(self, view: Callable[[Desk, Query], Response]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            self.last_asked = time.monotonic()
            try:
                return await run_in_threadpool(view, self.desk, {**request.query_params, **request.path_params})
            except DiscreetError as error:
                return PlainTextResponse(str(error), 404)

        return answer

    async def _show(self, screen: Screen, query: Query, problems: tuple[str, ...] = (), code: int = 200) -> Response:
        self.last_asked = time.monotonic()
        return HTMLResponse(await run_in_threadpool(self.pages.screen, screen, query, problems), code)

    async def _act(self, request: Request, screen: Screen) -> Response:
        action = screen.actions.get(request.path_params["action"])
        if action is None:
            return PlainTextResponse("there is no such action", 404)
        said = await self._form(request)
        if said is None:
            return PlainTextResponse("this form is not one of ours, or of an earlier start; reload the page", 403)
        try:
            goes = await run_in_threadpool(action, self.desk, said)
        except DiscreetError as error:
            told = tuple(map(str, error.problems)) if isinstance(error, PolicyError) else tuple(str(error).split("\n"))
            query = dict(request.query_params)
            if isinstance(error, UnsavedText):
                query[UNSAVED] = error.text
            return await self._show(screen, query, told, 422)
        return RedirectResponse(goes or f"/{screen.name}", 303)

    async def _form(self, request: Request) -> FormSaid | None:
        """Return what a form says, if it is one of our own."""
        try:
            said = FormSaid.of(await request.body())
        except InputError:
            return None
        return said if self.entrance.is_ours(said.one("token", "")) else None

    async def _step(self, request: Request) -> Response:
        """Undo, redo, forget."""
        said = await self._form(request)
        steps = {"undo": self.desk.undo, "redo": self.desk.redo, "forget": self.desk.forget}
        step = steps.get(request.path_params["what"])
        if said is None or step is None:
            return PlainTextResponse("this form is not one of ours, or of an earlier start; reload the page", 403)
        await run_in_threadpool(step)
        self.last_asked = time.monotonic()
        back = said.one("back", "")
        return RedirectResponse(f"/{back}" if back in _BY_NAME else "/", 303)

    async def _open(self, request: Request) -> Response:
        """Take the one-time token, and give the cookie for it."""
        if not self.entrance.takes(request.query_params.get("token", "")):
            return PlainTextResponse(USED, 403)
        # Not a redirect: from another program's page the cookie would not be sent along with it.
        page = HTMLResponse(HELLO)
        page.set_cookie(self.entrance.cookie_name, self.entrance.cookie, httponly=True, samesite="strict", path="/")
        return page

    async def _home(self, request: Request) -> Response:
        del request
        return RedirectResponse(f"/{SCREENS[0].name}", 303)

    async def _events(self, request: Request) -> Response:
        del request

        async def lines() -> AsyncIterator[str]:
            async for text in self.desk.hub.listen({"number": self.desk.now.number}):
                yield text

        return StreamingResponse(lines(), media_type="text/event-stream")

    async def _upload(self, request: Request) -> Response:
        """Take a file that was dropped: it streams to the private folder, whole or not at all."""
        self.last_asked = time.monotonic()
        if not self.entrance.is_ours(request.headers.get("x-discreet-token", "")):
            return PlainTextResponse("this page is of an earlier start; reload it", 403)
        try:
            arrival = Arrival(self.desk.sitting.dropped, request.query_params.get("name", ""))
            with arrival:
                async for chunk in request.stream():
                    await asyncio.to_thread(arrival.write, chunk)
                path = arrival.done()
            await run_in_threadpool(self.desk.take_dropped, path)
        except DiscreetError as error:
            return PlainTextResponse(str(error), 422)
        return PlainTextResponse("/table")


async def _failed(request: Request, error: Exception) -> Response:
    del request
    return failed(error)


USED = "This address has been used, or is of an earlier start. Start `discreet app` again for a new one."
HELLO = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>discreet</title>'
    '<link rel="icon" href="/static/icon.svg">'
    '<meta http-equiv="refresh" content="0;url=/"></head><body><p><a href="/">Go on</a></p></body></html>'
)
