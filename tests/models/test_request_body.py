"""The body of a request: JSON that every server takes, whatever it holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stb_env.models.request_body import encoded

NAN = float("nan")


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ({"content": None, "top_p": NAN}, {"content": None, "top_p": "nan"}),
        ({"n": [None, {"a": (1.5, float("inf"))}]}, {"n": [None, {"a": [1.5, "inf"]}]}),
    ],
)
def test_a_number_that_is_none_is_sent_as_text_beside_a_null_that_is_one(body: Any, sent: Any) -> None:
    assert json.loads(encoded(body)) == sent


def test_a_null_in_what_a_tool_answered_is_sent_as_it_is() -> None:
    body = {"messages": [{"role": "tool", "content": '{"error": "", "response": null}'}], "stop": None}
    assert json.loads(encoded(body)) == body
