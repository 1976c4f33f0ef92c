"""An episode as HTML, as a notebook shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from stb_env.core.jsontypes import JsonMapping

_WHO = {"system": "system", "user": "user", "assistant": "agent", "tool": "result"}
_LONG = 400
"""Characters from which a text is folded."""

# Of no class and without a style sheet, so that it changes nothing else on the page, and nothing changes it.
_PRE = "margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace"


class Html(str):
    """HTML that a notebook shows as what it says; elsewhere a text like any other.

    Examples:
        >>> page = Html("<b>solved</b>")
        >>> page._repr_html_() == page
        True
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


def episode_html(
    messages: Sequence[JsonMapping],
    *,
    verdict: Mapping[str, object] | None = None,
    failure: Mapping[str, object] | None = None,
) -> Html:
    """Return an episode as a table of who said what, long texts folded, without scripts or links.

    Everything that is said is escaped.

    Args:
        messages: OpenAI chat messages.
        verdict: How it was judged, where it was.
        failure: What failed, where something did.

    Examples:
        >>> print(episode_html([{"role": "user", "content": "Is 1 < 2?"}]))
        <table ...><tr><th ...>user</th><td ...><pre ...>Is 1 &lt; 2?</pre></td></tr></table>
    """
    rows = [_row(_WHO[message["role"]], cell) for message in messages for cell in _cells(message)]
    if failure is not None:
        rows.append(_row("failure", _text(f"{failure['kind']}: {failure['message']}")))
    if verdict is not None:
        title = f"{verdict['status']}, score {verdict['score']:g}, by {verdict['judge']}"
        rows.append(_row("verdict", f"<b>{escape(title)}</b>{_folded('reasons', _pretty(verdict))}"))
    return Html(f'<table style="text-align:left;width:100%">{"".join(rows)}</table>')


def _cells(message: JsonMapping) -> Iterator[str]:
    content = message.get("content")
    if content:
        yield _text(_indented(content) if message["role"] == "tool" else content)
    for call in message.get("tool_calls", ()):
        function = call["function"]
        yield f"<b>{escape(function['name'])}</b>{_text(_indented(function['arguments']))}"


def _row(who: str, cell: str) -> str:
    head = '<th style="vertical-align:top;text-align:left;width:5em">'
    return f'<tr>{head}{escape(who)}</th><td style="text-align:left">{cell}</td></tr>'


def _text(text: str) -> str:
    if len(text) <= _LONG:
        return f'<pre style="{_PRE}">{escape(text)}</pre>'
    return _folded(f"{text[:80]}… ({len(text):,} characters)", text)


def _folded(title: str, text: str) -> str:
    return f'<details><summary>{escape(title)}</summary><pre style="{_PRE}">{escape(text)}</pre></details>'


def _indented(text: str) -> str:
    try:
        return _pretty(json.loads(text))
    except ValueError:
        return text


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=dict)
