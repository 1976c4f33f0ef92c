"""The LLM simulator: a chat model stands in for an API, from its documentation and recorded examples."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from stb_env.backend.cache.key import Arguments, read_arguments
from stb_env.backend.simulator import mirror
from stb_env.backend.simulator.shown_example import ShownExample
from stb_env.backend.taxonomy import Taxonomy, classify
from stb_env.core import jsontext
from stb_env.core.request import Slow
from stb_env.errors import ConfigError, InfrastructureError, SimulatorError, did_you_mean
from stb_env.formats.recorded_answer import Answer
from stb_env.models import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Contract,
    ModelError,
    Sampling,
    Usage,
    ask,
    fingerprint,
)
from stb_env.models.prompting import Prompt, delimited, latest
from stb_env.models.retry_sampling import another_try, quoted
from stb_env.tools import Tool, ToolResult

Profile = Literal["chat", "mirror_sft", "mirror_cot", "mirror_cache"]
JSON_OBJECT = {"type": "json_object"}
CONTRACT = Contract(
    "api_response",
    {"properties": {"error": {"type": "string"}, "response": {}}, "required": ["error", "response"]},
    "What the API sends back.",
)
"""Form of a chat model's answer."""


_PROMPTS: Mapping[str, str] = {
    "chat": "simulator",
    "mirror_sft": "mirror_sft",
    "mirror_cot": "mirror_cot",
    "mirror_cache": "mirror_sft",
}
_MAX_TEMPLATE = 4_096
_MAX_DOCUMENTATION = 16_384
_MAX_REQUEST = 16_384
_MAX_QUOTE = 80


