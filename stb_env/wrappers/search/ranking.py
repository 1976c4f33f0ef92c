"""Rankings of candidates, which filter a depth-first search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from stb_env.core.request import Slow
from stb_env.judges.excerpt import Room, call_lines, excerpt
from stb_env.judges.pair_question import Outcome, read_choice
from stb_env.judges.readable import ReadableModel
from stb_env.models import ChatModel, ChatReply, ChatRequest, ask
from stb_env.models.prompting import delimited_each, latest
from stb_env.tasks import Task
from stb_env.trajectory import Step
from stb_env.usage import NO_USAGE
from stb_env.wrappers.search.tree import SearchTree
from stb_env.wrappers.search.value import NodeView, Score, Scored, heuristic_value, view_of

_POINTS: Mapping[Outcome, float] = {"first": 1.0, "tie": 0.5, "second": 0.0}
_MIRROR: Mapping[Outcome, Outcome] = {"first": "second", "tie": "tie", "second": "first"}
_ROOM = Room(calls=16_000)
_MOST_TEXT = 1_000


class Pair(NamedTuple):
    """Two candidates of one node.

    Attributes:
        first: The one that was made first.
        second: The other.
        shared: Number of steps that they have in common.
    """

    first: NodeView
    second: NodeView
    shared: int

    @classmethod
    def of(cls, task: Task, tree: SearchTree, first: int, second: int) -> Pair:
        """View two nodes of a tree side by side."""
        shared = len(tree.steps(tree.nodes[first].parent or 0))
        return cls(view_of(task, tree, first), view_of(task, tree, second), shared)

    def swapped(self) -> Pair:
        """Return the same two in the other order."""
        return Pair(self.second, self.first, self.shared)


Rank = Callable[[Pair], Score | Slow[Score]]
"""Points of the first of a pair: 1 where it is better, 0 where the second is, 0.5 where neither is."""


def as_rank(rank: Rank | ChatModel) -> Rank:
    """Return a ranking, made of a model where that was given.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> as_rank(ScriptedModel([], name="m")).__name__, as_rank(rank_by_value).__name__
        ('ranker:m:v1', 'rank_by_value')
    """
    return rank if callable(rank) else Ranker(rank)


def rank_by_value(pair: Pair) -> float:
    """Compare two candidates by their heuristic values, without a model."""
    first, second = heuristic_value(pair.first), heuristic_value(pair.second)
    return 0.5 if first == second else float(first > second)


class Ranker:
    """Asks a model which of two candidates is better, in both orders: who prefers a place prefers no one.

    Args:
        model: Answers the questions.
        attempts: How often a question is put at most, until its answer can be read.

    Raises:
        ConfigError: ``attempts`` is below 1.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
        >>> from stb_env.tools import Tool
        >>> search = Tool("search", "", {})
        >>> view = NodeView(Task("1", "Capital of France?", (search,)), (), "answer", "Paris")
        >>> rank = Ranker(ScriptedModel(['{"better": "first"}', '{"better": "second"}']))
        >>> drive(rank(Pair(view, view._replace(answer="Lyon"), 0))).score
        1.0
    """

    def __init__(self, model: ChatModel, attempts: int = 3) -> None:
        self._model = ReadableModel(model, lambda reply: read_choice(reply) is not None, attempts)
        self._prompt = latest("ranking")
        self.__name__ = f"ranker:{model.name}:{self._prompt.version}"

    def __call__(self, pair: Pair) -> Slow[Score]:
        """Return the points of the first candidate.

        Raises:
            ModelError: No usable answer came.
        """
        points, usage = 0.0, NO_USAGE
        for swapped in (False, True):
            reply: ChatReply = yield ask(self._model, self.question(pair.swapped() if swapped else pair))
            choice = read_choice(reply)
            outcome = "tie" if choice is None else choice.outcome
            points += _POINTS[_MIRROR[outcome] if swapped else outcome] / 2
            usage += reply.usage
        return Scored(points, usage)

    def question(self, pair: Pair) -> ChatRequest:
        """Return the question, every text that no one vouches for between delimiters."""
        texts = {
            "query": excerpt(pair.first.task.query, _ROOM.query),
            "shared": _told(pair.first.steps[: pair.shared]),
            "first": _told(pair.first.steps[pair.shared :], pair.first.answer),
            "second": _told(pair.second.steps[pair.shared :], pair.second.answer),
        }
        return ChatRequest.of(self._prompt.render(**delimited_each(texts)))


def _told(steps: Sequence[Step], answer: str = "") -> str:
    return "\n".join(_lines(steps, answer))


def _lines(steps: Sequence[Step], answer: str) -> Iterator[str]:
    for step in steps:
        if step.text:
            yield excerpt(step.text, _MOST_TEXT)
        yield from call_lines(step.calls, _ROOM.calls // max(1, len(steps)))
    if answer:
        yield excerpt(answer, _ROOM.answer)
