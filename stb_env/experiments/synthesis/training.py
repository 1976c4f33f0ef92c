"""Dialogues as training data: API-Bank's form, and chat messages with tools."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.experiments.synthesis.ability import Ability
from stb_env.experiments.synthesis.api import SEARCHER, Api
from stb_env.experiments.synthesis.dialogue import Dialogue
from stb_env.suites.api_bank.formats.training import (
    CALL_CUE,
    RESPONSE_CUE,
    Instructions,
    Requested,
    Said,
    TrainingSample,
    call_text,
)

RECIPES = ("api_bank", "chat")


def training_samples(dialogue: Dialogue, instructions: Instructions) -> Iterator[TrainingSample]:
    """Yield a sample for each call and each reply of a dialogue, all that went before as its history.

    What is described follows API-Bank: every API where they are known; the search alone where a call has to
    be found; for the reply after a single retrieved call both.

    Args:
        dialogue: A dialogue that was written to the end.
        instructions: The words of each kind.
    """
    known = tuple(api.line for api in _known(dialogue))
    told = (*known, *(api.line for api in dialogue.apis)) if dialogue.ability is Ability.RETRIEVE else known
    history: list[Said | Requested] = []
    for number, turn in enumerate(dialogue.turns):
        time = f"TIME: {dialogue.time}" if dialogue.time and not number else ""
        history.append(Said("User", turn.user + time))
        for call in turn.calls:
            request = call_text(call.name, call.arguments)
            output = f"API-Request: {request}"
            yield TrainingSample(instructions.call, known, tuple(history), CALL_CUE, output)
            history.append(Requested(request, repr(call.result)))
        output = f"AI: {turn.reply}\n"
        yield TrainingSample(instructions.response, told, tuple(history), RESPONSE_CUE, output)
        # A line break would end the line that this is in later inputs.
        history.append(Said("AI", " ".join(turn.reply.split())))


def chat_line(dialogue: Dialogue) -> dict[str, object]:
    """Return a dialogue as chat messages, with the tools that are known from the start.

    Examples:
        >>> from stb_env.experiments.synthesis.dialogue import Call, Turn
        >>> turn = Turn("Time?", (Call("Clock", {}, {"now": "9:00"}),), "It is 9.")
        >>> clock = Api("Clock", "Tells the time.")
        >>> one = Dialogue(4, "kept", Ability.CALL, "time", (clock,), (clock,), "", (turn,), None)
        >>> [message["role"] for message in chat_line(one)["messages"]]
        ['user', 'assistant', 'tool', 'assistant']
    """
    messages: list[JsonObject] = []
    if dialogue.time:
        messages.append({"role": "system", "content": f"TIME: {dialogue.time}"})
    for turn in dialogue.turns:
        messages.append({"role": "user", "content": turn.user})
        for call in turn.calls:
            identity = f"call_{len(messages)}"
            # As an object, which is what chat templates render.
            function = {"name": call.name, "arguments": dict(call.arguments)}
            made = {"id": identity, "type": "function", "function": function}
            messages.append({"role": "assistant", "content": "", "tool_calls": [made]})
            result = jsontext.dumps(call.result)
            messages.append({"role": "tool", "tool_call_id": identity, "content": result})
        messages.append({"role": "assistant", "content": turn.reply})
    return {
        "messages": messages,
        "tools": [api.function for api in _known(dialogue)],
        "suite": "synthesis",
        "group": dialogue.ability.value,
        "task_id": str(dialogue.index),
    }


def recipe(name: str) -> str:
    """Return the text (TOML) of the recipe that goes with a form: ``api_bank`` or ``chat``.

    Examples:
        >>> import tomllib
        >>> tomllib.loads(recipe("api_bank"))["training"]["learning_rate"]
        2e-05
    """
    file = resources.files("stb_env.experiments.synthesis") / "recipes" / f"{name}.toml"
    return file.read_text(encoding="utf-8")


def _known(dialogue: Dialogue) -> tuple[Api, ...]:
    return (SEARCHER,) if dialogue.ability.searches else dialogue.apis
