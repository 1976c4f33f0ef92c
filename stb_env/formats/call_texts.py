"""Calls of foreign files: their texts as a record of values, and back to the same texts.

A text that cannot be made again from its value stays with the record, in plain data, under
``original_arguments``, ``original_observation`` and ``code``, so nothing is lost on the way back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.formats.recorded_answer import read_answer
from stb_env.tools import FINISH, Source, Status, ToolResult
from stb_env.trajectory import CallRecord, arguments_text

UNKNOWN_NAME, BAD_FINISH, ANSWERED, GAVE_UP = 1, 2, 3, 4
"""Step codes (``observation_code``) that are not an API's doing."""

_STATUS: Mapping[Any, Status] = {
    UNKNOWN_NAME: Status.UNKNOWN_TOOL,
    BAD_FINISH: Status.INVALID_ARGUMENTS,
    ANSWERED: Status.FINISHED,
    GAVE_UP: Status.GAVE_UP,
}
_CODES: Mapping[int, int] = {
    Status.UNKNOWN_TOOL: UNKNOWN_NAME,
    Status.FINISHED: ANSWERED,
    Status.GAVE_UP: GAVE_UP,
}


def read_call(
    call_id: str, name: str, arguments: str, observation: str = "", code: object = 0
) -> dict[str, object]:
    r"""Read a call as a record in plain data.

    Args:
        call_id: Its id, which answer files do not give.
        name: The function.
        arguments: Argument text.
        observation: What the model was shown.
        code: Step code, or None.

    Examples:
        >>> call = read_call("c", "ping", '{"n":\n 1}', '{"error": "", "response": "pong"}')
        >>> call["arguments"], call["response"], call["original_arguments"]
        ({'n': 1}, 'pong', '{"n":\n 1}')
    """
    answer = read_answer(observation)
    error, response = (answer.error, answer.response) if answer else ("", observation)
    status = _STATUS.get(code) if isinstance(code, int) else None
    source: Source = "cache" if status is None else "env"
    result = ToolResult.of(response, error=error, source=source, status=status)
    record = CallRecord(call_id, name, _arguments(arguments), result)
    call = record.to_dict()
    if arguments_text(record.arguments) != arguments:
        call["original_arguments"] = arguments
    if result.text != observation:
        call["original_observation"] = observation
    if code_of(call) != code:
        call["code"] = code
    return call


def given_arguments(call: JsonMapping) -> str:
    """Return the argument text of a call, as the model wrote it where that is known."""
    text: str = call.get("original_arguments", arguments_text(call["arguments"]))
    return text


def observation_of(call: JsonMapping) -> str:
    """Return what the model was shown after a call."""
    text = call.get("original_observation")
    return CallRecord.from_dict(call).result.text if text is None else text


def code_of(call: JsonMapping) -> int | None:
    """Return the step code of a call, None where the file that it came from had none."""
    if "code" in call:
        code: int | None = call["code"]
        return code
    if call["name"] == FINISH and call["status"] == Status.INVALID_ARGUMENTS:
        return BAD_FINISH
    return _CODES.get(call["status"], 0)


def with_report(step: JsonMapping) -> list[JsonMapping]:
    """Return a step's calls; code and observation that an original environment reported go to the last."""
    calls = list(step["calls"])
    report = {name: step[name] for name in ("code", "original_observation") if name in step}
    if calls and report:
        calls[-1] = {**calls[-1], **report}
    return calls


def _arguments(text: str) -> Mapping[str, object] | str:
    try:
        value = jsontext.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text
