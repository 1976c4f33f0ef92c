"""The users of API-Bank's dialogues: as they were recorded, or played by a model."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env import jsontext
from stb_env.backend.user import Said
from stb_env.errors import InfrastructureError
from stb_env.jsontypes import JsonObject
from stb_env.llm import ChatModel, ChatReply, ChatRequest, Contract, ModelError, ask, fingerprint
from stb_env.prompting import Prompt, delimited, latest
from stb_env.request import Slow
from stb_env.tasks import Task
from stb_env.usage import Usage

_FIELD = "say"
_CONTRACT = Contract(
    "utterance", {"properties": {_FIELD: {"type": ["string", "null"]}}, "required": [_FIELD]}, "Say it."
)


class ScriptedUser:
    """Says what the dialogue's user said, one utterance for each text of the agent, whatever that says.

    Examples:
        >>> from stb_env.request import drive
        >>> from stb_env.tools import Tool
        >>> today = Tool("GetToday", "", {})
        >>> task = Task("1", "Hi.", (today,), record={"turns": [{"user": "Hi."}, {"user": "Bye."}]})
        >>> user = ScriptedUser()
        >>> first = drive(user.reply(task, user.start(task, 0), "Hello."))
        >>> first.text, drive(user.reply(task, first.state, "See you.")).text
        ('Bye.', None)
    """

    @property
    def fingerprint(self) -> JsonObject:
        """Nothing but the tasks decides what is said."""
        return {"user": "scripted"}

    def start(self, _task: Task, _seed: int) -> int:
        """Return how many utterances are said: the query."""
        return 1

    def reply(self, task: Task, state: int, text: str) -> Slow[Said]:  # noqa: ARG002 (a script does not listen)
        """Say the next utterance; yields nothing."""
        yield from ()
        turns = task.record["turns"]
        return Said(turns[state]["user"], state + 1) if state < len(turns) else Said(None, state)


class ModelUser:
    """Lets a chat model play the user: it pursues what the recorded user wanted, and hears the agent.

    Args:
        model: Plays the user; a failure of it ends the episode with the stage ``user``.
        attempts: How often an unreadable reply is asked for again.
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
        usage = Usage()
        for attempt in range(self.attempts):
            request = self._request(task, exchanges, text, number * self.attempts + attempt)
            try:
                reply: ChatReply = yield ask(self.model, request)
            except InfrastructureError as error:
                raise _of_user(error, usage) from error
            usage += reply.usage
            said = _read(reply.text)
            if said is not None:
                over = not said or len(exchanges) + 1 >= self.turns
                return Said(None if over else said, (number, (*exchanges, (text, said))), usage)
        message = (
            f"model {self.model.name!r} played no user in {self.attempts} attempts: {reply.text[:120]!r}"
        )
        raise ModelError(message, kind="simulator", stage="user", retryable=True, usage=usage)

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


def _of_user(error: InfrastructureError, usage: Usage) -> ModelError:
    return ModelError(
        str(error), kind=error.kind, stage="user", retryable=error.retryable, usage=usage + error.usage
    )
