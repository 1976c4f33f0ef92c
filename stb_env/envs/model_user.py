"""A user who is played by a model, with the wishes and the facts that a task gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stb_env.backend.user import Said
from stb_env.core import jsontext
from stb_env.core.request import Slow
from stb_env.errors import FailureKind, InfrastructureError
from stb_env.judges.readable import ReadableModel
from stb_env.models import ChatModel, ChatReply, ChatRequest, Contract, ModelError, ask, fingerprint
from stb_env.models.prompting import Prompt, delimited, latest
from stb_env.tasks import Task

_FIELD = "say"
_CONTRACT = Contract(
    "utterance", {"properties": {_FIELD: {"type": ["string", "null"]}}, "required": [_FIELD]}, "Say it."
)


class ModelUser:
    """Lets a chat model play the user, with the wishes and the facts of a task's record.

    The utterances of a recorded user stand under ``turns``, and what the user knows by name under ``knows``;
    without a recorded user the query is the only wish.

    Args:
        model: Plays the user; a failure of it ends the episode with the stage ``user``.
        attempts: How often an utterance is asked for at most; what could not be read is said each time.
        turns: After so many utterances the user has had enough.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
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
        self._prompt: Prompt = latest("user")

    @property
    def fingerprint(self) -> dict[str, object]:
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
        script = "\n".join(str(turn["user"]) for turn in task.record.get("turns", [{"user": task.query}]))
        said = [f"User: {task.query}"]
        for heard, answered in exchanges:
            said += [f"Assistant: {heard}", f"User: {answered}"]
        said.append(f"Assistant: {text}")
        facts = "\n".join(_fact(name, values) for name, values in task.record.get("knows", {}).items())
        parts = [
            delimited(script, "script"),
            delimited(facts, "facts"),
            delimited("\n".join(said), "conversation"),
        ]
        messages = (
            {"role": "system", "content": self._prompt.render()},
            {"role": "user", "content": "\n\n".join(parts)},
        )
        return ChatRequest(messages, response_format={"type": "json_object"}, index=index, contract=_CONTRACT)


def _fact(name: str, values: Sequence[object]) -> str:
    written = (each if isinstance(each, str) else jsontext.dumps(each) for each in values)
    return f"{name}: {'; '.join(written)}"


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
