"""SkyRL-gym: an environment of text, as its trainer plays them.

SkyRL gives a model no tools: they stand in the system message, calls are read out of what the model writes,
and results come back as the user's messages. It has no place for an episode without a reward either: where
the infrastructure failed the reward is 0, and metadata and metrics say that it does not count.
"""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import ConfigError
from stb_env.integrations.extra import missing
from stb_env.integrations.roots import forked
from stb_env.integrations.rows import Which, training_rows
from stb_env.integrations.text_tools import heard, with_written_tools
from stb_env.runs import DrivenEpisode

try:
    import skyrl_gym
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput
except ImportError as error:
    raise missing("SkyRL-gym", "skyrl") from error

ENV_CLASS = "stb_env"
"""Under which SkyRL knows the environments of this package, once `register` was called."""


class TextEnv(BaseTextEnv):
    """Plays one episode of one task.

    Args:
        env_config: What configures the environment class: ``settings`` for every environment, beside those
            that a row has.
        extras: Columns of the row, see `dataset`, and the trainer's ``max_turns``.

    Raises:
        ConfigError: There is no such environment or setting, or a row has another value for one.

    Examples:
        >>> row = dataset("stb_env.testing.notes:test/Notes-v0", "day")[0]
        >>> env = TextEnv({}, {**row, "max_turns": 8})
        >>> prompt, _ = env.init(row["prompt"])
        >>> call = '<tool_call>{"name": "find_notes", "arguments": {"word": "dentist"}}</tool_call>'
        >>> env.step(call)["observations"][0]["content"].splitlines()[1]
        '{"error": "", "response": {"notes": {"note-001": "Dentist on Tuesday"}}}'
        >>> done = env.step("Tuesday")
        >>> done["reward"], done["done"], done["metadata"]["verdict"]["status"]
        (1.0, True, 'solved')
    """

    def __init__(self, env_config: JsonMapping | None = None, extras: JsonMapping | None = None) -> None:
        super().__init__()
        row = dict(extras or {})
        known = row.get("extra_info") or row
        given = _settings(known, (env_config or {}).get("settings") or {})
        if row.get("max_turns"):
            # The trainer stops there without a word, and then nobody would have judged.
            given.setdefault("max_turns", int(row["max_turns"]))
            self.max_turns = int(row["max_turns"])
        self._task_id, self._seed = str(known["task_id"]), int(known["seed"])
        self.episode = DrivenEpisode(forked(str(known["env_id"]), given))

    def init(self, prompt: list[Mapping[str, object]]) -> tuple[list[JsonObject], JsonObject]:
        """Start the episode, and return its opening messages."""
        del prompt  # what a row has is what the environment says now
        self.episode.start(task_id=self._task_id, seed=self._seed)
        opening = with_written_tools(self.episode.messages, self.episode.tools)
        return opening, {"task_id": self._task_id}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Take what the model wrote; text without a call is what `DrivenEpisode.say` makes of it."""
        reply = self.episode.say(action)
        self.turns += 1
        return BaseTextEnvStepOutput(
            observations=[] if reply.over else [heard(reply)],
            reward=reply.reward,
            done=reply.over,
            metadata={
                "status": reply.status,
                "valid": self.episode.valid,
                "verdict": self.episode.verdict,
                "failure": self.episode.failure,
            },
        )

    def get_metrics(self) -> dict[str, object]:
        """Return figures that SkyRL averages; an episode that failed counts among ``valid`` alone."""
        reward = self.episode.reward
        counted = {} if reward is None else {"reward": reward, "turns": float(self.turns)}
        return {"valid": float(reward is not None), **counted}


def register(env_class: str = ENV_CLASS) -> None:
    """Make the environments known to SkyRL-gym in this process; each of its workers has to call it.

    Args:
        env_class: The name that rows have in their column ``env_class``.
    """
    skyrl_gym.register(id=env_class, entry_point=f"{__name__}:{TextEnv.__name__}")


def dataset(
    env_id: str, tasks: Which = None, *, seed: int = 0, env_class: str = ENV_CLASS, **settings: object
) -> list[dict[str, object]]:
    """List tasks as rows of SkyRL's data sets, to be written as Parquet or JSON.

    Args:
        env_id: An id of any suite.
        tasks: How many, or which; None for all.
        seed: Seed of the run.
        env_class: The name that was registered.
        **settings: Settings of the environment, plain data; the rows have them.
    """
    written = jsontext.dumps(settings)
    return [
        {
            "data_source": row.env_id,
            "prompt": with_written_tools(row.messages, row.tools),
            "env_class": env_class,
            "extra_info": {
                "env_id": row.env_id,
                "task_id": row.task_id,
                "seed": row.seed,
                "settings": written,
            },
        }
        for row in training_rows(env_id, tasks, seed=seed, **settings)
    ]


def _settings(row: JsonMapping, given: JsonMapping) -> JsonObject:
    """Return the settings of a row, which its prompt was made with, with those of the environment class."""
    own: JsonObject = jsontext.loads(row.get("settings") or "{}")
    for name in own.keys() & given.keys():
        if own[name] != given[name]:
            raise ConfigError(
                f"the row of task {row['task_id']!r} was made with {name}={own[name]!r}, and "
                f"environment.skyrl_gym.settings says {given[name]!r}; leave it out there, or make the data "
                "set with it"
            )
    return {**own, **given}
