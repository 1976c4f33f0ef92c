"""What a turn costs in each framework that is installed, beside our own loop; the model takes no time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

from stb_env import jsontext
from stb_env.baselines import load_agent
from stb_env.bench.measurement import Measurement
from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonObject
from stb_env.rollout import DrivenEpisode, play
from stb_env.rollout.make import make

ENV_ID = "stb/Sandbox-v0"
Turns = Sequence[JsonObject]
"""The assistant's messages of an episode."""
Play = Callable[[Sequence[str]], float]
"""Plays tasks, and returns the mean of their rewards."""


def integration_measurements(episodes: int = 24) -> Iterator[Measurement]:
    """Measure a turn of known solutions: in our own loop, driven by hand, and in each installed framework.

    What a framework does once for all episodes is left out: it is the difference between a long and a short
    evaluation. Everything that it does for an episode is in it, making and resetting it included.

    Args:
        episodes: How many more the long evaluation has.

    Raises:
        ConfigError: A framework did not reach every point, so what was measured is not what was meant.
    """
    scripts = _scripts(episodes + 4)
    ids = list(scripts)
    own = 0.0
    for name, needed, start in _LOOPS:
        if needed and find_spec(needed) is None:
            continue
        cost = _per_turn(name, start(scripts), ids, scripts, episodes)
        own = own or cost
        yield Measurement(f"a turn in {name}", 1e6 * cost, "us", f"{cost / own:.1f} of our own loop")


def _scripts(count: int) -> dict[str, Turns]:
    """Return the turns that solve tasks, whose queries all differ, by the task's id."""
    env, gold = make(ENV_ID), load_agent("gold")()
    found: dict[str, Turns] = {}
    queries: set[str] = set()
    for index in range(env.tasks.size or 0):
        task = env.tasks.at(index)
        if task.query not in queries and len(found) < count:
            queries.add(task.query)
            messages = play(env, gold, task_id=task.id, seed=0).messages
            found[task.id] = [dict(message) for message in messages if message["role"] == "assistant"]
    return found


def _per_turn(
    name: str, played: Play, ids: Sequence[str], scripts: Mapping[str, Turns], episodes: int
) -> float:
    """Return seconds a turn, without what is done once."""

    def seconds(tasks: Sequence[str]) -> float:
        begun = time.perf_counter()
        mean = played(tasks)
        spent = time.perf_counter() - begun
        if mean != 1.0:
            raise ConfigError(f"{name} earned {mean} instead of 1.0 with known solutions; mend its adapter")
        return spent

    few = ids[: len(ids) - episodes]
    seconds(few)
    turns = sum(len(scripts[task]) for task in ids[len(few) :])
    return max(min(seconds(ids) for _ in range(2)) - min(seconds(few) for _ in range(2)), 0.0) / turns


def _own(scripts: Mapping[str, Turns]) -> Play:
    del scripts
    env, gold = make(ENV_ID), load_agent("gold")()
    return lambda ids: _mean([play(env.fork(), gold, task_id=task, seed=0).reward for task in ids])


def _driven(scripts: Mapping[str, Turns]) -> Play:
    root = make(ENV_ID)

    def one(task: str) -> float:
        episode = DrivenEpisode(root.fork())
        episode.start(task_id=task, seed=0)
        for name, arguments in (call for turn in scripts[task] for call in _calls(turn)):
            episode.call(name, arguments)
        return episode.reward or 0.0

    return lambda ids: _mean([one(task) for task in ids])


def _inspect(form: str) -> Callable[[Mapping[str, Turns]], Play]:
    def start(scripts: Mapping[str, Turns]) -> Play:
        from inspect_ai import eval as evaluate
        from inspect_ai.model import ModelOutput, ModelUsage, get_model

        from stb_env.integrations.inspect import stb
        from stb_env.integrations.inspect.messages import chat

        env = make(ENV_ID)
        known = {env.tasks.get(task).query: turns for task, turns in scripts.items()}

        def answer(messages: Sequence[Any], *_: object) -> ModelOutput:
            asked = next(message.text for message in messages if message.role == "user")
            turn = chat([known[asked][sum(message.role == "assistant" for message in messages)]])[0]
            made = ModelOutput.from_message(turn)
            made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return made

        def played(ids: Sequence[str]) -> float:
            model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
            with TemporaryDirectory() as folder:
                made = stb(ENV_ID, list(ids), form=form)
                log = evaluate(made, model=model, log_dir=folder, display="none", log_level="error")[0]
            return float(log.results.scores[0].metrics["mean"].value)

        return played

    return start


def _skyrl(scripts: Mapping[str, Turns]) -> Play:
    from stb_env.integrations.skyrl import TextEnv

    def one(task: str) -> float:
        env = TextEnv({}, {"env_id": ENV_ID, "task_id": task, "seed": 0})
        env.init([])
        outputs = [env.step(_written(turn)) for turn in scripts[task]]
        return float(sum(output["reward"] for output in outputs))

    return lambda ids: _mean([one(task) for task in ids])


_LOOPS: Sequence[tuple[str, str, Callable[[Mapping[str, Turns]], Play]]] = (
    ("our own loop", "", _own),
    ("a driven episode", "", _driven),
    ("Inspect AI, exact", "inspect_ai", _inspect("exact")),
    ("Inspect AI, react", "inspect_ai", _inspect("react")),
    ("SkyRL-gym", "skyrl_gym", _skyrl),
)
"""Each loop's name, the module that it needs, and what makes its player; ours is the first."""


def _calls(turn: JsonObject) -> list[tuple[str, str]]:
    functions = [call["function"] for call in turn.get("tool_calls") or ()]
    return [(function["name"], function["arguments"]) for function in functions]


def _written(turn: JsonObject) -> str:
    calls = [{"name": name, "arguments": jsontext.loads(arguments)} for name, arguments in _calls(turn)]
    return "\n".join(f"<tool_call>{jsontext.dumps(call)}</tool_call>" for call in calls)


def _mean(rewards: Sequence[float]) -> float:
    return sum(rewards) / len(rewards)
