"""verl: an agent loop that plays episodes token by token, with the tools of each task.

Rows say which task, see `dataset`. The loop is made known to verl's workers by a file that
``actor_rollout_ref.rollout.agent.agent_loop_config_path`` names::

    - name: stb_env
      _target_: stb_env.integrations.verl.EpisodeLoop

verl has no place for an episode without a reward. Where the infrastructure failed its response mask is zero
throughout, so that nothing is learnt from it; it stays in the mean of its group, with reward 0.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.integrations.roots import forked
from stb_env.integrations.rows import Which, training_rows
from stb_env.runs import DrivenEpisode

try:
    from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register
    from verl.utils.profiler import simple_timer
except ImportError as error:
    raise ConfigError(
        "this adapter needs verl 0.9, which is not installed here; install it as its own page says"
    ) from error

AGENT = "stb_env"
"""What rows have in their column ``agent_name``."""


@register(AGENT)
class EpisodeLoop(AgentLoopBase):
    """Plays one row to its end, or until the response is as long as it may be.

    Calls are read out of what the model writes; what text without one is, `DrivenEpisode.say` decides. What
    the model wrote is never tokenised again.
    """

    async def run(self, sampling_params: JsonObject, **row: Any) -> AgentLoopOutput:
        """Play an episode; see verl's class."""
        told = row["extra_info"]
        episode = DrivenEpisode(forked(told["env_id"], jsontext.loads(told["settings"])))
        await episode.astart(task_id=told["task_id"], seed=int(told["seed"]))
        chat, tools = episode.messages, episode.tools
        ids = await self.ct_build_initial_tokens(chat, tools=tools)
        begun, mask = len(ids), list[int]()
        logprobs: list[float] | None = None
        metrics: dict[str, float] = {}
        request = uuid4().hex
        while True:
            with simple_timer("generate_sequences", metrics):
                output = await self.server_manager.generate(
                    request_id=request, prompt_ids=ids, sampling_params=sampling_params
                )
            logprobs = logprobs or ([] if output.log_probs else None)
            merged, mask, logprobs = await self.ct_merge_assistant_token(
                ids, output.token_ids, mask, logprobs, assistant_logprobs=output.log_probs
            )
            ids = merged.token_ids
            if len(mask) >= self.rollout_config.response_length:
                # Cut by its length, it is neither a call nor an answer.
                break
            text = self.tokenizer.decode(output.token_ids, skip_special_tokens=True)
            with simple_timer("tool_calls", metrics):
                reply = await episode.asay(text)
            if reply.over:
                break
            role = "tool" if reply.answers_call else "user"
            before = [*chat, {"role": "assistant", "content": text}]
            chat = [*before, {"role": role, "content": reply.text}]
            merged, longer, logprobs = await self.ct_merge_context_msg(
                before, chat, ids, mask, logprobs, tools=tools
            )
            if len(longer) >= self.rollout_config.response_length:
                logprobs = logprobs and logprobs[: len(mask)]
                break
            ids, mask = merged.token_ids, longer
        return self._output(episode, ids, begun, mask, logprobs, metrics)

    def _output(
        self,
        episode: DrivenEpisode,
        ids: list[int],
        begun: int,
        mask: list[int],
        logprobs: list[float] | None,
        metrics: dict[str, float],
    ) -> AgentLoopOutput:
        most, reward = self.rollout_config.response_length, episode.reward
        written = mask if reward is not None else [0] * len(mask)
        return AgentLoopOutput(
            prompt_ids=ids[:begun],
            response_ids=ids[begun:][:most],
            response_mask=written[:most],
            response_logprobs=logprobs[:most] if logprobs else None,
            # None would hand the episode to verl's own scorers.
            reward_score=reward or 0.0,
            num_turns=len(episode.trajectory().messages),
            metrics=metrics,
            extra_fields={
                "turn_scores": [],
                "tool_rewards": [],
                "valid": episode.valid,
                "failure": jsontext.dumps(episode.failure),
                "verdict": jsontext.dumps(episode.verdict),
            },
        )


def dataset(env_id: str, tasks: Which = None, *, seed: int = 0, **settings: object) -> list[JsonObject]:
    """List tasks as rows of verl's data sets, to be written as Parquet.

    Args:
        env_id: An id of any suite.
        tasks: How many, or which; None for all.
        seed: Seed of the run.
        **settings: Settings of the environment, plain data.
    """
    written = jsontext.dumps(settings)
    return [
        {
            "data_source": row.env_id,
            "prompt": row.messages,
            "agent_name": AGENT,
            "extra_info": {
                "env_id": row.env_id,
                "task_id": row.task_id,
                "seed": row.seed,
                "settings": written,
            },
        }
        for row in training_rows(env_id, tasks, seed=seed, **settings)
    ]
