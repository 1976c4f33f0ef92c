"""The judge of final-answer correctness (FAC): is every part of the query dealt with?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, Literal

from stb_env.core.request import Slow
from stb_env.errors import ConfigError, did_you_mean
from stb_env.judges.answer_status import forced, read_vote, status_tool
from stb_env.judges.excerpt import Room, excerpt
from stb_env.judges.judge import Case
from stb_env.judges.model_judge import Ballot, Reward, VotingJudge
from stb_env.models import ChatModel, ChatReply, ChatRequest, Contract, Sampling
from stb_env.models.prompting import Prompt, delimited_each, latest
from stb_env.verdict import Vote

Reading = Literal["status", "substring"]

_FUNCTION = "report_status"
_MAX_REASON = 1_000
# As the original model is run.
_SAMPLING = Sampling(temperature=0.0, max_tokens=512)


class FinalAnswerJudge(VotingJudge):
    """Decides by query and final answer alone whether everything that was asked for is dealt with.

    Final answer completeness (FAC), which the authors of SoPR added to it later. An empty answer is unsolved
    without a model call; there is no unsure. Its score is the share of solved among all tasks of the list,
    ``solved_all`` of a summary.

    Args:
        model: Answers the questions.
        votes: How often each case is judged; the other settings are those of `VotingJudge`.
        reward: How votes become a score.
        attempts: How often a question is put at most.
        cache: Folder of votes that are known.
        prompt: The question; the newest of the package where not given.
        reading: ``status`` reads a reported status, and asks again where there is none. ``substring``
            searches the whole reply as the original does: a reason that mentions "unsolved" turns solved
            into unsolved, and a reply with neither word is unsolved.

    Raises:
        ConfigError: A setting is out of its range.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool
        >>> task = Task("1", "Capital of France?", (Tool("search", "", {}),))
        >>> said = "Solved. Nothing of the query is left unsolved."
        >>> def status(reading):
        ...     judge = FinalAnswerJudge(ScriptedModel([said], name="m"), reading=reading)
        ...     return drive(judge.judge(Case(task, "Paris.", ()))).status
        >>> status("status"), status("substring")
        ('solved', 'unsolved')
    """

    kind: ClassVar[str] = "final_answer"

    def __init__(
        self,
        model: ChatModel,
        *,
        votes: int = 1,
        reward: Reward = "majority",
        attempts: int = 3,
        cache: Path | str | None = None,
        prompt: Prompt | None = None,
        reading: Reading = "status",
    ) -> None:
        if reading not in _READINGS:
            near = did_you_mean(str(reading), _READINGS)
            raise ConfigError(f"reading must be 'status' or 'substring', got {reading!r}.{near}")
        self._read = _READINGS[reading]
        self._reading = reading
        self._prompt = prompt or latest("final_answer")
        self._room = Room()
        super().__init__(
            model,
            self._readable,
            votes=votes,
            reward=reward,
            attempts=attempts,
            cache=cache,
            # The original reads whatever is said.
            own_words=reading == "status",
        )

    @property
    def label(self) -> str:
        """Version of the prompt, and the reading where it is not the usual one."""
        return self._prompt.version + ("" if self._reading == "status" else f":{self._reading}")

    @property
    def wording(self) -> dict[str, object]:
        """Texts and rules that decide the question and the reading of its answer."""
        room = {"query": self._room.query, "answer": self._room.answer}
        return {"final_answer": self._prompt.hash, "reading": self._reading, "room": room}

    def _vote(self, case: Case, index: int, ballot: Ballot) -> Slow[Vote]:
        reply = yield from self._ask(self._question(case), index, ballot)
        return self._read(reply) or Vote(None, "the reply holds no status")

    def _question(self, case: Case) -> ChatRequest:
        text = self._prompt.render(
            function=_FUNCTION,
            **delimited_each(
                {
                    "query": excerpt(case.task.query, self._room.query),
                    "answer": excerpt(case.text, self._room.answer),
                }
            ),
        )
        tool = status_tool(_FUNCTION, ("Solved", "Unsolved"))
        message = {"role": "user", "content": text}
        return ChatRequest((message,), (tool,), forced(_FUNCTION), _SAMPLING, contract=Contract.of(tool))

    def _readable(self, reply: ChatReply) -> bool:
        return self._read(reply) is not None


def read_substring(reply: ChatReply) -> Vote:
    """Read a reply as FAC's own program does: by the words that occur anywhere in it.

    Examples:
        >>> read_substring(ChatReply({"content": "I cannot tell."})).status
        'unsolved'
    """
    calls = (str(call["function"]["arguments"]) for call in reply.tool_calls)
    text = "\n".join([reply.text, *calls]).lower()
    solved = "solved" in text and "unsolved" not in text
    return Vote("solved" if solved else "unsolved", " ".join(text.split())[:_MAX_REASON])


def _read_status(reply: ChatReply) -> Vote | None:
    vote = read_vote(reply)
    return None if vote is None or vote.status == "unsure" else vote


_READINGS: Mapping[Reading, Callable[[ChatReply], Vote | None]] = {
    "status": _read_status,
    "substring": read_substring,
}
