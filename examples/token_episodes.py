"""Episodes of a causal language model as token ids: what it wrote, and what it was told.

A conversation is tokenised once and only ever added to. Training therefore sees the very tokens that were
sampled, and a mask that is 1 on those and 0 on everything else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import gymnasium as gym
import torch

import stb_env

TURNS = 5
LONGEST_TURN = 64
LONGEST = 640


@dataclass
class TokenEpisode:
    """One episode.

    Attributes:
        env: The environment, fresh from `reset`.
        prompt: The first prompt.
        completion: What came after it, from the model and from the environment.
        mask: 1 for each token of the completion that the model wrote.
        logprobs: Its log-probability; 0 where the environment wrote.
        reward: The sum of the rewards.
        valid: Whether no infrastructure failed; an episode that is not says nothing about the model.
        over: Whether nothing more can follow.
        solved: Whether the verdict is "solved".
    """

    env: gym.Env[Any, Any]
    prompt: list[int]
    completion: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    reward: float = 0.0
    valid: bool = True
    over: bool = False
    solved: bool = False

    @classmethod
    def begin(cls, env: gym.Env[Any, Any], tokenizer: Any, task_id: str) -> TokenEpisode:
        """Reset an environment and tokenise the first prompt."""
        _, info = env.reset(seed=0, options={"task_id": task_id})
        text = tokenizer.apply_chat_template(
            info["messages"], tools=info["tools"], add_generation_prompt=True, tokenize=False
        )
        return cls(env, ids_of(tokenizer, text))

    @property
    def ids(self) -> list[int]:
        """All tokens so far."""
        return self.prompt + self.completion

    def act(self, tokenizer: Any, ids: Sequence[int], logprobs: Sequence[float] | None = None) -> None:
        """Take one turn with what the model wrote."""
        self._add(ids, 1, logprobs or [0.0] * len(ids))
        text = tokenizer.decode(ids, skip_special_tokens=True)
        observation, reward, terminated, truncated, info = self.env.step(text)
        self.reward += float(reward)
        self.over = terminated or truncated
        if self.over:
            self.valid = info["valid"]
            self.solved = (info["verdict"] or {}).get("status") == "solved"
            return
        ended = bool(ids) and ids[-1] == tokenizer.eos_token_id
        told = ids_of(tokenizer, told_by(tokenizer, observation["result"]))
        self._add(told if ended else [tokenizer.eos_token_id, *told], 0, [0.0] * (len(told) + (not ended)))
        # What does not fit can no longer be learned from, so it ends here, unsolved.
        self.over = len(self.ids) + LONGEST_TURN > LONGEST

    def _add(self, ids: Sequence[int], own: int, logprobs: Sequence[float]) -> None:
        self.completion += ids
        self.mask += [own] * len(ids)
        self.logprobs += logprobs


def ids_of(tokenizer: Any, text: str) -> list[int]:
    """Tokenise a piece of a conversation as it is."""
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def told_by(tokenizer: Any, result: str) -> str:
    """Return what the chat template puts between the end of a call and the model's next turn."""
    before, after = _around_result(tokenizer)
    return before + result + after


@lru_cache(maxsize=1)
def _around_result(tokenizer: Any) -> tuple[str, str]:
    call, result = "<the call>", "<the result>"
    turns = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": call},
        {"role": "tool", "content": result},
    ]
    text: str = tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
    before, after = text.split(call, 1)[1].split(result, 1)
    return before.removeprefix(tokenizer.eos_token), after


def written(action: Mapping[str, Any]) -> str:
    """Write a call as Hermes and Qwen models do."""
    return f"<tool_call>\n{json.dumps(dict(action))}\n</tool_call>"


def gold_episode(env: gym.Env[Any, Any], tokenizer: Any, task_id: str) -> TokenEpisode:
    """Play the known solution of a task, in the words of a model."""
    agent = stb_env.load_agent("gold")()
    observation, info = env.reset(seed=0, options={"task_id": task_id})
    agent.reset(env, 0)
    actions = []
    over = False
    while not over:
        actions.append(agent.act(observation, info))
        observation, _, terminated, truncated, info = env.step(actions[-1])
        over = terminated or truncated
    episode = TokenEpisode.begin(env, tokenizer, task_id)
    for action in actions:
        episode.act(tokenizer, ids_of(tokenizer, written(action) + tokenizer.eos_token))
    return episode


class Player:
    """Plays many episodes at a time with one model: every turn of all of them is one batch.

    Args:
        model: A causal language model of transformers.
        tokenizer: Its tokenizer, whose chat template has turns of tools.
        settings: Settings of the Sandbox.
    """

    def __init__(self, model: Any, tokenizer: Any, **settings: Any) -> None:
        self.model, self.tokenizer = model, tokenizer
        self._settings = {"max_turns": TURNS, **settings}
        self._envs: list[gym.Env[Any, Any]] = []

    def gold(self, task_id: str) -> TokenEpisode:
        """Play the known solution of a task."""
        return gold_episode(self._env(0), self.tokenizer, task_id)

    def play(self, task_ids: Sequence[str], *, greedy: bool = False) -> list[TokenEpisode]:
        """Play one episode of each task named, in their order."""
        episodes = [
            TokenEpisode.begin(self._env(number), self.tokenizer, task_id)
            for number, task_id in enumerate(task_ids)
        ]
        training = self.model.training
        self.model.eval()
        while running := [episode for episode in episodes if not episode.over]:
            for episode, (ids, logprobs) in zip(running, self._write(running, greedy), strict=True):
                episode.act(self.tokenizer, ids, logprobs)
        self.model.train(training)
        return episodes

    def success(self, task_ids: Sequence[str]) -> float:
        """Return the share of tasks that the model solves when it always writes what is likeliest."""
        episodes = self.play(task_ids, greedy=True)
        return sum(episode.solved for episode in episodes) / len(episodes)

    def _env(self, number: int) -> gym.Env[Any, Any]:
        while number >= len(self._envs):
            self._envs.append(gym.make("stb/Sandbox-v0", **self._settings))
        return self._envs[number]

    def _write(self, episodes: Sequence[TokenEpisode], greedy: bool) -> list[tuple[list[int], list[float]]]:
        rows = [episode.ids for episode in episodes]
        width = max(map(len, rows))
        pad, end = self.tokenizer.pad_token_id, self.tokenizer.eos_token_id
        device = self.model.device
        said = self.model.generate(
            input_ids=torch.tensor([[pad] * (width - len(row)) + row for row in rows], device=device),
            attention_mask=torch.tensor(
                [[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device
            ),
            do_sample=not greedy,
            **({} if greedy else {"temperature": 1.0, "top_k": 0, "top_p": 1.0}),
            max_new_tokens=LONGEST_TURN,
            eos_token_id=end,
            pad_token_id=pad,
            return_dict_in_generate=True,
            output_logits=True,
        )
        new = said.sequences[:, width:]
        logs = torch.stack(said.logits, dim=1).float().log_softmax(-1).gather(-1, new[:, :, None])[:, :, 0]
        cut = [(row.index(end) + 1) if end in row else len(row) for row in new.tolist()]
        return [(new[i, :n].tolist(), logs[i, :n].tolist()) for i, n in enumerate(cut)]
