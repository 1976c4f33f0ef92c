"""A shop with an OpenAPI document, served by FastAPI and uvicorn on loopback."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import uvicorn
from fastapi import Cookie, Depends, FastAPI, File, Form, Header, HTTPException, Query, Request, UploadFile
from fastapi.responses import RedirectResponse, Response
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

KEY = "shop-key-0123456789"

header_key = APIKeyHeader(name="X-Shop-Key")
token = HTTPBearer()


class Order(BaseModel):
    item: int
    count: int = 1
    notes: dict[str, str] = {}


class Part(BaseModel):
    name: str
    parts: list[Part] = []


@dataclass
class Shop:
    """The service, and what it was asked."""

    url: str = ""
    asked: list[str] = field(default_factory=list)

    def app(self) -> FastAPI:
        app = FastAPI(title="Corner Shop", version="1")

        @app.middleware("http")
        async def count(request: Any, call_next: Any) -> Any:
            self.asked.append(f"{request.method} {request.url.path}?{request.url.query}")
            return await call_next(request)

        @app.get("/items/{item}", operation_id="get item")
        def get_item(item: int) -> dict[str, Any]:
            """Reads an item."""
            if item > 2:
                raise HTTPException(404, "no such item")
            return {"item": item, "name": ["cup", "pot", "tray"][item], "euros": 2.5 * (item + 1)}

        @app.get("/search")
        def search(
            words: Annotated[list[str], Query()],
            most: int = 10,
            x_lang: Annotated[str, Header()] = "en",
            seen: Annotated[str, Cookie()] = "",
        ) -> dict[str, Any]:
            return {"words": words, "most": most, "lang": x_lang, "seen": seen}

        @app.post("/orders")
        def order(order: Order, key: Annotated[str, Depends(header_key)]) -> dict[str, Any]:
            if key != KEY:
                raise HTTPException(401, f"bad key {key}")
            return {"ordered": order.item, "count": order.count, "notes": order.notes, "echo": key}

        @app.get("/account")
        def account(held: Annotated[HTTPAuthorizationCredentials, Depends(token)]) -> dict[str, str]:
            return {"token": held.credentials}

        @app.post("/parts")
        def parts(part: Part) -> dict[str, int]:
            return {"direct": len(part.parts)}

        @app.post("/files")
        async def files(
            upload: Annotated[UploadFile, File()], title: Annotated[str, Form()]
        ) -> dict[str, Any]:
            return {"title": title, "bytes": len(await upload.read())}

        @app.delete("/items/{item}", status_code=204)
        def delete(item: int) -> None:
            del item

        @app.get("/moved", response_class=RedirectResponse)
        def moved() -> str:
            return "http://elsewhere.invalid/"

        @app.get("/latin", response_class=Response)
        def latin() -> Response:
            return Response("café".encode("latin-1"), media_type="text/plain; charset=ISO-8859-1")

        @app.get("/told")
        def told(request: Request) -> dict[str, int]:
            return {"length": len(request.headers.get("x-lang", ""))}

        @app.get("/picture", response_class=Response)
        def picture() -> Response:
            return Response(b"\x89PNG\xff\xfe", media_type="image/png")

        return app

    @contextlib.contextmanager
    def running(self) -> Iterator[Shop]:
        with serving(self.app()) as self.url:
            yield self


@contextlib.contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application in a thread, and yield its URL."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    socket = server.config.bind_socket()
    # Who connects before the thread has begun waits, and is not refused.
    socket.listen()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join()
