"""Episodes by one causal language model, many at a time, as the tokens that it sampled.

The episodes are those of `stb_env.integrations.trl`: a conversation is tokenised once and only ever added to,
so training sees the very tokens that were sampled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import mean
from typing import Any

import gymnasium as gym

import stb_env
from stb_env.integrations.trl import TokenEpisode, generate, ids_of, play_together, stop_ids

TURNS = 3
LONGEST_TURN = 48
LONGEST = 320
# Statuses of calls that were answered, or ended the episode (docs/concepts.md).
TAKEN = {0, 1, 5, 6}
SAMPLED = {"temperature": 1.0, "top_k": 0, "top_p": 1.0}

__all__ = ["LONGEST", "Player", "TokenEpisode", "written"]


def written(action: Mapping[str, Any]) -> str:
    """Write a call as Hermes and Qwen models do."""
    return f"<tool_call>\n{json.dumps(dict(action))}\n</tool_call>"


def gold_actions(env: gym.Env[Any, Any], task_id: str) -> list[Mapping[str, Any]]:
    """Return the known solution of a task."""
    agent = stb_env.load_agent("gold")()
    observation, info = env.reset(seed=0, options={"task_id": task_id})
    agent.reset(env, 0)
    actions = []
    over = False
    while not over:
        actions.append(agent.act(observation, info))
        observation, _, terminated, truncated, info = env.step(actions[-1])
        over = terminated or truncated
    return actions


class Player:
    """Plays many episodes at a time with one model: every turn of all of them is one batch.

    Args:
        model: A causal language model of transformers.
        tokenizer: Its tokenizer, whose chat template has turns of tools.
        longest: Most tokens of an episode; a real model's prompt describes the tools, and needs thousands.
        turn: Most tokens of a turn.
        env_id: What is played.
        settings: Its settings.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        longest: int = LONGEST,
        turn: int = LONGEST_TURN,
        env_id: str = "stb/Sandbox-v1",
        **settings: Any,
    ) -> None:
        self.model, self.tokenizer = model, tokenizer
        self._longest, self._turn = longest, turn
        self._env_id, self._settings = env_id, {"max_turns": TURNS, **settings}
        self._envs: list[gym.Env[Any, Any]] = []

    def solution(self, task_id: str) -> list[Mapping[str, Any]]:
        """Return the known solution of a task."""
        return gold_actions(self._env(0), task_id)

    def gold(self, task_id: str) -> TokenEpisode:
        """Play the known solution of a task, in the words of a model."""
        return self.replay(task_id, self.solution(task_id))

    def replay(self, task_id: str, actions: Sequence[Mapping[str, Any]]) -> TokenEpisode:
        """Play given calls, in the words of a model."""
        episode = self._begin(0, task_id)
        for action in actions:
            episode.act(ids_of(self.tokenizer, written(action) + self.tokenizer.eos_token))
        return episode

    def play(self, task_ids: Sequence[str], *, greedy: bool = False) -> list[TokenEpisode]:
        """Play one episode of each task named, in their order."""
        episodes = [self._begin(number, task_id) for number, task_id in enumerate(task_ids)]
        play_together(episodes, partial(self._write, {} if greedy else SAMPLED))
        return episodes

    def success(self, task_ids: Sequence[str]) -> dict[str, float]:
        """Measure the model on tasks.

        Returns:
            The shares that it solves: by what is likeliest, and by what it samples. Of the latter the mean
            reward, the share of turns without a call that a tool took, and the tokens that it wrote an
            episode.
        """
        likeliest, sampled = self.play(task_ids, greedy=True), self.play(task_ids)
        turns = [step["calls"] for episode in sampled for step in episode.trajectory().steps]
        taken = sum(any(call["status"] in TAKEN for call in calls) for calls in turns)
        return {
            "success": mean(float(episode.solved) for episode in likeliest),
            "sampled": mean(float(episode.solved) for episode in sampled),
            "reward": mean(episode.reward for episode in sampled),
            "invalid": 1 - taken / len(turns) if turns else 0.0,
            "tokens": mean(sum(episode.mask) for episode in sampled),
        }

    def query(self, task_id: str) -> str:
        """Return what a task asks."""
        observation, _ = self._env(0).reset(seed=0, options={"task_id": task_id})
        return str(observation["query"])

    def _env(self, number: int) -> gym.Env[Any, Any]:
        while number >= len(self._envs):
            self._envs.append(stb_env.make(self._env_id, **self._settings))
        return self._envs[number]

    def _begin(self, number: int, task_id: str) -> TokenEpisode:
        env = self._env(number)
        stops = stop_ids(self.tokenizer, self.model)
        return TokenEpisode.begin(
            env, self.tokenizer, task_id, longest=self._longest, turn=self._turn, stops=stops
        )

    def _write(
        self, how: Mapping[str, float], prompts: Sequence[list[int]]
    ) -> Sequence[tuple[Sequence[int], Sequence[float]]]:
        return generate(self.model, self.tokenizer, prompts, self._turn, **how)
