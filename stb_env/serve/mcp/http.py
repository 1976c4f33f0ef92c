"""The protocol's streamable HTTP, as a route of the server's application."""

from __future__ import annotations

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import Route

from stb_env.serve.mcp.episodes import Episodes
from stb_env.serve.mcp.server import EpisodeServer
from stb_env.serve.sessions.sessions import Sessions
from stb_env.serve.settings import ServeSettings, is_loopback

PATH = "/mcp"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class McpEndpoint:
    """Where HTTP clients play.

    Args:
        sessions: Where the episodes live.
        settings: What the operator decided.

    Attributes:
        manager: Serves the route; enter ``manager.run()`` for as long as the application runs, once.
    """

    def __init__(self, sessions: Sessions, settings: ServeSettings) -> None:
        limits = settings.limits
        self.manager = StreamableHTTPSessionManager(
            EpisodeServer(Episodes(sessions).find).server(),
            json_response=True,
            security_settings=_security(settings),
            session_idle_timeout=limits.idle,
            max_request_body_size=limits.body,
            max_sessions=limits.sessions,
        )

    def route(self) -> Route:
        """Return the route."""
        return Route(PATH, StreamableHTTPASGIApp(self.manager), include_in_schema=False)


def _security(settings: ServeSettings) -> TransportSecuritySettings:
    """On loopback, where no token need be asked for, a web page must not get in by a name of its own."""
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=is_loopback(settings.host),
        allowed_hosts=[f"{host}:*" for host in _LOOPBACK],
        allowed_origins=[*(f"http://{host}:*" for host in _LOOPBACK), *settings.cors],
    )
