"""Rollouts for ``GRPOTrainer(rollout_func=...)``: any environment, many episodes at a time, exact tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.integrations.rows import Which, jobs
from stb_env.integrations.trl.chat_tokens import check_template, stop_ids
from stb_env.integrations.trl.token_episode import TokenEpisode, Turn, Write, play_together
from stb_env.runs.groups.workers import check_reward
from stb_env.runs.make import make_env


class Rollouts:
    """Plays the tasks of a trainer's rows and returns their tokens, as TRL's ``rollout_func`` does.

    Unlike `Environments` it plays whatever there is: searches, conversations with a user, tools that change
    during an episode. All episodes of an update are played together, so a slow backend is waited for once a
    turn. Training sees the tokens that were sampled; of a search, those of the branch it ended on, see
    `TokenEpisode`.

    Args:
        env: Id of an environment of any suite, or what makes one, with its wrappers.
        tasks: How many of its tasks, or which; None for all.
        seed: Seed of the run; an episode's seed follows from it and the task.
        write: Writes turns, for an engine of your own; by default the trainer's model does.
        longest: Most tokens of an episode.
        turn: Most tokens of a turn.
        mask_cut: Whether nothing is learned from episodes that end because a further turn does not fit.
        **settings: Settings of the environment, where an id is given.

    Attributes:
        rows: One object for each task.

    Raises:
        ConfigError: The id, a setting or the choice of tasks is wrong, or rewards are dense, which tell a
            group nothing. At the first update: the chat template loses tools or results. At any: a prompt is
            longer than ``longest`` allows.

    Examples:
        >>> (row,) = Rollouts("stb_env.testing.notes:test/Notes-v0", tasks=1).rows
        >>> row["prompt"][0]["task_id"]
        'day'
    """

    def __init__(
        self,
        env: str | Callable[[], AnyEnv],
        tasks: Which = None,
        *,
        seed: int = 0,
        write: Write | None = None,
        longest: int = 4096,
        turn: int = 512,
        mask_cut: bool = False,
        **settings: object,
    ) -> None:
        self._make: Callable[[], AnyEnv] = partial(make_env, env, settings) if isinstance(env, str) else env
        self._envs = [self._make()]
        check_reward(self._envs[0])
        self._write, self._longest, self._turn = write, longest, turn
        self._mask_cut, self._checked = mask_cut, ""
        source = self._envs[0].get_wrapper_attr("tasks")
        # TRL brings a rollout its prompts alone, and keeps what else a message has.
        self.rows: list[JsonObject] = [
            {"prompt": [{"role": "user", "content": "", "task_id": job.task_id, "seed": job.seed}]}
            for job in jobs(source, tasks, seed)
        ]

    def __call__(self, prompts: Sequence[Sequence[JsonMapping]], trainer: Any) -> dict[str, list[object]]:
        """Play an episode for each prompt."""
        tokenizer, model = trainer.processing_class, trainer.accelerator.unwrap_model(trainer.model)
        self._envs += [self._make() for _ in range(len(prompts) - len(self._envs))]
        episodes = [
            TokenEpisode.begin(
                env,
                tokenizer,
                prompt[0]["task_id"],
                seed=prompt[0]["seed"],
                longest=self._longest,
                turn=self._turn,
                stops=stop_ids(tokenizer, model),
            )
            for env, prompt in zip(self._envs, prompts, strict=False)
        ]
        if self._checked != tokenizer.chat_template:
            check_template(tokenizer, episodes[0].opening.info["tools"])
            self._checked = tokenizer.chat_template
        play_together(episodes, self._write or partial(self._sampled, trainer))
        return token_columns(episodes, mask_cut=self._mask_cut)

    def _sampled(self, trainer: Any, prompts: Sequence[list[int]]) -> list[Turn]:
        """Write turns with a trainer's own model, at the temperature that it learns at."""
        return generate(
            trainer.accelerator.unwrap_model(trainer.model),
            trainer.processing_class,
            prompts,
            self._turn,
            temperature=trainer.temperature,
            top_k=trainer.top_k,
            top_p=trainer.top_p,
        )


def token_columns(episodes: Sequence[TokenEpisode], *, mask_cut: bool = False) -> dict[str, list[object]]:
    """Return episodes as TRL's ``rollout_func`` does; ``earned`` is for `reward`.

    Args:
        episodes: Episodes that are over.
        mask_cut: Whether the mask is zero throughout for those that ended because a turn did not fit.
    """
    return {
        "prompt_ids": [episode.prompt for episode in episodes],
        "completion_ids": [episode.completion for episode in episodes],
        "logprobs": [episode.logprobs for episode in episodes],
        "env_mask": [
            [0] * len(episode.mask) if mask_cut and episode.cut else episode.mask for episode in episodes
        ],
        "earned": [episode.earned for episode in episodes],
    }


def generate(
    model: Any, tokenizer: Any, prompts: Sequence[list[int]], turn: int, **how: object
) -> list[Turn]:
    """Write one turn after each prompt with a causal language model of transformers.

    A turn ends at any token that ends one for the model, see `stop_ids`.

    Args:
        model: The model.
        tokenizer: Its tokenizer.
        prompts: Token ids.
        turn: Most tokens of a turn.
        **how: ``temperature``, ``top_k`` and ``top_p``; without them, always what is likeliest.
    """
    import torch

    width = max(map(len, prompts))
    pad, ends = tokenizer.pad_token_id, stop_ids(tokenizer, model)
    rows = [[pad] * (width - len(ids)) + ids for ids in prompts]
    masks = [[0] * (width - len(ids)) + [1] * len(ids) for ids in prompts]
    training = model.training
    model.eval()
    said = model.generate(
        input_ids=torch.tensor(rows, device=model.device),
        attention_mask=torch.tensor(masks, device=model.device),
        do_sample=bool(how),
        **how,
        max_new_tokens=turn,
        eos_token_id=list(ends),
        pad_token_id=pad,
        return_dict_in_generate=True,
        output_logits=True,
    )
    model.train(training)
    new = said.sequences[:, width:]
    logits = torch.stack(said.logits, dim=1).float() / how.get("temperature", 1.0)
    logs = logits.log_softmax(-1).gather(-1, new[:, :, None])[:, :, 0]
    lengths = [
        next((place for place, token in enumerate(row, 1) if token in ends), len(row)) for row in new.tolist()
    ]
    return [(new[i, :n].tolist(), logs[i, :n].tolist()) for i, n in enumerate(lengths)]
