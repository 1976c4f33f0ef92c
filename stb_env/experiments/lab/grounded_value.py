"""A value for searches: the share of arguments and answer that earlier text supports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stb_env.core import jsontext
from stb_env.tools import FINISH
from stb_env.trajectory import CallRecord, arguments_text
from stb_env.wrappers.search import NodeView, heuristic_value

# Names and numbers: what a step can get wrong. Other words of an answer are its wording.
_TOKENS = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")


def grounded_value(view: NodeView) -> float:
    """Estimate a node by its calls, and by how much of what it says stands in what came before.

    Half is `heuristic_value`. The other half is the smallest share, over all steps, of a step's informative
    tokens that occur in the query or in earlier results. It knows nothing of the solution, and many right
    steps are not wholly grounded: values are computed, converted, or known to anyone.

    Examples:
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool
        >>> search = Tool("search", "", {})
        >>> grounded_value(NodeView(Task("1", "?", (search,)), (), "open", ""))
        0.5
    """
    return (heuristic_value(view) + min(_shares(view), default=1.0)) / 2


def _shares(view: NodeView) -> Iterator[float]:
    known = set(_tokens(view.task.query))
    for step in view.steps:
        said = [token for call in step.calls for token in _claims(call, view.answer)]
        if said:
            yield sum(token in known for token in said) / len(said)
        known.update(token for call in step.calls for token in _tokens(call.result.text))


def _claims(call: CallRecord, answer: str) -> Iterator[str]:
    if call.name != FINISH:
        given = call.arguments
        yield from _tokens(
            arguments_text(given) if isinstance(given, str) else jsontext.dumps(list(given.values()))
        )
        return
    for position, match in enumerate(_TOKENS.finditer(answer)):
        if match[0][0].isdigit() or (position and match[0][0].isupper()):
            yield match[0].lower()


def _tokens(text: object) -> list[str]:
    return _TOKENS.findall(str(text).lower())
