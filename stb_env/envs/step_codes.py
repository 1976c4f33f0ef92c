"""Step codes and look-up by suffix of the environment of Guo et al., 2024.

Texts in here reproduce the original's wire format, odd quoting included, and are needed byte for byte.
The codes are reported beside the package's own contract, which they do not change: a time-out is still
a failure of the infrastructure and never an observation that an agent could earn a 0 for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from stb_env.actions.finish_arguments import finish_arguments
from stb_env.errors import InfrastructureError
from stb_env.tools import FINISH, Status, ToolCall, ToolResult
from stb_env.trajectory import CallRecord

MAX_OBSERVATION = 1024

ERROR_CODES = {
    "API not working error...": 6,
    "Unauthorized error...": 7,
    "Unsubscribed error...": 8,
    "Too many requests error...": 9,
    "Rate limit per minute error...": 10,
    "Message error...": 11,
    "Timeout error...": 5,
}
_SENDING_FAILED = "request invalid, data error"


def find_function(names: Iterable[str], wanted: str) -> str | None:
    """Return the first name that ends in the wanted text, as the original looks functions up.

    Examples:
        >>> find_function(["add_numbers_for_calc", "numbers_for_calc"], "numbers_for_calc")
        'add_numbers_for_calc'
    """
    return next((name for name in names if name.endswith(wanted)), None)


def observation(value: object, limit: int = MAX_OBSERVATION) -> str:
    """Return the original's observation text: JSON with ASCII escapes, cut without regard to structure.

    Examples:
        >>> observation({"error": "", "response": "x" * 50}, limit=30)
        '{"error": "", "response": "xxx...'
    """
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= limit else text[:limit] + "..."


def finish(call: ToolCall) -> tuple[int, str]:
    """Return code and observation of a Finish call.

    Examples:
        >>> finish(ToolCall("Finish", {"return_type": "give_up_and_restart"}))
        (4, '{"response":"chose to give up and restart"}')
    """
    arguments = finish_arguments(call, compat=True)
    if "return_type" not in arguments:
        return 2, '{error:"must have "return_type""}'
    if arguments["return_type"] == "give_up_and_restart":
        return 4, '{"response":"chose to give up and restart"}'
    if arguments["return_type"] == "give_answer":
        if "final_answer" not in arguments:
            return 2, '{error:"must have "final_answer""}'
        return 3, '{"response":"successfully giving the final answer."}'
    return 2, '{error:""return_type" is not a valid choice"}'


def code_of(result: ToolResult) -> int:
    """Return the step code of a backend's answer; unmapped errors are 0, as in the original.

    Examples:
        >>> code_of(ToolResult.of("", error="Unsubscribed error...", source="real"))
        8
    """
    if result.status is Status.UNKNOWN_TOOL:
        return 1
    if result.error.startswith(_SENDING_FAILED):
        return 12
    return ERROR_CODES.get(result.error, 0)


def failure_text(error: InfrastructureError) -> str:
    """Return the error text that the original's client puts in place of a failed request.

    Examples:
        >>> failure_text(InfrastructureError("no answer in 15 s", kind="timeout"))
        'Timeout error...'
    """
    if error.kind == "timeout":
        return "Timeout error..."
    code = getattr(error, "status_code", None)
    if code is None:
        return str(error)
    return _SENDING_FAILED if code == 200 else f"{_SENDING_FAILED}. status_code={code}"


def step_report(records: Sequence[CallRecord]) -> dict[str, object]:
    """Return ``code`` and ``original_observation`` of a step: those of its last call.

    The original reads its flags on the last call only.
    """
    if not records:
        return {}
    last = records[-1]
    if last.name == FINISH:
        code, text = finish(ToolCall(last.name, last.arguments))
    elif last.result.status is Status.UNKNOWN_TOOL:
        code, text = 1, observation({"error": f"No such function name: {last.name}", "response": ""})
    else:
        code, text = code_of(last.result), observation(json.loads(last.result.text))
    return {"code": code, "original_observation": text}
