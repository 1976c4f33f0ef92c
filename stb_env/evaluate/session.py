"""One run from settings to saved episodes: what ``stb-env run`` is, and each cell of an evaluation."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import replace
from pathlib import Path

from stb_env.backend.virtual import VirtualBackend
from stb_env.baselines import load_agent
from stb_env.envs.tool_env import ToolEnv
from stb_env.evaluate.followed import followed
from stb_env.evaluate.manifest import fingerprint_of, run_manifest
from stb_env.evaluate.recipe import Recipe
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.judges.model_judge import VotingJudge
from stb_env.judges.original_pass import OriginalPassJudge
from stb_env.llm import ModelConfig
from stb_env.llm.meter import current_meter
from stb_env.llm.preflight import Preflight, answer_bounds, check_all, keys_of, noting
from stb_env.metrics.cost import role_usage
from stb_env.metrics.rates import summarize
from stb_env.metrics.repeats import repeats
from stb_env.rollout import Job, Run, plan, run_batch
from stb_env.rollout.batch import Cluster, Remark
from stb_env.rollout.breaker import STOP_AFTER, Breaker
from stb_env.rollout.deadlines import NO_DEADLINES, Deadlines
from stb_env.rollout.make import make_env
from stb_env.rollout.manifest_file import settle
from stb_env.tasks import TaskSet
from stb_env.trajectory import Trajectory

_log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Told how many of how many episodes are saved: once at the start, then after each."""


