"""Pieces of a conversation as tokens, so that it is tokenised once and only ever added to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Any

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import ConfigError
from stb_env.formats.template_messages import template_messages

_WROTE = "<what the model wrote>"
_RESULT = "result_7c1f"
_TOOL = "probe_4be2"


def ids_of(tokenizer: Any, text: str) -> list[int]:
    """Tokenise a piece of a conversation as it is."""
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def stop_ids(tokenizer: Any, model: Any = None) -> tuple[int, ...]:
    """Return the tokens that end a turn: the tokenizer's, and those of a model's generation settings."""
    settings = getattr(model, "generation_config", None)
    given = getattr(settings, "eos_token_id", None)
    more = given if isinstance(given, list | tuple) else [given]
    return tuple(dict.fromkeys(each for each in (tokenizer.eos_token_id, *more) if each is not None))


def prompt_ids(
    tokenizer: Any, messages: Sequence[JsonMapping], tools: Sequence[JsonMapping] | None
) -> list[int]:
    """Tokenise a conversation up to the model's next turn."""
    chat = template_messages(messages, lenient=True)
    return ids_of(tokenizer, _rendered(tokenizer, chat, tools=tools, add_generation_prompt=True))


def told_ids(
    tokenizer: Any, messages: Sequence[JsonMapping], stops: Sequence[int], last: int | None
) -> list[int]:
    """Return what the chat template puts between the end of a turn and the model's next.

    The template is shown a turn with the same calls, since many render a result only after its call. A turn
    that was cut before its end is ended as the template does it.

    Args:
        tokenizer: A tokenizer of transformers with a chat template.
        messages: The model's turn, and what came back.
        stops: Tokens that end a turn.
        last: The last token of the turn.

    Raises:
        ConfigError: The template does not render what came back.
    """
    said, *told = template_messages(messages, lenient=True)
    form = _turn_form(tokenizer, tokenizer.chat_template, len(said.get("tool_calls") or ()))
    ends = [tokenizer.decode([stop]) for stop in stops]
    after, end = _after(tokenizer, _turn(said, form), told, ends)
    if last not in stops:
        return ids_of(tokenizer, end + after)
    # Some templates begin what follows with the token that the model ends its turn by.
    return ids_of(tokenizer, after if end else after.removeprefix(tokenizer.decode([last])))


def check_template(tokenizer: Any, tools: Sequence[JsonMapping] | str = (), *, calls: int = 0) -> None:
    """Refuse a tokenizer whose chat template loses a part of an episode.

    Args:
        tokenizer: A tokenizer of transformers.
        tools: OpenAI function specs that the model is to see, or their JSON, as Parquet has it.
        calls: Most calls of a turn in the messages that the template is to render. Token by token it renders
            none, since what the model wrote stays as it was sampled.

    Raises:
        ConfigError: It has no template, or the template does not render tools, calls or results; the message
            says which.
    """
    template = getattr(tokenizer, "chat_template", None)
    if not template:
        raise ConfigError("the tokenizer has no chat template; set tokenizer.chat_template")
    specs: Sequence[JsonMapping] = jsontext.loads(tools) if isinstance(tools, str) else tools
    _turn_form(tokenizer, template, 1)
    if calls:
        said, results = _probe(calls)
        text = _whole(tokenizer, said, results)
        parts = [part for call in said["tool_calls"] for part in _parts(call["function"])]
        if missing := [part for part in (*parts, *(each["content"] for each in results)) if part not in text]:
            raise ConfigError(
                f"the chat template does not render a turn of {calls} calls ({missing[0]!r} is missing); "
                "take another template, or leave such episodes out"
            )
    user = [{"role": "user", "content": "?"}]
    text = _rendered(tokenizer, user, tools=list(specs) or None, add_generation_prompt=True)
    if missing := [name for tool in specs if (name := tool["function"]["name"]) not in text]:
        raise ConfigError(
            f"the chat template does not show the model its tools ({missing[0]!r} is missing); take a "
            "template with tools, or the tools as text of the prompt (as stb_env.integrations.skyrl does)"
        )


def own_turns(
    tokenizer: Any, messages: Sequence[JsonMapping], how: Mapping[str, object]
) -> tuple[str, list[tuple[int, int]]]:
    """Return a conversation as text, and where in it each turn of the model begins and ends.

    A turn begins where the model was asked for it, and holds the token that ends it. Templates need not mark
    turns for that.

    Args:
        tokenizer: A tokenizer of transformers with a chat template.
        messages: Messages as templates render them; the last is the model's.
        how: What else the template is given, the tools among it.

    Raises:
        ConfigError: The template renders the prompt in another way once turns follow it, or what stands
            between two turns.
    """
    whole = _rendered(tokenizer, messages, **how)
    ends = [tokenizer.decode([stop]) for stop in stop_ids(tokenizer)]
    own = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    asked = _rendered(tokenizer, messages[: own[0]], add_generation_prompt=True, **how)
    begin = _shared(asked, whole)
    if begin < len(_rendered(tokenizer, messages[: own[0]], **how)):
        raise ConfigError(_OTHERWISE.format("the prompt"))
    turns = []
    for index, following in pairwise(own):
        said, told = messages[index], messages[index + 1 : following]
        turn = _turn(said, _turn_form(tokenizer, tokenizer.chat_template, len(said.get("tool_calls") or ())))
        after, _ = _after(tokenizer, turn, told, ends)
        # What asks for the next turn is another text in some templates once the turn is there.
        asks = len(_whole(tokenizer, turn, told)) - len(_whole(tokenizer, turn, told, ask=False))
        end = whole.find(after[: len(after) - asks], begin)
        if end < 0:
            raise ConfigError(_OTHERWISE.format(f"what comes after message {index}"))
        turns.append((begin, end))
        begin = end + _shared(after, whole[end:])
    # Some templates put a line break behind the last turn.
    return whole, [*turns, (begin, len(whole.rstrip("\n")))]


