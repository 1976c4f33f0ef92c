"""An episode of a causal language model as token ids: what it wrote, and what it was told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from stb_env.actions import Action
from stb_env.core.background import wait_for
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import Transition
from stb_env.errors import ConfigError
from stb_env.integrations.trl.chat_tokens import prompt_ids, stop_ids, told_ids
from stb_env.runs.driven import answer_of
from stb_env.runs.episode import recorded, step_record
from stb_env.runs.opening import Opening
from stb_env.trajectory import Trajectory

Turn = tuple[Sequence[int], Sequence[float]]
Write = Callable[[Sequence[list[int]]], Sequence[Turn]]
"""Writes one turn after each of several prompts: its token ids, with a log-probability each.

The token that ends a turn is the last of its ids; a turn without it was cut.
"""


@dataclass
class TokenEpisode:
    """One episode; its conversation is tokenised once and only ever added to.

    Training therefore sees the very tokens that were sampled. Where a search goes to another node or takes a
    hint back, the conversation as it now is becomes the prompt, and what was written before is no longer
    learned from.

    Text means what it means in every adapter, see `stb_env.runs.DrivenEpisode.say`: calls in it are made, and
    other text is heard by the user of a conversation, or is the answer where answers are text. Calls are read
    before special tokens are taken out, since several families of models write their calls with them.

    Attributes:
        env: A tool environment, fresh from `reset`, or a wrapper of one.
        tokenizer: A tokenizer of transformers with a chat template.
        prompt: The first prompt.
        opening: What the reset showed.
        seed: Seed of the episode.
        longest: Tokens of prompt and completion together.
        turn: Tokens that a turn may have; with less room than that left, the episode ends.
        stops: Tokens that end a turn; the tokenizer's own where none are given.
        completion: What came after the prompt, from the model and from the environment.
        mask: 1 for each token of the completion that the model wrote.
        logprobs: Its log-probability; 0 where the environment wrote.
        reward: The sum of the rewards.
        valid: Whether no infrastructure failed; an episode that is not says nothing about the model.
        over: Whether nothing more can follow.
        solved: Whether the verdict is "solved".
        cut: Whether it ended because a further turn does not fit, before the environment ended it.
    """

    env: AnyEnv
    tokenizer: Any = field(repr=False)
    prompt: list[int]
    opening: Opening = field(repr=False)
    seed: int = 0
    longest: int = 4096
    turn: int = 512
    stops: Sequence[int] = ()
    completion: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    reward: float = 0.0
    valid: bool = True
    over: bool = False
    solved: bool = False
    cut: bool = False
    _steps: list[JsonObject] = field(default_factory=list, repr=False)
    _last: Transition | None = field(default=None, repr=False)

    @classmethod
    def begin(
        cls,
        env: AnyEnv,
        tokenizer: object,
        task_id: str,
        *,
        seed: int = 0,
        longest: int = 4096,
        turn: int = 512,
        stops: Sequence[int] = (),
    ) -> TokenEpisode:
        """Reset an environment to a task and tokenise the first prompt.

        Raises:
            ConfigError: The prompt leaves no room for a turn.
        """
        observation, info = env.reset(seed=seed, options={"task_id": task_id})
        prompt = prompt_ids(tokenizer, info["messages"], info["tools"])
        if len(prompt) + turn > longest:
            raise ConfigError(
                f"the prompt of task {task_id!r} has {len(prompt)} tokens, which with turn={turn} is more "
                f"than longest={longest}; raise longest, or leave this task out"
            )
        stops = tuple(stops) or stop_ids(tokenizer)
        return cls(env, tokenizer, prompt, Opening(observation, info), seed, longest, turn, stops)

    @property
    def ids(self) -> list[int]:
        """All tokens so far."""
        return self.prompt + self.completion

    @property
    def earned(self) -> float | None:
        """The reward; None where it says nothing about the model."""
        return self.reward if self.valid else None

    def act(self, ids: Sequence[int], logprobs: Sequence[float] | None = None) -> None:
        """Take one turn with what the model wrote."""
        if self._cut_off(ids, logprobs):
            return
        before, action = self._wrote(ids, logprobs)
        transition: Transition = self.env.get_wrapper_attr("step")(action)
        self._took(before, ids, transition)

    def trajectory(self, trial: int = 0) -> Trajectory:
        """Return the episode so far as a run saves it, its tokens with it; before the next reset of `env`.

        Args:
            trial: Which repetition of the task it is.
        """
        observation, info = self.opening.observation, self.opening.info
        if self._last is not None:
            observation, *_, info = self._last
        steps = list(self._steps)
        return recorded(self.env, self.opening, observation, info, steps, seed=self.seed, trial=trial)

    async def aact(self, ids: Sequence[int], logprobs: Sequence[float] | None = None) -> None:
        """Take one turn on the event loop."""
        if self._cut_off(ids, logprobs):
            return
        before, action = self._wrote(ids, logprobs)
        self._took(before, ids, await self.env.get_wrapper_attr("astep")(action))

    def _cut_off(self, ids: Sequence[int], logprobs: Sequence[float] | None) -> bool:
        """End the episode with what fits of a turn that `longest` cuts: neither a call nor an answer."""
        room = self.longest - len(self.ids)
        if len(ids) < room or (len(ids) == room and ids[-1] in self.stops):
            return False
        self._add(ids[:room], 1, (logprobs or [0.0] * len(ids))[:room])
        self.over = self.cut = True
        return True

    def _wrote(
        self, ids: Sequence[int], logprobs: Sequence[float] | None
    ) -> tuple[list[dict[str, object]], Action | JsonObject]:
        engine: JsonObject = {"prompt_token_ids": self.ids, "token_ids": list(ids)}
        if logprobs is not None:
            engine["logprobs"] = {"content": [{"logprob": logprob} for logprob in logprobs]}
        self._steps.append({"engine": engine})
        self._add(ids, 1, logprobs or [0.0] * len(ids))
        return self._messages, self._action(ids)

    def _action(self, ids: Sequence[int]) -> Action | JsonObject:
        """Return what the environment is to do with a turn of the model's."""
        ended = bool(ids) and ids[-1] in self.stops
        said = list(ids[:-1] if ended else ids)
        inner: Any = self.env.unwrapped
        action: Action = inner.read(self.tokenizer.decode(said, skip_special_tokens=False))
        if not action.is_text:
            return action
        text = action.text
        for token in self.tokenizer.all_special_tokens:
            text = text.replace(token, "")
        # A turn that was cut by its length is no answer.
        given = answer_of(self.env, action, text) if ended else None
        return given or Action((), text, action.thought)

    def _took(self, before: list[dict[str, object]], ids: Sequence[int], transition: Transition) -> None:
        observation, reward, terminated, truncated, info = self._last = transition
        self._steps[-1] |= step_record(info, float(reward), terminated, truncated)
        self.reward += float(reward)
        self.over = terminated or truncated
        if self.over:
            self.valid = bool(info["valid"])
            self.solved = (info.get("verdict") or {}).get("status") == "solved"
            return
        now = self._messages
        if (
            len(now) > len(before)
            and now[: len(before)] == before
            and now[len(before)]["role"] == "assistant"
        ):
            last = ids[-1] if ids else None
            told = told_ids(self.tokenizer, now[len(before) :], self.stops, last)
            if not self._ends(len(self.ids) + len(told)):
                self._add(told, 0, [0.0] * len(told))
        else:
            prompt = prompt_ids(self.tokenizer, now, json.loads(observation["tools"]))
            if not self._ends(len(prompt)):
                self.prompt, self.completion, self.mask, self.logprobs = prompt, [], [], []

    def _ends(self, length: int) -> bool:
        """End the episode, unsolved, where no turn fits behind so many tokens."""
        self.over = self.cut = length + self.turn > self.longest
        return self.over

    @property
    def _messages(self) -> list[dict[str, object]]:
        messages: list[JsonObject] = self.env.get_wrapper_attr("messages")
        return messages

    def _add(self, ids: Sequence[int], own: int, logprobs: Sequence[float]) -> None:
        self.completion += ids
        self.mask += [own] * len(ids)
        self.logprobs += logprobs


def play_together(episodes: Sequence[TokenEpisode], write: Write) -> None:
    """Play episodes to their ends; every turn of all of them is one batch, and what is slow waits at once."""
    while running := [episode for episode in episodes if not episode.over]:
        wait_for(_acted(running, write([episode.ids for episode in running])))


async def _acted(episodes: Sequence[TokenEpisode], turns: Sequence[Turn]) -> None:
    await asyncio.gather(*(each.aact(*turn) for each, turn in zip(episodes, turns, strict=True)))
