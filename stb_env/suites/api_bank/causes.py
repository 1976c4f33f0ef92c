"""Why a recorded call does not reproduce: the names of the errata, each with the sign that gives it away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stb_env.jsontypes import JsonArray
from stb_env.suites.api_bank.compare import Envelope
from stb_env.suites.api_bank.definition import API
from stb_env.suites.api_bank.formats.dialogues import GoldCall

Sign = Callable[[API, GoldCall, Envelope], bool]


def cause_of(api: API, call: GoldCall, envelope: Envelope | None) -> str:
    """Return the cause of a miss, or an empty text where none is known.

    Args:
        api: The API of the call.
        call: The recorded call.
        envelope: What came out of it; None where it never reached the API.
    """
    predicted = envelope or {}
    return next((name for name, sign in _SIGNS.items() if sign(api, call, predicted)), "")


def _renamed(api: API, call: GoldCall, _predicted: Envelope) -> bool:
    return any(parameter.alias in call.arguments for parameter in api.parameters if parameter.alias)


def _list_as_text(api: API, _call: GoldCall, predicted: Envelope) -> bool:
    inputs = predicted.get("input") or {}
    lists = [parameter.name for parameter in api.parameters if parameter.kind.startswith("list")]
    return any(isinstance(inputs.get(name), str) for name in lists)


def _deletion(_api: API, call: GoldCall, predicted: Envelope) -> bool:
    return call.name == "DeleteMeeting" and predicted.get("output") == "success" == call.result["output"]


def _capitals(_api: API, call: GoldCall, predicted: Envelope) -> bool:
    return call.name == "QueryScene" and _folded(predicted.get("output")) == _folded(call.result["output"])


def _unrecorded(_api: API, call: GoldCall, predicted: Envelope) -> bool:
    return call.name in ("Dictionary", "Translate") and predicted.get("exception") is not None


def _random_id(_api: API, call: GoldCall, predicted: Envelope) -> bool:
    ours, theirs = predicted.get("output"), call.result["output"]
    if call.name != "QueryRegistration" or not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return False
    return list(ours.values()) == list(theirs.values())


def _reworded(_api: API, call: GoldCall, predicted: Envelope) -> bool:
    return call.name == "ToolSearcher" and _names(predicted.get("output")) == _names(call.result["output"])


def _found_another(_api: API, call: GoldCall, _predicted: Envelope) -> bool:
    return call.name == "ToolSearcher"


def _folded(value: Any) -> str:
    return str(value).lower()


def _names(found: Any) -> JsonArray:
    return [each.get("name") for each in (found if isinstance(found, list) else [found]) if each]


_SIGNS: Mapping[str, Sign] = {
    "renamed_parameter": _renamed,
    "unacceptable_deletion": _deletion,
    "list_as_text": _list_as_text,
    "capital_letters": _capitals,
    "unrecorded_answer": _unrecorded,
    "random_id": _random_id,
    "reworded_documentation": _reworded,
    "unfrozen_search": _found_another,
}