class LLMSimulator:
    """Answers calls with what a chat model says that the API would answer.

    An answer that cannot be used is asked for again, with the problem named (``chat``) or another sampling
    seed (MirrorAPI); where none can be used, that is a failure and never an answer.

    Args:
        model: Answers. Its configuration decides the sampling wherever ``sampling`` does not.
        profile: ``chat`` for any instruction-tuned model; ``mirror_sft`` and ``mirror_cot`` for the MirrorAPI
            models, which take no examples; ``mirror_cache`` for MirrorAPI-Cache, which knows APIs by their
            standardised names.
        examples: How many examples are shown at most.
        example_characters: Bound on their length together; one that does not fit is left out whole.
        attempts: How often the model is asked at most.
        taxonomy: Which reading of Appendix D tells what examples are failures, which are not shown.
        sampling: How to sample; None for nothing in particular, and for MirrorAPI's own in its profiles.
        prompt: System prompt to use instead of the newest packaged one, for example a published one.
        hidden: Names of arguments that the model is not shown, such as that of a key.

    Raises:
        ConfigError: The profile or taxonomy is unknown, or a number is out of range.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
        >>> simulator = LLMSimulator(ScriptedModel(['{"error": "", "response": {"ms": 4}}']))
        >>> ping = Tool("ping", "Measures.", {"type": "object", "properties": {"host": {"type": "string"}}})
        >>> result = drive(simulator.simulate(ping, {"host": "a"}, key="k"))
        >>> result.response, result.source, result.usage.calls
        ({'ms': 4}, 'simulator', 1)
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        profile: Profile = "chat",
        examples: int = 5,
        example_characters: int = 2048,
        attempts: int = 3,
        taxonomy: Taxonomy = "default",
        sampling: Sampling | None = None,
        prompt: Prompt | None = None,
        hidden: Collection[str] = (),
    ) -> None:
        if profile not in _PROMPTS:
            near = did_you_mean(str(profile), _PROMPTS)
            raise ConfigError(f"profile must be one of {', '.join(_PROMPTS)}, got {profile!r}.{near}")
        _check_number("examples", examples, 0)
        _check_number("example_characters", example_characters, 0)
        _check_number("attempts", attempts, 1)
        # Asked once for nothing, so that an unknown taxonomy is refused here and not at the first example.
        classify("", "", taxonomy=taxonomy)
        self.model = model
        self.profile: Profile = profile
        self._examples = examples
        self._example_characters = example_characters
        self._attempts = attempts
        self._taxonomy: Taxonomy = taxonomy
        self._sampling = sampling or (Sampling() if profile == "chat" else mirror.SAMPLING)
        self._prompt = prompt or latest(_PROMPTS[profile])
        self._hidden = frozenset(hidden)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers: model and endpoint, sampling, prompt, examples."""
        return {
            **fingerprint(self.model),
            "profile": self.profile,
            "prompt": f"{self._prompt.name}/{self._prompt.version}",
            "prompt_hash": self._prompt.hash,
            "sampling": self._sampling.to_dict(),
            "examples": self._examples,
            "example_characters": self._example_characters,
            "attempts": self._attempts,
            "taxonomy": self._taxonomy,
            "hidden": sorted(self._hidden),
        }

    def simulate(
        self, tool: Tool, arguments: Arguments, *, key: str, examples: Sequence[object] = ()
    ) -> Slow[ToolResult]:
        """Answer one call.

        Args:
            tool: The API, with its record.
            arguments: An object, or the raw text where what was written is no object.
            key: Identifies the call in failures.
            examples: Real answers to other calls of the API: `ShownExample`, cache entries, or responses.

        Returns:
            The answer, with the usage of all attempts; an application error where the model gave one.

        Raises:
            SimulatorError: No attempt gave a usable answer.
            InfrastructureError: The model failed, at the stage ``simulator``.
        """
        messages = self._messages(tool, self._shown(read_arguments(arguments)), examples)
        usage = Usage()
        reply: ChatReply | None = None
        for attempt in range(self._attempts):
            request = self._request(messages, attempt, reply)
            reply = yield from ask_once(self.model, request, stage="simulator")
            usage += reply.usage
            try:
                answer = self._read(reply)
            except SimulatorError as error:
                problem = str(error)
                messages = self._corrected(messages, reply, problem)
            else:
                return ToolResult.of(answer.response, error=answer.error, source="simulator", usage=usage)
        failure = SimulatorError(
            f"model {self.model.name!r} gave no usable answer for {tool.name!r} (call {key}) "
            f"in {self._attempts} attempts; the last: {problem}"
        )
        failure.usage = usage
        raise failure

    def _shown(self, arguments: Arguments) -> Arguments:
        if isinstance(arguments, str):
            return arguments
        return {name: value for name, value in arguments.items() if name not in self._hidden}

    def _messages(
        self, tool: Tool, arguments: Arguments, examples: Sequence[object]
    ) -> list[Mapping[str, str]]:
        if self.profile != "chat":
            standard = self.profile == "mirror_cache"
            return [*mirror.messages(self._prompt, tool, arguments, standard=standard)]
        shown = example_lines(examples, self._examples, self._example_characters, taxonomy=self._taxonomy)
        parts = [delimited(documentation(tool), "documentation")]
        if shown:
            parts.append(delimited("\n".join(shown), "examples"))
        parts.append(delimited(_call(tool, arguments), "request"))
        return [
            {"role": "system", "content": self._prompt.render()},
            {"role": "user", "content": "\n\n".join(parts)},
        ]

    def _request(
        self, messages: Sequence[Mapping[str, str]], attempt: int, last: ChatReply | None
    ) -> ChatRequest:
        sampling = self._sampling
        if sampling.seed is not None:
            # A model's configured seed moves with the index; one that is asked for does not.
            sampling = replace(sampling, seed=sampling.seed + attempt)
        request = ChatRequest(tuple(messages), sampling=sampling, index=attempt)
        if self.profile != "chat":
            return request
        request = replace(request, response_format=JSON_OBJECT, contract=CONTRACT)
        return another_try(request, self.model, last) if attempt else request

    def _read(self, reply: ChatReply) -> Answer:
        if self.profile == "chat":
            return read_simulated_answer(reply)
        answer = mirror.read_output(reply.text)
        if answer is None:
            raise SimulatorError(f"expected JSON of error and response, got {_quoted(reply.text)}")
        return answer

    def _corrected(
        self, messages: list[Mapping[str, str]], reply: ChatReply, problem: str
    ) -> list[Mapping[str, str]]:
        # MirrorAPI knows no second turn, and to no words there is nothing to say.
        if self.profile != "chat" or not reply.text.strip():
            return messages
        return [*messages[:2], *correction(reply, {"problem": problem})]


def read_simulated_answer(reply: ChatReply) -> Answer:
    """Read a chat model's answer: a JSON object with ``error``, a text or null, and ``response``.

    Fences and text around the object are passed over, and damage is repaired, unless the answer was cut off.

    Raises:
        SimulatorError: It is no such object; the message says what is wrong.

    Examples:
        >>> read_simulated_answer(ChatReply({"content": 'Sure: {"error": null, "response": [1]}'}))
        Answer(error='', response=[1], cut=False)
        >>> read_simulated_answer(ChatReply({"content": '{"response": [1]}'}))
        Traceback (most recent call last):
        ...
        stb_env.errors.SimulatorError: expected a JSON object with error and response, got one with response
    """
    if reply.message.get("refusal") or not reply.text.strip():
        raise SimulatorError(str(reply.message.get("refusal") or "the model wrote nothing"))
    problem = ""
    cut_off = reply.finish_reason == "length"
    for value in mirror.json_values(reply.text, repair=not cut_off):
        found = _problem(value)
        if not found:
            return Answer(value["error"] or "", value["response"])
        problem = problem or found
    if cut_off:
        problem = "the answer reached the limit of tokens before its end; make it shorter"
    raise SimulatorError(
        problem or f"expected a JSON object with error and response, got {_quoted(reply.text)}"
    )