class Session:
    """A run that is ready to be played.

    Args:
        env_id: Id of the environment.
        agent: The text that names the agent, as ``--agent`` takes it; where empty, the protocol's, or
            ``gold``. An agent that plays a model and was given none takes the models file of the settings.
        settings: Settings of the environment, plain data.
        seed: Seed of the run.
        episodes: How many tasks; None for all.
        trials: How often each is played; None for as often as the protocol says, and once without one.
        connected: Objects that stand for some of the settings when the environment is made.
        models: Models file of the agent; that of the settings where not given.
        protocol: Name of the protocol that the run follows; None for our defaults.
        only: Ids of the tasks to play, in place of the first ones.

    Attributes:
        env: The environment.
        jobs: The episodes, in order.
        agent_settings: What decides the answers of the agent's model; None for an agent without one.
        manifest: What decides the numbers.

    Raises:
        ConfigError: A setting is wrong, or there is no such environment or agent.
        DataError: The data cannot be read.

    Examples:
        >>> session = Session("stb/Sandbox-v1", "gold", {}, episodes=2)
        >>> summary = session.play()
        >>> summary["solved"], summary["planned"], session.manifest["judge"]
        (2, 2, 'exact')
    """

    def __init__(
        self,
        env_id: str,
        agent: str,
        settings: JsonMapping,
        *,
        seed: int = 0,
        episodes: int | None = None,
        trials: int | None = None,
        connected: JsonMapping | None = None,
        models: str | Path | None = None,
        protocol: str | None = None,
        only: Sequence[str] | None = None,
    ) -> None:
        self.env_id = env_id
        self._inputs: JsonMapping = {
            "env_id": env_id,
            "agent": agent,
            "settings": dict(settings) | dict(connected or {}),
            "seed": seed,
            "episodes": episodes,
            "trials": trials,
            "models": models,
            "protocol": protocol,
            "only": None if only is None else list(only),
        }
        run = followed(protocol, env_id, agent, settings, trials)
        settings, agent, trials = run.settings, run.agent, run.trials
        self._lent = False
        self._settings = {**settings, **(connected or {})}
        with noting() as self._endpoints, ExitStack() as unless_ready:
            self.make_agent = load_agent(agent, models=models or settings.get("models"))
            self.env = make_env(env_id, self._settings)
            unless_ready.callback(self.close)
            self.jobs = plan(self.env.tasks, episodes=episodes, trials=trials, seed=seed, only=only)
            self._limit_outage(self.env)
            self.agent_settings = fingerprint_of(self.make_agent())
            # Where its model is configured may move; what the configuration says is in its settings.
            name = agent.partition(":")[0] if agent.startswith("chat:") else agent
            who = {"agent": name, "agent_settings": self.agent_settings}
            size: JsonObject = {"seed": seed, "episodes": episodes, "trials": trials}
            size |= {} if only is None else {"only": list(dict.fromkeys(only))}
            self.manifest = run_manifest(
                self.env, env_id, settings, who | size | run.manifest(self.env.wording)
            )
            unless_ready.pop_all()

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
        for one in self._endpoints:
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

    def play(
        self,
        out: Path | None = None,
        *,
        concurrency: int = 1,
        progress: Progress | None = None,
        stop_after: int = STOP_AFTER,
        remark: Remark = _log.warning,
        deadlines: Deadlines = NO_DEADLINES,
        cluster: Cluster | None = None,
        first: int | None = None,
    ) -> JsonObject:
        """Play what is not saved yet, or failed for a reason that may pass, and return the run's summary.

        Args:
            out: Folder of the run; None keeps nothing.
            concurrency: Episodes played at the same time.
            progress: Told how far it is.
            stop_after: Equal failures in a row that end the run; 0 for no end.
            remark: Told of each bug of the agent's, once; a log where not given.
            deadlines: How long calls, steps and episodes may take.
            cluster: Machines that play, ``concurrency`` episodes each worker; None plays here.
            first: Play only so many of the first episodes now; the summary is saved with the last.

        Raises:
            ConfigError: The folder holds a run with another configuration; the message shows the difference.
            RunStopped: An endpoint is not there, episodes keep failing alike, or the disk refuses them.
        """
        fresh = out is None or not out.exists()
        if fresh:
            # Before a folder is made: a run that cannot begin leaves nothing behind.
            self.check_endpoints()
        manifest = self.asked_manifest() if fresh else self.manifest
        with nullcontext() if out is None else closing(Run(out, manifest)) as saved:
            jobs = self.jobs[:first]
            if out is not None and saved is not None and not fresh and saved.left(jobs):
                self.check_endpoints()
                settle(out, self.asked_manifest(), holds_results=True)
            breaker = Breaker(stop_after, self.check_endpoints)
            episodes = self._play(jobs, saved, concurrency, progress, breaker, remark, deadlines, cluster)
            who = {"env": self.env_id, "agent": self.manifest["agent"]}
            if "protocol" in self.manifest:
                who["protocol"] = self.manifest["protocol"]
            summary = {**who, **summarize(episodes, len(self.jobs)), **repeats(episodes), **self._outage()}
            if roles := role_usage(episodes):
                summary["roles"] = {role: usage.report() for role, usage in roles.items()}
            if saved is not None and len(jobs) == len(self.jobs):
                saved.finish(summary)
        return summary

    def asked_manifest(self) -> JsonObject:
        """Return the manifest with what the endpoints tell: how long answers are that no setting bounds."""
        bounds = answer_bounds(self._endpoints)
        return {**self.manifest, "answer_bounds": bounds} if bounds else self.manifest

    def check_endpoints(self) -> None:
        """Ask the endpoints of all models whether they are there.

        Raises:
            RunStopped: One is not.
        """
        check_all(self._endpoints, str(self._settings.get("votes_cache") or ""))

    def _play(
        self,
        jobs: list[Job],
        saved: Run | None,
        concurrency: int,
        progress: Progress | None,
        breaker: Breaker,
        remark: Remark,
        deadlines: Deadlines,
        cluster: Cluster | None,
    ) -> list[Trajectory]:
        done = len(self.jobs) - len(self.jobs if saved is None else saved.left(self.jobs))

        def advance(_: Trajectory | None = None) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, len(self.jobs))

        if progress is not None:
            progress(done, len(self.jobs))
        self._lent = False
        recipe = None if cluster is None else self._recipe()
        return run_batch(
            self.another_env if recipe is None else recipe.make_env,
            self.make_agent if recipe is None else recipe.make_agent,
            jobs,
            saved,
            concurrency=concurrency,
            progress=advance,
            breaker=breaker,
            remark=remark,
            deadlines=deadlines,
            cluster=cluster,
            courier=recipe,
            outlines=True,
        )

    def another_env(self) -> ToolEnv:
        """Return an environment for one more worker."""
        # The session's own environment serves one worker; only further ones need another.
        if not self._lent:
            self._lent = True
            return self.env.fork()
        return self._limit_outage(make_env(self.env_id, self._settings))

    def _recipe(self) -> Recipe:
        """Return what makes this session at the workers of a cluster."""
        backend = self.env.rules.backend
        cache = backend.cache if isinstance(backend, VirtualBackend) and backend.mode == "record" else None
        # What is shared already needs nobody who carries it.
        carried = cache is not None and cache.folder is not None and cache.overlay is None
        records = str(cache.folder) if cache is not None and carried else ""
        meter = current_meter()
        keys = sorted(keys_of(self._endpoints))
        return Recipe.of(self._inputs, self.manifest, records=records, keys=keys, meter=meter, cache=cache)

    def _limit_outage(self, env: ToolEnv) -> ToolEnv:
        """Have an environment's faults take their share of the tools of the tasks that are played."""
        backend = env.rules.backend
        if isinstance(backend, VirtualBackend) and backend.outage is not None:
            tasks = [env.tasks.get(task_id) for task_id in dict.fromkeys(job.task_id for job in self.jobs)]
            env.rules = replace(env.rules, backend=backend.among(TaskSet(tasks).tools_used))
        return env

    def _outage(self) -> JsonObject:
        """Return how many tools are down of how many, where faults ask for that."""
        backend = self.env.rules.backend
        outage = backend.outage if isinstance(backend, VirtualBackend) else None
        if outage is None or outage.down is None:
            return {}
        return {"outage": {"share": outage.share, "tools": outage.eligible, "down": len(outage.down)}}

    def close(self) -> None:
        """Close what the environment holds open."""
        self.env.close()
