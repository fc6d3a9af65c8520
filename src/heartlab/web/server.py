"""The server: the page over HTTP, and a connection for each browser."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from heartlab.web.coaching import CoachService
from heartlab.web.connection import Connection
from heartlab.web.friends import Friends
from heartlab.web.gate import Gate
from heartlab.web.guard import Guarded, Hosts
from heartlab.web.house import House

PAGE = Path(__file__).parent / "page"


async def _index(request: Request) -> Response:
    return FileResponse(PAGE / "index.html")


async def _worker(request: Request) -> Response:
    """The service worker, at the top so that it serves the whole page."""
    return FileResponse(PAGE / "worker.js", media_type="text/javascript")


def make_app(
    house: House,
    coach: CoachService,
    hosts: Hosts,
    gate: Gate | None = None,
    friends: Friends | None = None,
) -> ASGIApp:
    """The application; `hosts` are the names by which it may be called."""
    friends = friends or Friends(house)

    async def talk(socket: WebSocket) -> None:
        await Connection(house, coach, socket, gate, friends).run()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> Any:
        yield
        for live in list(house.live.values()):
            if live.driving is not None:
                live.driving.cancel()

    routes = [
        Route("/", _index),
        Route("/worker.js", _worker),
        WebSocketRoute("/ws", talk),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    return Guarded(Starlette(routes=routes, lifespan=lifespan), hosts)
