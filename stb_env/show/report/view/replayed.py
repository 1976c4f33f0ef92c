"""The states that an episode went through, computed again by making its calls on the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import drive
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, STBError
from stb_env.runs.make import make_env
from stb_env.show.report.view.pictures import picture_of
from stb_env.show.report.view.tables import differences, tables_of
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall

# Neither says anything about a world's states, and each can name code or a server.
_NOT_NEEDED = frozenset({"judge", "simulator", "models", "user", "mode", "world"})


class Moment(NamedTuple):
    """A state, and the calls that led to it and were answered otherwise than when they were recorded."""

    state: Any
    deviations: list[JsonObject]


class WorldReplay:
    """Makes the recorded calls of a run's episodes again, on the world of its environment.

    Nothing that a run names is imported: an environment outside of the installed suites is made only where
    the caller names the same one.

    Args:
        manifest: The run's manifest.
        env_id: An id with the place that declares it, which is trusted; None for none.
        data: Official files of the environment; their place stands in no manifest.

    Raises:
        ConfigError: The environment cannot be made here; the message says why.

    Examples:
        >>> replay = WorldReplay({"env": "stb/Sandbox-v1", "settings": {}})
        >>> WorldReplay({"env": "stb/I1Instruction-v0", "settings": {}})
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: stb/I1Instruction-v0 is played on recorded and simulated answers; it...
    """

    def __init__(
        self, manifest: Mapping[str, object], env_id: str | None = None, data: str | None = None
    ) -> None:
        self._env = _made(manifest, env_id, data)
        backend = self._env.rules.backend
        if not isinstance(backend, World):
            raise ConfigError(
                f"{manifest['env']} is played on recorded and simulated answers; it has no state to show"
            )
        self._world: World[Any] = backend

    def moments(self, episode: JsonMapping) -> Iterator[Moment]:
        """Yield the state at the start of an episode, then after each of its steps.

        Raises:
            DataError: The environment has no such task.
            BackendError: The world fails at a call.
        """
        task = self._env.tasks.get(str(episode["task_id"]))
        tools = {tool.name: tool for tool in reversed(task.tools)}
        state = self._start(task, int(episode["seed"]))
        yield Moment(state, [])
        for step in steps_of(episode):
            deviations = []
            for call in step["calls"]:
                # What was refused, failed or finished the episode never reached the world.
                if call["source"] != "world" or call["name"] not in tools:
                    continue
                answered, state = self._call(state, tools[call["name"]], call)
                if answered != [call["error"], call["response"]]:
                    deviations.append({"name": call["name"], "error": answered[0], "response": answered[1]})
            yield Moment(state, deviations)

    def _start(self, task: Task, seed: int) -> object:
        return self._world.start(task, seed)

    def _call(self, state: object, tool: Tool, call: JsonMapping) -> tuple[list[object], object]:
        made = ToolCall(call["name"], call["arguments"], call["id"])
        result, state = drive(self._world.answer(state, tool, made))
        return [result.error, result.response], state


def steps_of(episode: JsonMapping) -> list[JsonMapping]:
    """Return the steps that led to an episode's end: of a search, those of the branch that was played.

    Examples:
        >>> root = {"parent": None, "step": None}
        >>> nodes = [root, {"parent": 0, "step": {"n": 1}}, {"parent": 0, "step": {"n": 2}}]
        >>> steps_of({"steps": [], "tree": {"nodes": nodes, "best": None, "current": 1}})
        [{'n': 1}]
    """
    tree = episode.get("tree")
    if not tree:
        return list(episode["steps"])
    nodes = tree["nodes"]
    at = tree["current"] if tree.get("best") is None else tree["best"]
    steps: list[JsonMapping] = []
    # A damaged tree may go round in circles.
    for _ in nodes:
        if nodes[at]["step"] is not None:
            steps.append(nodes[at]["step"])
        if (at := nodes[at]["parent"]) is None:
            break
    return steps[::-1]


def states_of(replay: WorldReplay, episode: Mapping[str, object]) -> JsonObject:
    """Return what changed in the world, by step and as a whole, with pictures where there are any.

    Args:
        replay: The run's world.
        episode: An episode as it is saved.

    Raises:
        STBError: It cannot be replayed.
    """
    moments = list(replay.moments(episode))
    tables = [tables_of(moment.state) for moment in moments]
    pairs = pairwise(tables)
    return {
        "calls": [[str(call["name"]) for call in step["calls"]] for step in steps_of(episode)],
        "steps": [differences(before, after, context=0) for before, after in pairs],
        "whole": differences(tables[0], tables[-1]),
        "unchanged": [
            {"name": name, "rows": len(rows)}
            for name, rows in tables[0].items()
            if rows == tables[-1].get(name)
        ],
        "pictures": [picture_of(moment.state) for moment in moments],
        "deviations": [moment.deviations for moment in moments[1:]],
    }


def _made(manifest: JsonMapping, env_id: str | None, data: str | None) -> ToolEnv:
    said = str(manifest.get("env") or "")
    if not said:
        raise ConfigError("the run's manifest names no environment, so its world cannot be made")
    if ":" in said and said != env_id:
        raise ConfigError(
            f"the run was played in {said}, which is somebody's code; to run that code here, name it: "
            f"--env {said}"
        )
    given = manifest.get("settings")
    settings = {name: value for name, value in (given or {}).items() if name not in _NOT_NEEDED}
    if data is not None:
        settings["data"] = data
    try:
        return make_env(said, settings)
    except STBError as error:
        raise ConfigError(f"the run's environment cannot be made here: {error}") from error