def _problem(value: object) -> str:
    if not isinstance(value, dict):
        return f"expected a JSON object with error and response, got {_quoted(jsontext.dumps(value))}"
    if not {"error", "response"} <= value.keys():
        names = ", ".join(map(str, value))[:_MAX_QUOTE] or "nothing"
        return f"expected a JSON object with error and response, got one with {names}"
    if value["error"] is not None and not isinstance(value["error"], str):
        return f"error must be a text, got {_quoted(jsontext.dumps(value['error']))}"
    return ""


def _quoted(text: str) -> str:
    words = " ".join(text.split())
    return repr(words[:_MAX_QUOTE] + "..." if len(words) > _MAX_QUOTE else words)


def ask_once(model: ChatModel, request: ChatRequest, *, stage: str) -> Slow[ChatReply]:
    """Ask a model; a refusal comes back as a reply without text, which has a ``refusal`` and was paid for.

    Raises:
        InfrastructureError: The model failed; its stage is set to ``stage``.
    """
    try:
        reply: ChatReply = yield ask(model, request)
    except InfrastructureError as error:
        # Only an answer that came in full costs anything: that is how a refusal differs from a failure.
        if isinstance(error, ModelError) and error.retryable and error.usage.calls:
            message = {"role": "assistant", "content": "", "refusal": str(error)}
            return ChatReply(message, "refusal", error.usage)
        error.stage = stage
        raise
    return reply


def correction(reply: ChatReply, problem: Mapping[str, object]) -> list[Mapping[str, str]]:
    """Return the two messages that quote an unusable reply and say what is wrong with it."""
    return [
        {"role": "assistant", "content": quoted(reply, _MAX_REQUEST)},
        {"role": "user", "content": jsontext.dumps(dict(problem))},
    ]


def documentation(tool: Tool) -> str:
    """Return what is known of an API as JSON text, its parameters included.

    Parameters have the names by which they are called; a cut ``template_response`` is closed.

    Examples:
        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        >>> jsontext.loads(documentation(Tool("now", "Weather now.", schema)))["parameters"]
        [{'name': 'city', 'required': True, 'type': 'string'}]
    """
    record = tool.record
    required = set(tool.parameters.get("required", ()))
    template = record.get("template_response")
    if isinstance(template, str):
        template = jsontext.close(template)
    known = {
        **_names(tool),
        "tool_description": record.get("tool_description"),
        "api_description": record.get("api_description") or tool.description,
        "parameters": [
            {"name": name, "required": name in required, **schema}
            for name, schema in tool.parameters.get("properties", {}).items()
        ],
        "response_shape": jsontext.cut(template, _MAX_TEMPLATE),
    }
    kept = {name: value for name, value in known.items() if value or name == "parameters"}
    return jsontext.dumps(jsontext.cut(kept, _MAX_DOCUMENTATION))


def _names(tool: Tool) -> dict[str, str]:
    record = tool.record
    return {
        "category": record.get("category_name") or tool.id.category,
        "tool_name": record.get("tool_name") or tool.id.tool,
        "api_name": record.get("api_name") or tool.id.api or tool.name,
    }


def _call(tool: Tool, arguments: Arguments) -> str:
    given = arguments if isinstance(arguments, str) else dict(arguments)
    return jsontext.dumps({**_names(tool), "tool_input": jsontext.cut(given, _MAX_REQUEST)})


def example_lines(
    examples: Iterable[object], limit: int, characters: int, *, taxonomy: Taxonomy = "default"
) -> list[str]:
    """Return examples as lines of JSON, in order, each whole.

    Left out are failures, the placeholders that published caches hold for failed simulations, and what does
    not fit any more.

    Args:
        examples: `ShownExample`, cache entries, or mere responses.
        limit: Bound on their number.
        characters: Bound on their length together, line breaks included.
        taxonomy: Which reading of Appendix D tells a failure.

    Examples:
        >>> example_lines([{"ms": 4}, "Too many requests", "x" * 90, {"ms": 5}], 5, 80)
        ['{"error": "", "response": {"ms": 4}}', '{"error": "", "response": {"ms": 5}}']
    """
    lines: list[str] = []
    for example in map(ShownExample.of, examples):
        if len(lines) == limit:
            break
        if example.error == mirror.FAILED:
            continue
        if not classify(example.error, example.response, taxonomy=taxonomy).kept:
            continue
        line = example.written()
        if len(line) < characters:
            lines.append(line)
            characters -= len(line) + 1
    return lines


def _check_number(name: str, value: object, low: int) -> None:
    if type(value) is not int or value < low:
        raise ConfigError(f"{name} must be a whole number of at least {low}, got {value!r}")
