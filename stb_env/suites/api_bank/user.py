"""The users of API-Bank's dialogues: as they were recorded, or played by a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stb_env import jsontext
from stb_env.backend.user import Said
from stb_env.errors import FailureKind, InfrastructureError
from stb_env.jsontypes import JsonObject
from stb_env.judges.readable import ReadableModel
from stb_env.llm import ChatModel, ChatReply, ChatRequest, Contract, ModelError, ask, fingerprint
from stb_env.prompting import Prompt, delimited, latest
from stb_env.request import Slow
from stb_env.suites.api_bank.claim import kinds_of
from stb_env.suites.api_bank.knowledge import Fact, answer_with, asked_for, is_told
from stb_env.suites.api_bank.questions import Question, offers_another, question_of
from stb_env.tasks import Task

_FIELD = "say"
_CONTRACT = Contract(
    "utterance", {"properties": {_FIELD: {"type": ["string", "null"]}}, "required": [_FIELD]}, "Say it."
)

YES = "Yes, please do just what I asked for."
GO_AHEAD = "Please go ahead."
NOTHING_TO_ADD = "I have nothing to add to that; please go on with what I told you."
THAT_IS_ALL = "No, that is all. Thank you."

_ASIDES = (Question.DETAILS, Question.CONFIRMATION, Question.ANNOUNCEMENT)


class Heard(NamedTuple):
    """What the scripted user remembers.

    Attributes:
        said: How many utterances of the script are said.
        asides: How many answers besides it were given since the last one.
        closing: Whether the user has said that this is all.
    """

    said: int = 1
    asides: int = 0
    closing: bool = False


class ScriptedUser:
    """Says what the dialogue's user said, and answers what an agent asks besides.

    The script goes on with the next utterance when the agent tells something, offers more help, or asks where
    the recorded assistant asked for details, too. Any other question is answered from what the dialogue
    knows, a request to confirm with a yes to what was asked for, and what nobody knows with a word to go
    on; none of these ends the episode. It ends with the first text after the script that asks for nothing;
    who only offers more help hears once that this is all. After ``patience`` answers in a row that are no
    part of the script the user goes on with it, or at its end leaves.

    Args:
        patience: How many questions are answered in a row besides the script.

    Examples:
        >>> from stb_env.request import drive
        >>> from stb_env.tools import Tool
        >>> today = Tool("GetToday", "", {})
        >>> turns = [{"user": "Hi.", "reply": "Hello."}, {"user": "Bye.", "reply": "Bye."}]
        >>> task = Task("1", "Hi.", (today,), record={"turns": turns, "knows": [[0, "username", "mira"]]})
        >>> user = ScriptedUser()
        >>> first = drive(user.reply(task, user.start(task, 0), "Hello. What is your user name?"))
        >>> first.text, drive(user.reply(task, first.state, "Thank you.")).text
        ('The username is mira.', 'Bye.')
    """

    def __init__(self, patience: int = 5) -> None:
        self.patience = patience

    @property
    def fingerprint(self) -> JsonObject:
        """Nothing but the tasks and the rules of this version decides what is said."""
        return {"user": "scripted", "version": 3, "patience": self.patience}

    def start(self, _task: Task, _seed: int) -> Heard:
        """Return that the query is said."""
        return Heard()

    def reply(self, task: Task, state: Heard, text: str) -> Slow[Said]:
        """Say the next utterance, or answer; yields nothing."""
        yield from ()
        return self.answer(task, state, text)

    def answer(self, task: Task, state: Heard, text: str) -> Said:
        """Return what the user says to a text; the same for equal texts."""
        turns = task.record["turns"]
        recorded = turns[min(state.said, len(turns)) - 1]["reply"]
        question = Question.NONE if text.strip() == recorded.strip() else question_of(text)
        if question is Question.CONFIRMATION and offers_another(text, _acts(task)):
            question = Question.OFFER
        if question in _ASIDES and state.asides < self.patience:
            aside = self._aside(task, state, text, question, recorded)
            if aside:
                return Said(aside, state._replace(asides=state.asides + 1))
        if state.said < len(turns):
            return Said(turns[state.said]["user"], Heard(state.said + 1))
        if question is Question.OFFER and not state.closing:
            return Said(THAT_IS_ALL, state._replace(closing=True))
        return Said(None, state)

    def _aside(self, task: Task, state: Heard, text: str, question: Question, recorded: str) -> str:
        """Return an answer besides the script; empty where its next utterance is one."""
        turns = task.record["turns"]
        upcoming = str(turns[state.said]["user"]) if state.said < len(turns) else ""
        asked_then = question_of(recorded) if upcoming else Question.NONE
        if question is Question.CONFIRMATION:
            return "" if asked_then is question else YES
        if question is Question.ANNOUNCEMENT:
            return GO_AHEAD
        facts = [Fact(*fact) for fact in task.record.get("knows", ())]
        asked = asked_for(text, facts, state.said - 1)
        expected = asked_then in (Question.DETAILS, Question.CONFIRMATION)
        if expected and (not asked or any(is_told(fact, upcoming) for fact in asked)):
            return ""
        return answer_with(asked) if asked else NOTHING_TO_ADD

    def turns_of(self, task: Task, texts: Sequence[str]) -> list[int]:
        """Return the turn that each text of an agent belongs to, from 0."""
        state, turns = Heard(), []
        for text in texts:
            turns.append(state.said - 1)
            state = self.answer(task, state, text).state
        return turns


class ModelUser:
    """Lets a chat model play the user: it pursues what the recorded user wanted, and hears the agent.

    Args:
        model: Plays the user; a failure of it ends the episode with the stage ``user``.
        attempts: How often an utterance is asked for at most; what could not be read is said each time.
        turns: After so many utterances the user has had enough.

    Examples:
        >>> from stb_env.llm import ScriptedModel
        >>> from stb_env.request import drive
        >>> from stb_env.tools import Tool
        >>> today = Tool("GetToday", "", {})
        >>> user = ModelUser(ScriptedModel(['{"say": "Tomorrow."}']))
        >>> task = Task("1", "Book a table.", (today,), record={"turns": [{"user": "Book a table."}]})
        >>> drive(user.reply(task, user.start(task, 0), "When?")).text
        'Tomorrow.'
    """

    def __init__(self, model: ChatModel, *, attempts: int = 3, turns: int = 20) -> None:
        self.model = model
        self.attempts = attempts
        self._patient = ReadableModel(model, _readable, attempts, seeded=False)
        self.turns = turns
        self._prompt: Prompt = latest("user", "stb_env.suites.api_bank")

    @property
    def fingerprint(self) -> JsonObject:
        """The model and the prompt."""
        return {**fingerprint(self.model), "user": "model", "prompt_hash": self._prompt.hash}

    def start(self, _task: Task, seed: int) -> tuple[int, tuple[tuple[str, str], ...]]:
        """Return a number that keeps equal episodes of other seeds apart, and the empty conversation."""
        return seed % 2**16, ()

    def reply(self, task: Task, state: tuple[int, tuple[tuple[str, str], ...]], text: str) -> Slow[Said]:
        """Say what the model says.

        Raises:
            ModelError: It gave nothing that could be read; its stage is ``user``.
        """
        number, exchanges = state
        request = self._request(task, exchanges, text, number * self.attempts)
        try:
            reply: ChatReply = yield ask(self._patient, request)
        except InfrastructureError as error:
            raise _of_user(error) from error
        said = _read(reply.text)
        over = not said or len(exchanges) + 1 >= self.turns
        return Said(None if over else said, (number, (*exchanges, (text, said or ""))), reply.usage)

    def _request(
        self, task: Task, exchanges: tuple[tuple[str, str], ...], text: str, index: int
    ) -> ChatRequest:
        script = "\n".join(str(turn["user"]) for turn in task.record["turns"])
        said = [f"User: {task.query}"]
        for heard, answered in exchanges:
            said += [f"Assistant: {heard}", f"User: {answered}"]
        said.append(f"Assistant: {text}")
        parts = [delimited(script, "script"), delimited("\n".join(said), "conversation")]
        messages = (
            {"role": "system", "content": self._prompt.render()},
            {"role": "user", "content": "\n\n".join(parts)},
        )
        return ChatRequest(messages, response_format={"type": "json_object"}, index=index, contract=_CONTRACT)


def _acts(task: Task) -> set[str]:
    return {kind for call in task.goal.get("calls", ()) for kind in kinds_of(str(call["name"]))}


def _read(text: str) -> str | None:
    """Return the utterance, empty where the user is done, or None where nothing can be read."""
    try:
        data = jsontext.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return None
    if not isinstance(data, Mapping) or _FIELD not in data:
        return None
    said = data[_FIELD]
    return "" if said is None else said.strip() if isinstance(said, str) else None


def _readable(reply: ChatReply) -> bool:
    return _read(reply.text) is not None


def _of_user(error: InfrastructureError) -> ModelError:
    # Who wrote nothing that can be read was no judge here.
    kind: FailureKind = "simulator" if error.kind == "judge" else error.kind
    return ModelError(str(error), kind=kind, stage="user", retryable=error.retryable, usage=error.usage)