_OTHERWISE = (
    "the chat template renders {} in another way once further turns follow, so that a model would be trained "
    "on what it never sees; take another template"
)


def _probe(calls: int) -> tuple[JsonObject, list[JsonObject]]:
    """Return a turn of so many calls, and their results; of a text, what a user says to it."""
    made: list[JsonObject] = [
        {
            "id": f"call{number:05}",
            "type": "function",
            "function": {"name": f"{_TOOL}_{number}", "arguments": {f"key_{number}": f"value_{number}"}},
        }
        for number in range(calls)
    ]
    said: JsonObject = {"role": "assistant", "content": "", "tool_calls": made}
    if not calls:
        return said, [{"role": "user", "content": _RESULT}]
    return said, [
        {"role": "tool", "tool_call_id": call["id"], "content": f"{_RESULT}_{number}"}
        for number, call in enumerate(made)
    ]


def _parts(function: JsonMapping) -> list[str]:
    return [function["name"], *function["arguments"], *function["arguments"].values()]


@lru_cache(maxsize=32)
def _turn_form(tokenizer: Any, template: str, calls: int) -> int:
    """Return how a turn of so many calls is to be shown, so that the template renders every result.

    Args:
        tokenizer: The tokenizer.
        template: Its template, which may be set anew.
        calls: How many calls the turn made.

    Returns:
        How many of the calls are shown: some templates take one call a turn, some show no calls at all.

    Raises:
        ConfigError: The template renders no results of calls, or fails.
    """
    del template
    said, told = _probe(calls)
    why = ""
    for shown in dict.fromkeys((calls, min(calls, 1), 0)):
        try:
            after, _ = _after(tokenizer, _turn(said, shown), told, ())
        except ConfigError as error:
            why = str(error)
            continue
        if all(each["content"] in after for each in told):
            return shown
        why = "the chat template renders no results of tools"
    raise ConfigError(f"{why}; take a chat template that renders turns of tools")


def _turn(said: JsonMapping, shown: int) -> JsonObject:
    """Return a model's turn with as many of its calls, marked where the last thing that it wrote stands."""
    if not shown:
        return {"role": "assistant", "content": _WROTE}
    marked = {"value": _WROTE}
    calls = [
        {**call, "function": {**call["function"], "arguments": marked}} for call in said["tool_calls"][:shown]
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def _after(
    tokenizer: Any, turn: JsonObject, told: Sequence[JsonMapping], stops: Sequence[str]
) -> tuple[str, str]:
    """Return the text that follows a turn, and the token that ends the turn; empty where none does.

    Raises:
        ConfigError: The template fails on the turn, or does not show it.
    """
    alone = _alone(tokenizer, tokenizer.chat_template, jsontext.dumps(turn))
    whole = _whole(tokenizer, turn, told)
    if _WROTE not in alone or _WROTE not in whole:
        raise ConfigError("the chat template does not show what the model wrote")
    ending, after = alone.rpartition(_WROTE)[2], whole.rpartition(_WROTE)[2]
    found = sorted((ending.index(stop), stop) for stop in stops if stop in ending)
    if not found:
        return after[_shared(ending, after) :], ""
    place, stop = found[0]
    if after.startswith(ending[:place] + stop):
        return after[place + len(stop) :], stop
    # The last turn of a conversation ends by a token of its own (gpt-oss), which another one replaces later.
    specials = sorted(tokenizer.all_special_tokens, key=len, reverse=True)
    special = next((each for each in specials if after.startswith(each, place)), "")
    return after[place + len(special) :], stop


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common from their beginning on."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))


@lru_cache(maxsize=1024)
def _alone(tokenizer: Any, template: str, turn: str) -> str:
    """Render a turn, given as JSON, up to its end: turns of the same calls differ only in what came back."""
    del template
    return _whole(tokenizer, jsontext.loads(turn), ())


def _whole(tokenizer: Any, turn: JsonObject, told: Sequence[JsonMapping], *, ask: bool = True) -> str:
    """Render a turn with what came back, up to the model's next turn; alone, up to its end.

    With ``ask=False`` what asks for the next turn is left out.

    Raises:
        ConfigError: The template fails.
    """
    chat = [{"role": "user", "content": "?"}, turn, *told]
    try:
        return _rendered(tokenizer, chat, add_generation_prompt=bool(told) and ask)
    except Exception as error:  # a template is a program of its own, and raises anything
        raise ConfigError(f"the chat template fails on turns of tools ({error})") from error


def _rendered(tokenizer: Any, messages: Sequence[JsonMapping], **how: object) -> str:
    try:
        return str(tokenizer.apply_chat_template(messages, tokenize=False, **how))
    except TypeError:
        # A template that joins texts (DeepSeek V3) takes arguments as a text.
        return str(tokenizer.apply_chat_template(_as_text(messages), tokenize=False, **how))


def _as_text(messages: Sequence[JsonMapping]) -> list[JsonObject]:
    """Return messages in which the arguments of calls are JSON text."""
    changed: list[JsonObject] = []
    for message in messages:
        functions = [(call, call["function"]) for call in message.get("tool_calls") or ()]
        calls = [
            {**call, "function": {**function, "arguments": jsontext.dumps(function["arguments"])}}
            for call, function in functions
        ]
        changed.append({**message, "tool_calls": calls} if calls else dict(message))
    return changed
