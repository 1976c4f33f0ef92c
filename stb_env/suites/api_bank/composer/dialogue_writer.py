"""Writes a dialogue down while it happens: every recorded result is what the API really answered."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.errors import DataError
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall, Utterance
from stb_env.suites.api_bank.retrieval_world import found_names
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tools import ToolResult


class DialogueWriter:
    """Takes down what is said, and makes the calls.

    Args:
        world: Answers calls; with a search where ``searching``.
        random: Draws what is left open.
        searching: Whether a tool has to be found before it is called.

    Examples:
        >>> writer = DialogueWriter(ApiBankWorld(), Random(0))
        >>> writer.user("What is 2 plus 3?")
        >>> writer.call("Calculator", {"formula": "2+3"})
        5.0
        >>> writer.dialogue("sum", 1).calls[0].result["output"]
        5.0
    """

    def __init__(self, world: ApiBankWorld, random: Random, *, searching: bool = False) -> None:
        self.random = random
        self.searching = searching
        self._world = world
        self._state = world.fresh(random.getrandbits(32))
        self._items: list[Utterance | GoldCall] = []
        self._found: set[str] = set()

    def user(self, text: str) -> None:
        """Take down what the user says."""
        self._items.append(Utterance("User", text))

    def ask(self, lead: str, *forms: str) -> None:
        """Take down a request of the user in one of several wordings, after words that lead over to it."""
        self.user(lead + self.random.choice(forms))

    def assistant(self, text: str) -> None:
        """Take down what the assistant says."""
        self._items.append(Utterance("AI", text))

    def call(self, name: str, arguments: JsonMapping, keywords: str = "") -> Json:
        """Make a call, after a search where its tool is not found yet, and return the output.

        Args:
            name: Name of the API.
            arguments: Its arguments, as dialogues record them.
            keywords: What to search for; the name where that does not find it.

        Raises:
            DataError: The API refuses, so that the dialogue would not make sense.
        """
        self.find(name, keywords)
        return self._made(name, arguments)

    def find(self, name: str, keywords: str = "") -> None:
        """Search for a tool, where tools have to be found and this one is not yet."""
        if not self.searching or name in self._found:
            return
        words = keywords if keywords and name in self._search(keywords) else name
        self._found.update(self._search(words))
        self._made(SEARCHER, {"keywords": words})

    def dialogue(self, name: str, level: int) -> Dialogue:
        """Return the dialogue so far."""
        return Dialogue(name, level, tuple(self._items))

    def _search(self, keywords: str) -> list[str]:
        output = self._world.searcher(keywords) if self._world.searcher else []
        return found_names(ToolResult.of(output, source="world"))

    def _made(self, name: str, arguments: Mapping[str, object]) -> object:
        tool = self._world.tools[name]
        result, self._state = self._world.call(self._state, tool, arguments)
        envelope = self._world.envelope(tool, arguments, result)
        if envelope is None or result.error:
            raise DataError(f"{name}({dict(arguments)}) has no answer to write down: {result.error}")
        self._items.append(GoldCall(name, arguments, envelope))
        return result.response
