"""Seeded mutations of every style: none raises, none makes a call out of a thought.

The suite plays a few thousand; ``STB_MUTATIONS=100000`` plays as many as it says.
"""

from __future__ import annotations

import os
import random

import pytest

from stb_env.actions import format_action, parse_action
from tests.actions.styles import FAMILIES, KNOWN, STYLES

MUTATIONS = int(os.environ.get("STB_MUTATIONS", "3000"))
THOUGHTS = [
    ("<think>", "</think>"),
    ("<thinking>\n", "\n</thinking>\n"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
]
PIECES = [
    *"{}[]()<>|\"'`:;,=*\n\\#",
    *("</", "<tool_call>", "</tool_call>", "```", "```json\n", "\nAction:", "\nAction Input:", "\nThought:"),
    *("\nObservation:", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "<|channel|>", "<|message|>", "<|end|>"),
    *("<function=", "<parameter=", "<invoke name=", "<|tool_call_begin|>", "<tool_response>", "</think>"),
    *(
        '{"name": "ping", "arguments": {}}',
        "ping()",
        "[ping()]",
        "functions.",
        '"name":',
        "NaN",
        "\ud83d",
        "\0",
    ),
]
PLAIN = [style.text for name, style in STYLES.items() if not name.startswith(("thoughts", "harmony"))]
SECRET = "secret_tool"
TOOLS = KNOWN | {SECRET}


def mutated(text: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(text))
        end = min(len(text), at + rng.randint(1, 9))
        match rng.randrange(6):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + text[at:end] * 2 + text[end:]
            case 2:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            case 3:
                text = text[:at]
            case 4:
                text = text[:at] + rng.choice(PIECES) + text[end:]
            case _:
                other = rng.choice(PLAIN)
                text = text[:at] + other[rng.randint(0, len(other)) :]
    return text


def secret_calls(rng: random.Random) -> str:
    text = rng.choice(PLAIN)
    for name in KNOWN:
        text = text.replace(name, SECRET)
    return text


def with_thought(text: str, rng: random.Random) -> str:
    at = rng.randint(0, len(text))
    opens, closes = rng.choice(THOUGHTS)
    return text[:at] + opens + secret_calls(rng) + closes + text[at:]


def names(text: str) -> list[str]:
    return [call.name for call in parse_action(text, known=TOOLS).calls]


@pytest.mark.heavy
def test_no_mutation_of_a_style_raises_and_what_it_says_can_be_written():
    rng = random.Random(13)
    styles = [style.text for style in STYLES.values()]
    for _ in range(MUTATIONS):
        action = parse_action(mutated(rng.choice(styles), rng), known=TOOLS)
        assert parse_action(format_action(action), known=TOOLS) == action


@pytest.mark.heavy
def test_no_mutation_around_a_thought_makes_the_calls_in_it():
    rng = random.Random(14)
    styles = [style.text for style in STYLES.values()]
    for _ in range(MUTATIONS):
        text = with_thought(mutated(rng.choice(styles), rng), rng)
        assert SECRET not in names(text), text


def test_the_calls_in_question_are_made_where_no_thought_is_around_them():
    rng = random.Random(15)
    texts = [secret_calls(rng) for _ in range(200)]
    assert sum(SECRET in names(text) for text in texts) > 120


def test_every_family_of_models_is_mutated():
    assert len(FAMILIES) >= 14
    assert sum(len(styles) for styles in FAMILIES.values()) >= 60
