"""One episode on stdin and stdout: a client starts the process, plays, and ends it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from mcp.server.stdio import stdio_server

from stb_env.runs.driven import DrivenEpisode
from stb_env.serve.mcp.server import Context, EpisodeServer, Find


def run(episode: DrivenEpisode) -> None:
    """Serve an episode until the client closes stdin.

    Args:
        episode: The episode, started.
    """
    anyio.run(_serve, episode)


def lent(episode: DrivenEpisode) -> Find:
    """Lend the one episode of a process to every request, one at a time."""
    lock = asyncio.Lock()

    @asynccontextmanager
    async def find(_: Context) -> AsyncIterator[DrivenEpisode]:
        async with lock:
            yield episode

    return find


async def _serve(episode: DrivenEpisode) -> None:
    # Many clients show the model these instructions and no prompt.
    told = "\n\n".join(str(message["content"]) for message in episode.messages)
    server = EpisodeServer(lent(episode)).server(told)
    # While it serves, whatever prints to stdout goes to stderr.
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
