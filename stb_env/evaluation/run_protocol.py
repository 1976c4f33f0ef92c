"""A protocol as one run follows it: whose settings hold, and in what the run departs from the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.reference import read_settings
from stb_env.envs.wording import Wording
from stb_env.errors import ConfigError
from stb_env.models import available, given_settings, load_models
from stb_env.runs.make import env_settings
from stb_env.runs.protocol import Protocol, protocol_for

# What every environment takes besides the settings of its own maker.
_COMMON = frozenset({"judge", "max_turns", "order", "shard", "limits"})


@dataclass(frozen=True, slots=True)
class Followed:
    """Settings of a run under a protocol; those that were given hold before the protocol's.

    Attributes:
        protocol: The protocol; None where none was named.
        settings: Settings of the environment.
        agent: The text that names the agent.
        trials: How often each task is played.
        given: Settings of the environment that were given.
        asked: The agent as it was given.
        env_id: Id of the environment.
        simulated: In what the simulator is not the protocol's, one sentence each.

    Examples:
        >>> offline = {"mode": "offline", "judge": "heuristic"}
        >>> run = followed("stabletoolbench", "stb/I1Instruction-v0", "", offline)
        >>> run.agent, run.settings["compat"], run.settings["mode"]
        ("cot(compat='original', max_depth=12, n=1)", 'original', 'offline')
        >>> run.departures(Wording())[0]
        "mode is 'offline', not 'live'"
    """

    protocol: Protocol | None
    settings: JsonObject
    agent: str
    trials: int
    given: JsonObject
    asked: str
    env_id: str
    simulated: tuple[str, ...] = ()

    def departures(self, wording: Wording) -> list[str]:
        """Return in what the run departs from the paper, one sentence each; none without a protocol.

        Args:
            wording: The words of the run's environment.
        """
        if self.protocol is None:
            return []
        name, given = read_settings(self.asked)
        found = self.protocol.departures("environment", self.env_id, self.given) + list(self.simulated)
        if name not in self._agents:
            found.append(f"agent {name!r} is none of the protocol's")
        found += self.protocol.departures("agent", name, given)
        found += self.protocol.departures("run", self.env_id, {"trials": self.trials})
        if wording.fingerprint.get("origin") == "own prompts":
            found.append("own prompts stand in for the original's")
        return found + self.protocol.standing

    @property
    def _agents(self) -> set[str]:
        """Names of the agents that the protocol says anything of, and does not give to other environments."""
        if self.protocol is None:
            return set()
        named = [one for one in self.protocol.settings if one.part == "run" and one.name == "agent"]
        here = self.protocol.values("run", self.env_id).get("agent")
        elsewhere = {str(one.value) for one in named if one.value != here}
        told = (one.of for one in self.protocol.settings if one.part == "agent")
        return {str(one.value) for one in named}.union(*told) - elsewhere

    def manifest(self, wording: Wording) -> JsonObject:
        """Return what a manifest says of it; nothing without a protocol."""
        if self.protocol is None:
            return {}
        departures = self.departures(wording)
        return {
            "protocol": {
                "name": self.protocol.name,
                "version": self.protocol.version,
                "departures": departures,
            }
        }


def followed(
    protocol: str | None, env_id: str, agent: str, given: Mapping[str, object], trials: int | None = None
) -> Followed:
    """Return a run's settings under a protocol.

    Args:
        protocol: Name of the protocol; None for our defaults.
        env_id: Id of the environment.
        agent: The text that names the agent; where empty, the protocol's, and ``gold`` without one.
        trials: How often each task is played.
        given: Settings of the environment that were given.
        trials: How often each task is played; the protocol's where None, and once without one.

    Raises:
        ConfigError: There is no such protocol, it is made for other environments, or an agent is missing.
    """
    if protocol is None:
        return Followed(None, dict(given), agent or "gold", trials or 1, dict(given), agent or "gold", env_id)
    env_id = env_id.rpartition(":")[2]
    found = protocol_for(env_id, protocol)
    run = found.values("run", env_id)
    asked = agent or str(run.get("agent", ""))
    if not asked:
        raise ConfigError(f"the protocol {protocol!r} has no agent of its own; name one with --agent")
    trials = trials or int(str(run.get("trials", 1)))
    known = env_settings(env_id) | _COMMON
    fixed = found.values("environment", env_id)
    settings = {name: value for name, value in fixed.items() if name in known} | dict(given)
    if "judge" in given and "votes" not in given and given["judge"] != fixed.get("judge"):
        # The number of votes is that of the protocol's judge; another has its own.
        settings.pop("votes", None)
    simulated: tuple[str, ...] = ()
    if settings.get("mode") in ("live", "record") and (chosen := found.values("simulator", env_id)):
        settings, simulated = _simulator(settings, chosen)
    return Followed(found, settings, found.agent_spec(asked), trials, dict(given), asked, env_id, simulated)


def _simulator(settings: JsonObject, chosen: JsonMapping) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return settings whose simulator is a protocol's in all that nobody set, and in what it still departs.

    Args:
        settings: Settings of the environment.
        chosen: What the protocol says of the simulator's model.
    """
    given = settings.get("simulator")
    if given is not None and not isinstance(given, dict):
        return settings, (f"simulator is {given!r}, not a chat model as the protocol's",)
    models = settings.get("models")
    if not available(load_models(models)["simulator"]):
        return settings, ("there is no simulator",)
    told = {**given_settings("simulator", models), **(given or {})}
    departures = tuple(
        f"{name} of the simulator is {told[name]!r}, not {value!r}"
        for name, value in chosen.items()
        if name in told and told[name] != value
    )
    missing = {name: value for name, value in chosen.items() if name not in told}
    return {**settings, "simulator": {**(given or {}), **missing}} if missing else settings, departures
