"""A model that is asked again until its answer can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from stb_env.core.request import Slow
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.models import ChatModel, ChatReply, ChatRequest, ModelError, Usage, ask
from stb_env.models.model import WrappedModel
from stb_env.models.prompting import material
from stb_env.models.retry_sampling import another_try, is_cut, quoted, said

# Far above any number of votes, so that an attempt never meets another vote's index.
_STRIDE = 10_000
# As much of an unreadable reply as is quoted back, in characters.
_QUOTE = 2_000
# Shorter replies are words that anyone uses, in characters without blanks.
_LEAST_QUOTE = 20
_QUOTED = "Your reply only repeats a passage of the material; the decision must be your own."


class ReadableModel(WrappedModel):
    """Asks a model again where its answer cannot be read or it failed in a way that may pass.

    What could not be read is put to the model once more, with what was wrong with it. Each question has a
    seed of its own, which follows from its index and from the model's configured seed: votes differ from each
    other, and an attempt from the one before. Further attempts leave more to chance (see `another_try`). Put
    it inside a `CachedModel`: what is stored then can always be read.

    Args:
        model: Answers.
        readable: Whether an answer can be used.
        attempts: How often a question is put at most.
        seeded: Whether the first attempt names its seed too; the originals' questions name none.
        own_words: Whether a reply that only repeats a passage of the question's material (see
            `stb_env.models.prompting.material`) cannot be used: a verdict that stands in what is judged is
            none.

    Raises:
        ConfigError: ``attempts`` is below 1.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> model = ReadableModel(ScriptedModel(["hm", "yes"]), lambda reply: reply.text == "yes", attempts=2)
        >>> reply = model.complete(ChatRequest.of("Is it?"))
        >>> reply.text, reply.usage.calls
        ('yes', 2)
        >>> model.model.requests[1].messages[-1]["content"][:44]
        'Your reply could not be read as an answer to'
    """

    def __init__(
        self,
        model: ChatModel,
        readable: Callable[[ChatReply], bool],
        attempts: int,
        *,
        seeded: bool = True,
        own_words: bool = False,
    ) -> None:
        if attempts < 1:
            raise ConfigError(f"attempts must be at least 1, got {attempts}")
        super().__init__(model)
        self.attempts = attempts
        self._readable, self._seeded, self._own_words = readable, seeded, own_words

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Return the first answer that can be read; its usage covers every attempt."""
        spent, asked = Usage(), request
        last: ChatReply | None = None
        for attempt in range(self.attempts):
            try:
                reply: ChatReply = yield ask(self.model, self._numbered(asked, attempt, last))
            except InfrastructureError as error:
                failure = error
                spent += error.usage if isinstance(error, ModelError) else Usage()
                # A question that brought no answer has had its retries and its deadline in the client.
                if not (error.retryable and error.usage.calls):
                    break
                continue
            spent += reply.usage
            parroted = self._own_words and quotes(reply, request)
            if not parroted and self._readable(reply):
                return replace(reply, usage=spent)
            failure, last = _unreadable(self.name, reply), reply
            fault = _QUOTED if parroted else _fault(reply)
            asked = replace(asked, messages=(*asked.messages, *_corrected(asked, reply, fault)))
        tried = f" (asked {attempt + 1} times)" if attempt else ""
        raise ModelError(
            f"{failure}{tried}",
            kind=failure.kind,
            stage=failure.stage,
            retryable=failure.retryable,
            usage=spent,
        )

    def _numbered(self, request: ChatRequest, attempt: int, last: ChatReply | None) -> ChatRequest:
        """Return a question with the index, the seed and the temperature of an attempt."""
        index, sampling = request.index + attempt * _STRIDE, request.sampling
        if attempt or self._seeded:
            own = self.fingerprint.get("seed")
            base = sampling.seed if sampling.seed is not None else own if isinstance(own, int) else 0
            sampling = replace(sampling, seed=base + index)
        numbered = replace(request, index=index, sampling=sampling)
        return another_try(numbered, self.model, last) if attempt else numbered


def quotes(reply: ChatReply, request: ChatRequest) -> bool:
    """Return whether all that a reply says stands in the material of the question; a word or two may.

    Examples:
        >>> from stb_env.models.prompting import delimited
        >>> request = ChatRequest.of(delimited('It rains. {"answer_status": "Solved"}', "answer"))
        >>> quotes(ChatReply({"content": '{ "answer_status": "Solved" }'}), request)
        True
        >>> quotes(ChatReply({"content": "Solved"}), request)
        False
    """
    words = "".join(said(reply).split())
    if len(words) < _LEAST_QUOTE:
        return False
    texts = (str(message.get("content") or "") for message in request.messages)
    return any(words in "".join(part.split()) for text in texts for part in material(text))


def _corrected(
    request: ChatRequest, reply: ChatReply, fault: str
) -> tuple[dict[str, object], dict[str, object]]:
    """Return an unreadable reply and what was wrong with it, as messages."""
    # The reply goes back as text: a call in it would want an answer, and could be one that no server reads.
    return (
        {"role": "assistant", "content": quoted(reply, _QUOTE) or "(nothing)"},
        {"role": "user", "content": f"{fault} {_wanted(request)}"},
    )


def _fault(reply: ChatReply) -> str:
    if is_cut(reply):
        return "Your reply was cut at the length limit before it was complete; write much less."
    if not said(reply).strip():
        return "Your reply was empty."
    return "Your reply could not be read as an answer to the question: it does not have the form asked for."


def _wanted(request: ChatRequest) -> str:
    if not request.tools:
        return "Answer the question again, in exactly the form that it asks for, and write nothing else."
    function = request.tools[0]["function"]
    members = ", ".join(function["parameters"].get("properties", {}))
    return (
        f"Answer again with one call of {function['name']}, or write only a JSON object with the members "
        f"{members}."
    )


def _unreadable(name: str, reply: ChatReply) -> ModelError:
    words = " ".join(said(reply).split())[:120]
    message = f"model {name!r} wrote nothing that can be read as an answer: {words!r}"
    return ModelError(message, kind="judge", stage="judge", retryable=True)
