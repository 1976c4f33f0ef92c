"""The protocol's streamable HTTP, as a route of the server's application."""

from __future__ import annotations

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.routing import Route

from stb_env.serve.mcp.episodes import Episodes
from stb_env.serve.mcp.server import EpisodeServer
from stb_env.serve.sessions.sessions import Sessions
from stb_env.serve.settings import ServeSettings

PATH = "/mcp"


class McpEndpoint:
    """Endpoint of HTTP clients. The gate checks tokens and host names.

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
            session_idle_timeout=limits.idle,
            max_request_body_size=limits.body,
            max_sessions=limits.sessions,
        )

    def route(self) -> Route:
        """Return the route."""
        return Route(PATH, StreamableHTTPASGIApp(self.manager), include_in_schema=False)
