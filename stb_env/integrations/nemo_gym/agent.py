"""NeMo Gym's own agent, in conversations."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Request, Response
from nemo_gym.openai_utils import (
    NeMoGymEasyInputMessage,
    NeMoGymResponse,
    NeMoGymResponseCreateParamsNonStreaming,
    accumulate_response_usage,
)
from nemo_gym.server_utils import get_response_json, raise_for_status
from responses_api_agents.simple_agent.app import SimpleAgent

from stb_env.integrations.nemo_gym.server import HEAR, last_text


class ConversationAgent(SimpleAgent):
    """``simple_agent``, that goes on after a text: the user hears it, and what they say back comes next.

    Its settings are those of ``simple_agent``; ``max_steps`` counts anew after each word of the user.
    """

    async def responses(
        self,
        request: Request,
        response: Response,
        body: Annotated[NeMoGymResponseCreateParamsNonStreaming, Body()],
    ) -> NeMoGymResponse:
        """Play until the user has nothing more to say, or the model stops otherwise than by a text."""
        answered = await super().responses(request, response, body)
        said, usage = list(answered.output), answered.usage
        while (text := last_text(answered.output)) is not None:
            heard = await self.server_client.post(
                self.config.resources_server.name, HEAR, json={"text": text}, cookies=request.cookies
            )
            await raise_for_status(heard)
            if (words := (await get_response_json(heard))["words"]) is None:
                break
            said.append(NeMoGymEasyInputMessage(role="user", content=words))
            more = body.model_copy(update={"input": [*body.input, *said]})
            answered = await super().responses(request, response, more)
            said += answered.output
            usage = accumulate_response_usage(usage, answered.usage)
        return answered.model_copy(update={"output": said, "usage": usage})
