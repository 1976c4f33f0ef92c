"""Abilities of an endpoint with one model, found out by asking it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.models.chat import ChatReply, ChatRequest, Sampling
from stb_env.models.contract import Contract
from stb_env.models.model import ChatModel, ModelError

PROBE = "stb_probe"
"""Stands in each request of a probe, so that logs (and doubles) can tell it from the work."""

# Said nowhere but in the schema or the tool's description: who repeats it has been shown it, or held to it.
_SECRET = "marigold-4711"  # noqa: S105 -- a word to recognise, which protects nothing
_PROPERTY = "code"
_CONTRACT = Contract(
    PROBE,
    {
        "type": "object",
        "properties": {_PROPERTY: {"type": "string", "enum": [_SECRET]}},
        "required": [_PROPERTY],
    },
    "Report the code.",
)
_TOOL: JsonObject = {
    "type": "function",
    "function": {
        "name": PROBE,
        "description": f"Report the code. The code of today is {_SECRET}; nobody has said it elsewhere.",
        "parameters": {
            "type": "object",
            "properties": {_PROPERTY: {"type": "string", "description": "The code of today."}},
            "required": [_PROPERTY],
        },
    },
}
_QUESTION = {
    "role": "user",
    "content": f"This tests the connection ({PROBE}). Report the code of today with the tool that names it.",
}
# Room for a model that thinks first.
_SAMPLING = Sampling(temperature=0.0, max_tokens=64)
# An own fault of the server at one question of several, again and again, is how some say that they cannot.
_OWN_FAULT = 500


@dataclass(frozen=True, slots=True)
class Abilities:
    """Abilities of an endpoint with one model.

    Attributes:
        json_schema: It holds a reply to a JSON Schema.
        tools: It holds a reply to the one function that ``tool_choice`` names.
        rendered: The model gets to see the tools that a request offers.

    Examples:
        >>> Abilities(json_schema=True, tools=True, rendered=False).lacks
        'its chat template drops tools'
    """

    json_schema: bool
    tools: bool
    rendered: bool

    @property
    def lacks(self) -> str:
        """The missing abilities, in words; empty where nothing is missing."""
        missing = ["it takes no JSON Schema"] * (not self.json_schema)
        missing += ["it cannot be held to one tool"] * (not self.tools)
        missing += ["its chat template drops tools"] * (not self.rendered)
        return ", ".join(missing)

    def to_dict(self) -> dict[str, object]:
        """Return the abilities as plain data."""
        return asdict(self)


def probe(model: ChatModel) -> Abilities:
    """Ask a model a few short questions, and return what the answers show.

    Tools count as shown to the model where the server counts more tokens in the question with the tool than
    in the same question without, or, where it counts none, where the model says what only the tool's
    description says.

    Raises:
        InfrastructureError: It did not answer a plain question, or not in time, so that nothing is known.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> probe(ScriptedModel(lambda request: '{"code": "marigold-4711"}'))
        Abilities(json_schema=True, tools=False, rendered=True)
        >>> probe(ScriptedModel(lambda request: "I know of no code."))
        Abilities(json_schema=False, tools=False, rendered=False)
    """
    question, bare = _opened(model)
    choice = {"type": "function", "function": {"name": PROBE}}
    constrained = replace(question, response_format=_CONTRACT.response_format)
    forced = replace(question, tools=(_CONTRACT.tool,), tool_choice=choice)
    return Abilities(
        json_schema=_able(model, constrained, lambda reply: _code(reply.text) == _SECRET),
        tools=_able(model, forced, _called),
        rendered=_rendered(model, replace(question, tools=(_TOOL,)), bare),
    )


def _opened(model: ChatModel) -> tuple[ChatRequest, ChatReply]:
    """Return the question in the sampling that the model takes, and the shortest answer to it."""
    question = ChatRequest((_QUESTION,), sampling=_SAMPLING)
    try:
        return question, model.complete(_shortest(question))
    except ModelError as error:
        if error.status != 400:
            raise
    # Some models take neither a temperature nor a limit of this name.
    question = replace(question, sampling=Sampling())
    return question, model.complete(question)


def _shortest(question: ChatRequest) -> ChatRequest:
    limited = question.sampling.max_tokens is not None
    return replace(question, sampling=replace(question.sampling, max_tokens=1)) if limited else question


def _able(model: ChatModel, request: ChatRequest, shown: Callable[[ChatReply], bool]) -> bool:
    try:
        reply = model.complete(request)
    except ModelError as error:
        if error.retryable and error.status != _OWN_FAULT and error.kind != "internal":
            # It passes: nothing is known, and nothing may be remembered.
            raise
        # It answers the plain question and not this one.
        return False
    return shown(reply)


def _rendered(model: ChatModel, request: ChatRequest, bare: ChatReply) -> bool:
    counts: list[int] = []

    def longer(reply: ChatReply) -> bool:
        counts.extend((bare.usage.prompt_tokens, reply.usage.prompt_tokens))
        return counts[1] > counts[0] > 0

    if _able(model, _shortest(request), longer):
        return True
    # A weak model may see a tool and say nothing of it, so its words decide only where no tokens are counted.
    return bool(counts) and not all(counts) and _able(model, request, _tells)


def _tells(reply: ChatReply) -> bool:
    return _SECRET in jsontext.dumps(dict(reply.message))


def _code(text: str) -> object:
    try:
        value = jsontext.loads(text.strip())
    except ValueError:
        return None
    return value.get(_PROPERTY) if isinstance(value, dict) else None


def _called(reply: ChatReply) -> bool:
    functions: list[JsonMapping] = [call["function"] for call in reply.tool_calls]
    return any(one["name"] == PROBE and _code(str(one["arguments"])) is not None for one in functions)
