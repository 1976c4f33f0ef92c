"""Episodes as HTML: everything that was said is there, and none of it is markup."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from stb_env import load_agent, play
from stb_env.core.episode_html import episode_html
from stb_env.testing.notes import notes

SCRIPT = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
ALLOWED = {"table", "tr", "th", "td", "pre", "b", "details", "summary"}


class Page(HTMLParser):
    """What a browser would make of it: the elements that are open, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        assert {name for name, _ in attrs} <= {"style"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_trajectory_shows_its_query_calls_results_and_verdict():
    episode = play(notes(), load_agent("gold")(), task_id="day", seed=0)
    page = Page(episode._repr_html_())
    for text in (episode.query, "find_notes", "Dentist on Tuesday", "Finish", "solved, score 1, by exact"):
        assert text in page.text
    assert page.open == []
    assert page.tags <= ALLOWED


@pytest.mark.parametrize("text", [SCRIPT, SCRIPT * 50])
@pytest.mark.parametrize("where", ["query", "said", "name", "arguments", "result", "failure", "verdict"])
def test_nothing_that_was_said_is_markup(where: str, text: str):
    def said(place: str) -> str:
        return text if place == where else "fine"

    call = {"id": "call_0", "function": {"name": said("name"), "arguments": said("arguments")}}
    messages = [
        {"role": "user", "content": said("query")},
        {"role": "assistant", "content": said("said"), "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0", "content": said("result")},
    ]
    failure = {"kind": "transport", "message": said("failure")}
    verdict = {"status": "na", "score": 0.0, "judge": said("verdict"), "votes": []}
    page = Page(episode_html(messages, verdict=verdict, failure=failure))
    assert page.tags <= ALLOWED
    assert text in page.text


def test_an_environment_renders_what_its_trajectory_shows():
    env = notes(render_mode="html")
    env.reset(options={"task_id": "day"})
    assert "verdict" not in Page(env.render()).text
    env.step({"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}})
    assert "solved, score 1, by exact" in Page(env.render()).text
    assert env.render()._repr_html_() == env.render()


def test_a_long_text_is_folded_and_whole():
    long = "word " * 1_000
    page = Page(episode_html([{"role": "user", "content": long}]))
    assert "details" in page.tags
    assert "(5,000 characters)" in page.text
    assert long in page.text
