"""Samples as models read them, in the two renderings of the paper's code (Li et al., 2023).

The markers of the lines are the wire format and stand here as published; the instructions are our own words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from stb_env.models.prompting import Prompt, latest
from stb_env.suites.api_bank.apis.schedule import TODAY
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.formats.dialogues import GoldCall, Utterance
from stb_env.suites.api_bank.formats.samples import Sample
from stb_env.suites.api_bank.formats.training import CALL_CUE, RESPONSE_CUE

Rendering = Literal["chat", "text"]
"""A conversation of chat messages, or one text as the published test files have it."""

_HOME = "stb_env.suites.api_bank"


def messages(
    sample: Sample, descriptions: Mapping[str, Mapping[str, object]], rendering: Rendering = "chat"
) -> list[dict[str, object]]:
    """Return the chat messages that ask for a sample.

    In ``chat`` the instruction is the system message, and what was called is one more of these, with its
    result; in ``text`` instruction and history are one message of the user.

    Args:
        sample: The sample.
        descriptions: Documentation of the APIs of its level, by name.
        rendering: Which form.

    Examples:
        >>> call = GoldCall("GetToday", {}, {"output": "2023-03-31"})
        >>> asked = Utterance("User", "Which day?")
        >>> sample = Sample("d", 1, 1, (asked, call), Utterance("AI", "Friday."), 0, ("GetToday",))
        >>> for message in messages(sample, {})[1:]:
        ...     message["role"], message["content"]
        ('user', 'Which day?')
        ('system', '[GetToday()] Response: 2023-03-31')
    """
    lead = instruction(sample, descriptions)
    if rendering == "text":
        return [{"role": "user", "content": f"{lead}\n{input_text(sample)}"}]
    return [{"role": "system", "content": lead}, *(_message(item, sample.level) for item in sample.history)]


def instruction(sample: Sample, descriptions: Mapping[str, Mapping[str, object]]) -> str:
    """Return what a model is told, and the descriptions of the APIs that it is shown, one a line.

    Level 1 shows every API that the dialogue calls anywhere, as do replies of level 2; elsewhere only the
    search is shown.
    """
    searched = sample.level == 3 or (sample.level == 2 and sample.wants_call)
    shown = (SEARCHER,) if searched else sample.apis
    lines = (_description(descriptions[name], sample.level) for name in shown if name in descriptions)
    return "\n".join([_lead(sample), *lines])


def input_text(sample: Sample) -> str:
    """Return the history of a sample as lines, the last of which says what is wanted."""
    cue = CALL_CUE if sample.wants_call else RESPONSE_CUE
    return "\n".join([*(_line(item, sample.level) for item in sample.history), cue])


def expected_text(sample: Sample) -> str:
    """Return what was recorded for a sample: a request with its marker, or the bare reply."""
    target = sample.target
    return target.text if isinstance(target, Utterance) else f"API-Request: {call_line(target)}"


def call_line(call: GoldCall) -> str:
    """Return a recorded call in brackets, every value between single quotes, without escaping.

    Examples:
        >>> call_line(GoldCall("Meet", {"who": ["Ann"], "n": "1"}, {}))
        "[Meet(who='['Ann']', n='1')]"
    """
    arguments = ", ".join(f"{name}='{value}'" for name, value in call.arguments.items())
    return f"[{call.name}({arguments})]"


def prompts() -> dict[str, Prompt]:
    """Return the prompts behind the instructions, by name."""
    return {
        name: latest(name, _HOME) for name in ("sample_call", "sample_response", "plan_call", "plan_response")
    }


def _lead(sample: Sample) -> str:
    kind = "call" if sample.wants_call else "response"
    if sample.level == 3:
        return latest(f"plan_{kind}", _HOME).text
    # The recorded dialogues say days without a year.
    return latest(f"sample_{kind}", _HOME).render(year=TODAY[:4])


def _description(entry: Mapping[str, object], level: int) -> str:
    if level != 3:
        return json.dumps(entry)
    renamed = {
        "apiCode": entry.get("name"),
        "description": entry.get("description"),
        "parameters": entry.get("input_parameters"),
        "response": entry.get("output_parameters"),
    }
    return json.dumps(renamed)


def _message(item: Utterance | GoldCall, level: int) -> dict[str, object]:
    if isinstance(item, GoldCall):
        return {"role": "system", "content": f"{call_line(item)} Response: {_output(item, level)}"}
    return {"role": "user" if item.speaker == "User" else "assistant", "content": item.text}


def _line(item: Utterance | GoldCall, level: int) -> str:
    if isinstance(item, Utterance):
        return f"{item.speaker}: {item.text}"
    return f"API-Request: {call_line(item)}->{_output(item, level)}"


def _output(call: GoldCall, level: int) -> object:
    return dict(call.result) if level == 3 else call.result["output"]
