"""verl: an agent loop that plays episodes token by token, with the tools of each task.

Rows say which task, see `dataset`. The loop is made known to verl's workers by a file that
``actor_rollout_ref.rollout.agent.agent_loop_config_path`` names::

    - name: stb_env
      _target_: stb_env.integrations.verl.EpisodeLoop

verl has no place for an episode without a reward. Where the infrastructure failed its response mask is zero
throughout, so that nothing is learnt from it; it stays in the mean of its group, with reward 0.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.integrations.roots import forked
from stb_env.integrations.rows import Which, training_rows
from stb_env.integrations.trl import TokenEpisode, check_template

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

    What text means, and how the chat template renders what comes back, `TokenEpisode` decides, as for TRL.
    """

    async def run(self, sampling_params: JsonObject, **row: Any) -> AgentLoopOutput:
        """Play an episode; see verl's class.

        Raises:
            ConfigError: The chat template loses tools or results, or the prompt is longer than verl's
                ``prompt_length``.
        """
        told, limits = row["extra_info"], self.rollout_config
        given = jsontext.dumps(dict(self.apply_chat_template_kwargs))
        tokenizer = _Chat(self.tokenizer, given)
        episode = TokenEpisode.begin(
            forked(told["env_id"], jsontext.loads(told["settings"])),
            tokenizer,
            told["task_id"],
            seed=int(told["seed"]),
            longest=sys.maxsize,
            turn=1,
        )
        check_template(tokenizer, episode.opening.info["tools"])
        if len(episode.prompt) > limits.prompt_length:
            raise ConfigError(
                f"the prompt of task {told['task_id']!r} has {len(episode.prompt)} tokens, more than verl's "
                f"prompt_length={limits.prompt_length}; raise data.max_prompt_length, or leave this task out"
            )
        episode.longest = len(episode.prompt) + limits.response_length
        metrics: dict[str, float] = {}
        request = uuid4().hex
        while not episode.over:
            with simple_timer("generate_sequences", metrics):
                output = await self.server_manager.generate(
                    request_id=request, prompt_ids=episode.ids, sampling_params=sampling_params
                )
            with simple_timer("tool_calls", metrics):
                await episode.aact(output.token_ids, output.log_probs)
        return _output(episode, metrics)


@dataclass(frozen=True)
class _Chat:
    """A tokenizer whose template is rendered with the settings that verl's data has for it, as JSON."""

    tokenizer: Any
    settings: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tokenizer, name)

    def __call__(self, text: str, **how: Any) -> Any:
        return self.tokenizer(text, **how)

    def apply_chat_template(self, messages: Any, **how: Any) -> Any:
        return self.tokenizer.apply_chat_template(messages, **jsontext.loads(self.settings), **how)


def _output(episode: TokenEpisode, metrics: dict[str, float]) -> AgentLoopOutput:
    reward, saved = episode.earned, episode.trajectory()
    return AgentLoopOutput(
        prompt_ids=episode.prompt,
        response_ids=episode.completion,
        response_mask=episode.mask if reward is not None else [0] * len(episode.mask),
        response_logprobs=episode.logprobs or None,
        # None would hand the episode to verl's own scorers.
        reward_score=reward or 0.0,
        num_turns=len(saved.messages),
        metrics=metrics,
        extra_fields={
            "turn_scores": [],
            "tool_rewards": [],
            "valid": saved.valid,
            "failure": jsontext.dumps(saved.failure),
            "verdict": jsontext.dumps(saved.verdict),
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
