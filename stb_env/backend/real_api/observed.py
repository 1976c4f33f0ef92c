"""Observations of a real API that says that it does not work."""

from __future__ import annotations

from http import HTTPStatus
from typing import Literal

from stb_env.backend.taxonomy import Taxonomy, classify
from stb_env.tools import Source, ToolResult

Health = Literal["strict", "observe"]
"""Whether an answer that says that the API does not work is refused, or shown with its class."""

EMPTY = "the answer is empty"
NO_JSON = "the body of the answer is no JSON"

_DATA = ("{", "[", "<", '"')


def observed(error: str, response: object, *, source: Source, taxonomy: Taxonomy = "default") -> ToolResult:
    """Return an answer as an observation with its class, whatever it says.

    Args:
        error: What is wrong, empty where nothing is said to be.
        response: What came, any JSON value.
        source: Who answered.
        taxonomy: Which reading of Appendix D (Guo et al., 2024) names the class.

    Examples:
        >>> result = observed("", {"message": "Unauthorized: no such key"}, source="real")
        >>> result.api_class, result.text
        ('not_authorised', '{"error": "", "response": {"message": "Unauthorized: no such key"}}')
        >>> observed("", None, source="real").text
        '{"error": "the answer is empty", "response": ""}'
    """
    if not error and response in (None, "", "null"):
        error = EMPTY
    found = classify(error, response, taxonomy=taxonomy)
    return ToolResult.of("" if response is None else response, error=error, source=source).noted(
        api_class=found.value
    )


def status_error(status: int) -> str:
    """Return what an HTTP status says is wrong, or nothing.

    The paper's reading takes the word HTTP in an error for an API that cannot be connected, so only
    statuses that speak of the way there or of the load are called by it.

    Examples:
        >>> status_error(200), status_error(401), status_error(429)
        ('', 'status 401 Unauthorized', 'HTTP 429 Too Many Requests')
    """
    if 200 <= status < 300:
        return ""
    try:
        phrase = f" {HTTPStatus(status).phrase}"
    except ValueError:
        phrase = ""
    on_the_way = status in (408, 425, 429) or not 400 <= status < 500
    return f"{'HTTP' if on_the_way else 'status'} {status}{phrase}"


def text_error(text: str) -> str:
    """Return what is wrong with a body that is no JSON: damaged data and pages are no answer, words are.

    Examples:
        >>> text_error("pong"), text_error('{"ms": '), text_error("<html>Welcome</html>"), text_error(" ")
        ('', 'the body of the answer is no JSON', 'the body of the answer is no JSON', 'the answer is empty')
    """
    start = text.lstrip()[:1]
    if not start:
        return EMPTY
    return NO_JSON if start in _DATA else ""
