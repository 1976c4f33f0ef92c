"""Answers of live services, frozen: taken from the results that dialogues recorded."""

from __future__ import annotations

from collections.abc import Iterable

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.formats.dialogues import GoldCall
from stb_env.suites.api_bank.languages import language_code


def frozen_answers(calls: Iterable[GoldCall]) -> dict[str, JsonObject]:
    """Return what the dictionary and the translator answered, for `Databases.with_frozen`.

    Args:
        calls: Recorded calls of any APIs; the first answer to a question is kept.

    Examples:
        >>> call = GoldCall("Translate", {"src": "hello", "tgt_lang": "French"}, {"output": "bonjour"})
        >>> frozen_answers([call])
        {'Dictionary': {}, 'Translate': {'fr': {'hello': 'bonjour'}}}
    """
    meanings: JsonObject = {}
    translations: dict[str, dict[str, str]] = {}
    for call in calls:
        answer = call.result.get("output")
        if answer is None:
            continue
        if call.name == "Dictionary":
            keyword = str(call.arguments.get("keyword", "")).replace("_", " ").strip().lower()
            meanings.setdefault(keyword, answer)
        elif call.name == "Translate":
            code = _target(call.arguments)
            if code:
                translations.setdefault(code, {}).setdefault(str(call.arguments.get("src", "")), answer)
    return {"Dictionary": meanings, "Translate": translations}


def _target(arguments: JsonMapping) -> str:
    try:
        return language_code(str(arguments.get("tgt_lang", "en")))
    except ApiError:
        return ""
