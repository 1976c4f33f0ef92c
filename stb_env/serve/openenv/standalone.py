"""One environment at the root of a server, where OpenEnv's containers look for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.types import Receive, Scope, Send

from stb_env.serve.app import create_app
from stb_env.serve.settings import ServeSettings
from stb_env.suite import find_env

Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]


def environment_app(env_id: str, *, token: str = "", **settings: object) -> Asgi:
    """Return the ASGI application of one environment.

    Args:
        env_id: Its id.
        token: What clients of other machines must show; without one they are refused.
        **settings: Settings of the environment: data, cache, mode, models ...

    Raises:
        ConfigError: The id or a setting is wrong, or the token is too short.
    """
    found = find_env(env_id)
    app = create_app(ServeSettings(ids=(found,), env=settings, token=token))
    base = f"/openenv/{found}"

    async def at_root(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and not scope["path"].startswith(base):
            path = base + scope["path"]
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await app(scope, receive, send)

    return at_root
