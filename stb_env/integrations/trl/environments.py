"""Environments for ``GRPOTrainer(environment_factory=...)``: the tools of each task are its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.integrations.rows import Which, jobs
from stb_env.integrations.trl.tool import TrlTool
from stb_env.runs import DrivenEpisode
from stb_env.runs.groups.workers import check_reward
from stb_env.wrappers.base import ToolWrapper


class Environments(dict[str, "Callable[[], TrlEpisode]"]):
    """Makers of environments by name, one for each set of tools, as TRL's ``environment_factory`` takes them.

    An environment is made when its first episode starts, and played again by later ones. Give the trainer
    ``rows`` as its data and `reward` as its reward function.

    Args:
        env: Id of an environment of any suite, or what makes one, with its wrappers.
        tasks: How many of its tasks, or which; None for all.
        seed: Seed of the run; an episode's seed follows from it and the task.
        **settings: Settings of the environment, where an id is given.

    Attributes:
        rows: One object for each task: ``prompt``, ``environment``, ``task_id`` and ``seed``.

    Raises:
        ConfigError: The id, a setting or the choice of tasks is wrong, TRL could not offer a tool, rewards
            are dense, which tell a group nothing, or TRL's loop cannot play the episodes: conversations,
            searches, and tasks whose tools change.

    Examples:
        >>> environments = Environments("stb_env.testing.notes:test/Notes-v0")
        >>> [(row["task_id"], row["prompt"][-1]["content"][:12]) for row in environments.rows]
        [('day', 'On which day'), ('write', 'Write down a'), ('move', 'Replace my n')]
        >>> list(environments)
        ['day']
        >>> played = environments["day"]()
        >>> played.reset(task_id="day", seed=0)
        >>> played.find_notes(word="dentist")
        '{"error": "", "response": {"notes": {"note-001": "Dentist on Tuesday"}}}'
        >>> reward([[{"role": "assistant", "content": "Tuesday"}]], [played])
        [1.0]
    """

    def __init__(
        self,
        env: str | Callable[[], ToolEnv | ToolWrapper],
        tasks: Which = None,
        *,
        seed: int = 0,
        **settings: object,
    ) -> None:
        super().__init__()
        self.rows: list[JsonObject] = []
        names: dict[str, str] = {}
        make = partial(_driven, env, settings)
        episode = make()
        check_reward(episode.env)
        _check_playable(episode)
        for job in jobs(episode.env.tasks, tasks, seed):
            episode.start(task_id=job.task_id, seed=job.seed)
            # Tasks that share their tools share their environments: TRL keeps each that it has made.
            name = names.setdefault(jsontext.dumps(episode.tools), job.task_id)
            if name not in self:
                self[name] = partial(_listing(episode.tools), make, episode.tools)
            row = {"environment": name, "task_id": job.task_id, "seed": job.seed}
            self.rows.append({"prompt": episode.messages, **row})
        episode.close()


def reward(
    completions: Sequence[Sequence[JsonMapping]],
    environments: Sequence[TrlEpisode] = (),
    earned: Sequence[float | None] | None = None,
    **_: Any,
) -> list[float | None]:
    """Return what each episode earned, as TRL's reward functions do.

    A last message without a call is the answer of an episode that is not over; where answers are typed it is
    none. An episode that a failure of the infrastructure ended has None, so that TRL leaves it out of its
    group.

    Args:
        completions: The messages of each episode.
        environments: What played them, of `Environments`.
        earned: What `Rollouts` says that they earned.
    """
    if earned is not None:
        return list(earned)
    return [
        played._earned(str(said[-1].get("content") or "") if said else "")
        for said, played in zip(completions, environments, strict=True)
    ]


class TrlEpisode:
    """An episode for TRL; names that TRL must not take for tools start with an underscore."""

    def __init__(self, make: Callable[[], DrivenEpisode], tools: Iterable[JsonMapping]) -> None:
        self._make = make
        self._driven: DrivenEpisode | None = None
        for spec in tools:
            setattr(self, spec["function"]["name"], TrlTool(spec, self._play))

    def reset(self, *, task_id: str, seed: int | None = None, **_: object) -> None:
        """Start an episode of a row."""
        self._driven = self._driven or self._make()
        self._driven.start(task_id=task_id, seed=seed)

    def _play(self, name: str, arguments: dict[str, object]) -> str:
        return self._started.call(name, arguments).text

    def _earned(self, text: str) -> float | None:
        self._started.conclude(text)
        return self._started.reward

    @property
    def _started(self) -> DrivenEpisode:
        if self._driven is None:
            raise ConfigError("no episode has been started; reset it with the task_id of a row")
        return self._driven


def _check_playable(episode: DrivenEpisode) -> None:
    why = {
        "a user answers what a model writes without a call": episode.converses,
        "an episode offers other tools later than at its start": episode.tools_change,
        "a search goes back in an episode": episode.searches,
    }
    if reasons := [reason for reason, holds in why.items() if holds]:
        raise ConfigError(
            f"TRL's environment_factory cannot play this environment, since {reasons[0]}: its episodes would "
            "end early with a reward of 0; give stb_env.integrations.trl.Rollouts as rollout_func instead"
        )


def _driven(env: str | Callable[[], ToolEnv | ToolWrapper], settings: Mapping[str, object]) -> DrivenEpisode:
    return DrivenEpisode(env, **settings) if isinstance(env, str) else DrivenEpisode(env())


def _listing(tools: Iterable[JsonMapping]) -> type[TrlEpisode]:
    """Return a class of episodes that TRL finds these tools on: it looks for functions on the class."""
    names = [spec["function"]["name"] for spec in tools]
    if hidden := [name for name in names if name.startswith("_") or name in ("reset", "get_reward")]:
        raise ConfigError(
            f"TRL does not offer a tool named {hidden[0]!r} to a model; play its tasks by Rollouts"
        )
    return type("TrlEpisode", (TrlEpisode,), dict.fromkeys(names, _on_the_instance))


def _on_the_instance(self: TrlEpisode) -> None:
    """Stand for a tool on the class; the instance's own attribute of that name is what is called."""
