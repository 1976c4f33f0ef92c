"""The keyless judge of free text, on answers that other people wrote to earlier tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stb_env
from stb_env.suites.sandbox import text_judge
from stb_env.suites.sandbox.text_judge import refuses, states, unclear

TOLD = json.loads((Path(__file__).parent / "told_answers.json").read_text())


def passes(told) -> bool:
    text = told["text"]
    if told["answer"] is None:
        return refuses(text)
    fields = told["properties"]
    return not unclear(text) and all(
        states(fields[name], value, text, told["query"]) for name, value in told["answer"].items()
    )


def share(*, honest: bool, refusal: bool) -> float:
    chosen = [told for told in TOLD if told["honest"] is honest and (told["answer"] is None) is refusal]
    return sum(map(passes, chosen)) / len(chosen)


def test_the_two_sided_figures_are_those_of_the_docs():
    # docs/trust.md prints them: honest answers pass, and so do most that were written to deceive.
    assert share(honest=True, refusal=False) >= 0.94
    assert share(honest=False, refusal=False) <= 0.67


@given(st.text(max_size=300))
def test_no_text_is_an_exception(text):
    for schema, value in (
        ({"type": "number"}, 12),
        ({"type": "string", "format": "date"}, "2026-03-09"),
        ({"type": "string", "format": "time"}, "09:15"),
        ({"type": "string", "format": "code"}, "NW 110"),
        ({"type": "string"}, "Oslo"),
        ({"type": "boolean"}, True),
    ):
        states(schema, value, text, text)


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        ({"type": "number"}, 1250, "It costs 1 250.00 AUR."),
        ({"type": "number", "tolerance": 1.0}, 12_200_000, "About 12.2 million."),
        ({"type": "string", "format": "date"}, "2026-03-09", "On the 9th of March 2026."),
        ({"type": "string", "format": "date"}, "2026-03-09", "09.03.2026"),
        ({"type": "string", "format": "time"}, "21:15", "At 9:15 pm."),
        ({"type": "string", "format": "code"}, "NW 110", "Take nw-110."),
        ({"type": "boolean"}, False, "No, it was not."),
    ],
)
def test_common_ways_of_writing_a_value_are_read(schema, value, text):
    assert states(schema, value, text, "Which?")


def test_a_dump_is_no_answer():
    assert unclear("1250 " * text_judge.LONGEST)


def test_an_environment_with_text_answers_is_judged_by_it_and_says_so():
    env = stb_env.make("stb/Sandbox-v1", answer="text", template="city_population")
    env.reset(seed=0)
    gold = env.task.record["final_answer"]
    *_, info = env.step({"name": "Finish", "arguments": {"final_answer": gold}})
    assert (info["verdict"]["judge"], info["verdict"]["status"]) == ("text", "solved")
