"""Sampling of a question that is put again after a reply that could not be used."""

from __future__ import annotations

from dataclasses import replace

from stb_env.models.chat import ChatReply, ChatRequest
from stb_env.models.model import ChatModel, fingerprint

# What the most likely text was not, a little chance may be.
_LEAST_TEMPERATURE = 0.2
# What ran on to the length limit mostly repeats itself, and would again with no more than a little chance.
_AFTER_A_LOOP = 0.7
_PENALTY = 0.5
# As much of such a reply as is quoted back, in characters: more of it invites to go on.
_BEGINNING = 200


def another_try(request: ChatRequest, model: ChatModel, reply: ChatReply | None) -> ChatRequest:
    """Return a question with the sampling of a further attempt.

    Its temperature is above 0, since the most likely text was none that could be used. After a reply that
    was cut at the length limit it is higher still and repetition costs, since such replies go in circles.

    Args:
        request: The question as it is put again.
        model: Who is asked; its configured temperature counts where the question names none.
        reply: The last reply; None where there was none.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> model, question = ScriptedModel([]), ChatRequest.of("Is it?")
        >>> another_try(question, model, ChatReply({"content": "hm"})).sampling.to_dict()
        {'temperature': 0.2}
        >>> another_try(question, model, ChatReply({"content": "so so so"}, "length")).sampling.to_dict()
        {'temperature': 0.7, 'frequency_penalty': 0.5}
    """
    sampling = request.sampling
    usual = fingerprint(model).get("temperature") if sampling.temperature is None else sampling.temperature
    asked = float(usual) if isinstance(usual, int | float) else 0.0
    cut = is_cut(reply)
    sampling = replace(sampling, temperature=max(asked, _AFTER_A_LOOP if cut else _LEAST_TEMPERATURE))
    if cut:
        sampling = replace(sampling, frequency_penalty=max(sampling.frequency_penalty or 0.0, _PENALTY))
    return replace(request, sampling=sampling)


def is_cut(reply: ChatReply | None) -> bool:
    """Return whether a reply ended at the length limit."""
    return reply is not None and reply.finish_reason == "length"


def quoted(reply: ChatReply, most: int) -> str:
    """Return as much of what a reply said as goes back to the model, in characters.

    Examples:
        >>> quoted(ChatReply({"content": "so " * 1_000}, "length"), 600).count("so")
        67
    """
    return said(reply)[: min(most, _BEGINNING) if is_cut(reply) else most]


def said(reply: ChatReply) -> str:
    """Return what a reply says: the arguments of its first call, or its text."""
    calls = reply.tool_calls
    return str(calls[0]["function"]["arguments"]) if calls else reply.text
