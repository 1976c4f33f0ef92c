"""A tool's spec that can be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stb_env.core.jsontypes import JsonMapping


class TrlTool(dict[str, Any]):
    """A tool of an episode: chat templates take its spec as it is, and TRL calls it by its name.

    Args:
        spec: OpenAI function spec.
        play: Plays a call by name and arguments, and returns the text of the tool's message.

    Examples:
        >>> spec = {"type": "function", "function": {"name": "ping", "parameters": {}}}
        >>> TrlTool(spec, lambda name, arguments: f"{name} {arguments}")(host="here")
        "ping {'host': 'here'}"
    """

    def __init__(self, spec: JsonMapping, play: Callable[[str, dict[str, object]], str]) -> None:
        super().__init__(spec)
        self.__name__: str = spec["function"]["name"]
        self._play = play

    def __call__(self, /, **arguments: Any) -> str:
        """Call the tool and return the text of its message."""
        return self._play(self.__name__, arguments)
