"""``/health``: whether the server can do what it is there for."""

from __future__ import annotations

from fastapi import APIRouter

from stb_env.jsontypes import JsonObject


def routes() -> APIRouter:
    """Return the route."""
    router = APIRouter(tags=["operations"])

    @router.get("/health")
    async def health() -> JsonObject:
        """Say whether the server can do what it is there for."""
        return {"status": "ok"}

    return router
