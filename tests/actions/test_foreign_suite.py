"""Raw outputs of nine families of models, each with its source, as the package canitoolcall has them."""

from __future__ import annotations

import json
from collections import Counter
from importlib import resources
from typing import Any

import pytest

from stb_env.actions import parse_action

pytest.importorskip("canitoolcall", reason="the outputs come with: pip install --no-deps canitoolcall==0.1.1")

# Not read as the collection says: marks of a syntax inside of the text of an argument, values whose type the
# schema of the tool alone tells, harmony's commentary without a recipient, and replies that lack an end tag.
LEAST = {
    "deepseek": 78,
    "gemma4": 46,
    "glm": 43,
    "gpt-oss": 45,
    "kimi": 45,
    "llama": 34,
    "mistral": 46,
    "qwen3-hermes": 47,
    "qwen3-xml": 50,
}


def is_read(fixture: dict[str, Any]) -> bool:
    """Return whether an output is read as the collection says; no tool takes a text for its arguments."""
    known = {tool["function"]["name"] for tool in fixture["tools"] or ()}
    calls = [(call.name, call.arguments) for call in parse_action(fixture["raw_output"], known=known).calls]
    if "expected" not in fixture:
        return not calls or isinstance(calls[-1][1], str)
    wanted = fixture["expected"].get("tool_calls") or ()
    return calls == [(call["name"], call["arguments"]) for call in wanted]


def test_most_outputs_are_read_as_the_collection_says():
    folder = resources.files("canitoolcall") / "_data" / "fixtures"
    read: Counter[str] = Counter()
    for family in folder.iterdir():
        if not family.is_dir():
            continue
        files = [file for file in family.iterdir() if file.name.endswith(".jsonl")]
        fixtures = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
        read[family.name] = sum(map(is_read, fixtures))
    short = {name: (read[name], least) for name, least in LEAST.items() if read[name] < least}
    assert short == {}
