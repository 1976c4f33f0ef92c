"""Runs, resolved: from what a user asked for to an environment, an agent and a list of episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from stb_env.backend.virtual import VirtualBackend
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.evaluation.manifest import fingerprint_of, run_manifest
from stb_env.evaluation.run_protocol import followed
from stb_env.judges.model_judge import VotingJudge
from stb_env.judges.original_pass import OriginalPassJudge
from stb_env.models import ModelConfig
from stb_env.models.preflight import Asked, Preflight, answer_bounds, check_all, noting
from stb_env.runs import plan
from stb_env.runs.agent import AgentFactory
from stb_env.runs.baselines import load_agent
from stb_env.runs.batch import EnvFactory
from stb_env.runs.job import Job
from stb_env.runs.make import make_env
from stb_env.tasks import TaskSet


@dataclass(frozen=True, slots=True)
class RunSpec:
    """A user's request at the start of a run; plain data.

    Attributes:
        env_id: Id of the environment.
        agent: The text that names the agent, as ``--agent`` takes it; where empty, the protocol's, or
            ``gold``. An agent that plays a model and was given none takes the models file of the settings.
        settings: Settings of the environment.
        seed: Seed of the run.
        episodes: How many tasks; None for all.
        trials: How often each is played; None for as often as the protocol says, and once without one.
        models: Models file of the agent; that of the settings where not given.
        protocol: Name of the protocol that the run follows; None for our defaults.
        only: Ids of the tasks to play, in place of the first ones.
    """

    env_id: str
    agent: str = ""
    settings: JsonMapping = field(default_factory=dict)
    seed: int = 0
    episodes: int | None = None
    trials: int | None = None
    models: str | None = None
    protocol: str | None = None
    only: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """A run that can be played; see `resolve`.

    Attributes:
        spec: What was asked for.
        connected: Objects that stand for some of the settings when an environment is made.
        settings: Settings that its environments are made with, the protocol's and connected objects included.
        env: The environment.
        make_agent: Makes an agent.
        jobs: The episodes, in order.
        agent_settings: What decides the answers of the agent's model; None for an agent without one.
        manifest: What decides the numbers.
        endpoints: The models that were connected for it.
    """

    spec: RunSpec
    connected: JsonMapping
    settings: JsonMapping
    env: ToolEnv
    make_agent: AgentFactory
    jobs: Sequence[Job]
    agent_settings: JsonObject | None
    manifest: JsonObject
    endpoints: Sequence[Asked]

    @property
    def asked(self) -> dict[str, int]:
        """Roles whose models are asked in its episodes, each with its number of votes: 1 but for a judge."""
        backend, judge = self.env.rules.backend, self.env.rules.judge
        found = {} if self.agent_settings is None else {"agent": 1}
        if isinstance(backend, VirtualBackend) and backend.live_simulator is not None:
            found["simulator"] = 1
        if isinstance(judge, VotingJudge | OriginalPassJudge):
            found["judge"] = judge.votes
        return found

    @property
    def models(self) -> dict[str, ModelConfig]:
        """The models that were connected for it, by role; the first where a role has several."""
        found: dict[str, ModelConfig] = {}
        for one in self.endpoints:
            if isinstance(one, Preflight):
                found.setdefault(one.config.role, one.config)
        return found

    def crowded(self, concurrency: int) -> str:
        """Return that the agent's model is asked less at a time than episodes are played, or nothing."""
        model = self.models.get("agent")
        if model is None or model.local or concurrency <= model.concurrency:
            return ""
        return (
            f"{concurrency} episodes are played at a time, and the agent's model {model.model} is asked only "
            f"{model.concurrency} questions at a time: where its endpoint takes more, set "
            f"concurrency = {concurrency} in its table of the models file"
        )

    def check_endpoints(self) -> None:
        """Ask the endpoints of all models whether they are there.

        Raises:
            RunStopped: One is not.
        """
        check_all(self.endpoints, str(self.settings.get("votes_cache") or ""))

    def asked_manifest(self) -> dict[str, object]:
        """Return the manifest with what the endpoints tell: how long answers are that no setting bounds."""
        bounds = answer_bounds(self.endpoints)
        return {**self.manifest, "answer_bounds": bounds} if bounds else self.manifest

    def env_factory(self) -> EnvFactory:
        """Return a function that makes an environment for each worker.

        The first worker gets a fork of `env`, which is made already.
        """
        made = [self.env]

        def make() -> ToolEnv:
            if made:
                return made.pop().fork()
            return _with_outage(make_env(self.spec.env_id, self.settings), self.jobs)

        return make

    def close(self) -> None:
        """Close what the environment holds open."""
        self.env.close()


def resolve(spec: RunSpec, connected: Mapping[str, object] | None = None) -> Resolved:
    """Make environment and agent of a run, and list its episodes; asks no model and writes nothing.

    Args:
        spec: What is asked for.
        connected: Objects that stand for some of the settings when the environment is made.

    Raises:
        ConfigError: A setting is wrong, or there is no such environment or agent.
        DataError: The data cannot be read.

    Examples:
        >>> run = resolve(RunSpec("stb/Sandbox-v1", episodes=2))
        >>> len(run.jobs), run.manifest["agent"], run.manifest["judge"]
        (2, 'gold', 'exact')
    """
    under = followed(spec.protocol, spec.env_id, spec.agent, spec.settings, spec.trials)
    connected = connected or {}
    settings = {**under.settings, **connected}
    with noting() as endpoints, ExitStack() as unless_resolved:
        make_agent = load_agent(under.agent, models=spec.models or under.settings.get("models"))
        env = make_env(spec.env_id, settings)
        unless_resolved.callback(env.close)
        jobs = plan(env.tasks, episodes=spec.episodes, trials=under.trials, seed=spec.seed, only=spec.only)
        env = _with_outage(env, jobs)
        agent_settings = fingerprint_of(make_agent())
        # Where its model is configured may move; what the configuration says is in its settings.
        name = under.agent.partition(":")[0] if under.agent.startswith("chat:") else under.agent
        played: JsonObject = {"agent": name, "agent_settings": agent_settings}
        played |= {"seed": spec.seed, "episodes": spec.episodes, "trials": under.trials}
        if spec.only is not None:
            played["only"] = list(dict.fromkeys(spec.only))
        manifest = run_manifest(env, spec.env_id, under.settings, played | under.manifest(env.wording))
        unless_resolved.pop_all()
    return Resolved(spec, connected, settings, env, make_agent, jobs, agent_settings, manifest, endpoints)


def _with_outage(env: ToolEnv, jobs: Sequence[Job]) -> ToolEnv:
    """Have an environment's faults take their share of the tools of the tasks that are played."""
    backend = env.rules.backend
    if isinstance(backend, VirtualBackend) and backend.outage is not None:
        tasks = [env.tasks.get(task_id) for task_id in dict.fromkeys(job.task_id for job in jobs)]
        env.rules = replace(env.rules, backend=backend.among(TaskSet(tasks).tools_used))
    return env
