"""One question to an agent's model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stb_env import Agent
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow
from stb_env.models import ChatModel, ChatReply, ChatRequest, ModelError, Sampling
from stb_env.models.agent_role import of_agent
from stb_env.models.model import ask

FINISH_ACTION: JsonObject = {
    "name": "Finish",
    "arguments": {"return_type": "give_answer", "final_answer": ""},
}
"""The action of an agent whose program is played."""


def answer_of(
    agent: Agent,
    model: ChatModel,
    messages: Sequence[Mapping[str, object]],
    max_tokens: int,
    stop: Sequence[str],
) -> Slow[str]:
    """Return a model's most likely answer, its usage added to the agent's.

    Args:
        agent: Who asks.
        model: The model.
        messages: The prompt.
        max_tokens: Bound on the answer.
        stop: Texts that end it.

    Raises:
        ModelError: The model gave no answer.
    """
    sampling = Sampling(temperature=0.0, max_tokens=max_tokens, stop=tuple(stop))
    try:
        reply: ChatReply = yield ask(model, ChatRequest(tuple(messages), sampling=sampling))
    except ModelError as error:
        agent.usage += error.usage
        raise of_agent(error) from error
    agent.usage += reply.usage
    return reply.text
