"""Tools for clients that can only call tools: those of the episode, and one to speak with."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.runs.driven import DrivenEpisode, Reply

SAY = "say_to_user"

_SAY: JsonObject = {
    "name": SAY,
    "description": "Says something to the user, and returns what they say back. The conversation goes on.",
    "parameters": {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "What to say."}},
        "required": ["text"],
    },
}


def functions(episode: DrivenEpisode) -> list[JsonObject]:
    """Return what may be called now: name, description and parameters of each.

    In a conversation a model writes plain text to the user. Such a text never reaches a server of tools, so
    there is one more tool to say it with.

    Examples:
        >>> episode = DrivenEpisode("stb_env.testing.notes:test/Notes-v0")
        >>> episode.start(task_id="day")
        >>> [each["name"] for each in functions(episode)]
        ['add_note', 'find_notes', 'delete_note', 'Finish']
    """
    offered = [tool["function"] for tool in episode.tools]
    return [*offered, _SAY] if _can_say(episode) else offered


async def call(episode: DrivenEpisode, name: str, arguments: JsonMapping) -> Reply:
    """Call one of `functions`."""
    text = arguments.get("text")
    if name == SAY and isinstance(text, str) and _can_say(episode):
        return await episode.atell(text)
    return await episode.acall(name, arguments)


def _can_say(episode: DrivenEpisode) -> bool:
    names = {tool["function"]["name"] for tool in episode.tools}
    return episode.converses and SAY not in names
