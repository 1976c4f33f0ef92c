"""Plays a run that was resolved, saves its episodes and sums them up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from stb_env.backend.virtual import VirtualBackend
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.evaluation.remote_run import RemoteRun
from stb_env.evaluation.resolved import Resolved
from stb_env.runs import Run, run_batch
from stb_env.runs.batch import Cluster, Remark
from stb_env.runs.failure_limit import Breaker
from stb_env.runs.job import Job
from stb_env.runs.manifest_file import settle
from stb_env.runs.metrics.cost import role_usage
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.metrics.repeats import repeats
from stb_env.runs.play_options import PlayOptions
from stb_env.trajectory import Trajectory

_log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Told how many of how many episodes are saved: once at the start, then after each."""


def play_run(
    run: Resolved,
    out: Path | None = None,
    options: PlayOptions = PlayOptions(),  # noqa: B008 (frozen)
    *,
    first: int | None = None,
    progress: Progress | None = None,
    remark: Remark = _log.warning,
    cluster: Cluster | None = None,
) -> dict[str, object]:
    """Play what is not saved yet, or failed for a reason that may pass, and return the run's summary.

    Args:
        run: The run.
        out: Folder of the run; None keeps nothing.
        options: How many episodes are played at the same time, how long they may take, and when to stop.
        first: Play only so many of the first episodes now; the summary is saved with the last.
        progress: Told how far it is.
        remark: Told of each bug of the agent's, once; a log where not given.
        cluster: Machines that play, ``options.concurrency`` episodes each worker; None plays here.

    Raises:
        ConfigError: The folder holds a run with another configuration; the message shows the difference. Or
            several episodes would write to one service with state at the same time.
        RunStopped: An endpoint is not there, episodes keep failing alike, or the disk refuses them.

    Examples:
        >>> from stb_env.evaluation.resolved import RunSpec, resolve
        >>> summary = play_run(resolve(RunSpec("stb/Sandbox-v1", episodes=2)))
        >>> summary["solved"], summary["planned"]
        (2, 2)
    """
    check_shared_service(run, options.concurrency, cluster)
    jobs = run.jobs[:first]
    fresh = out is None or not out.exists()
    if fresh:
        # Before a folder is made: a run that cannot begin leaves nothing behind.
        run.check_endpoints()
    manifest = run.asked_manifest() if fresh else run.manifest
    with nullcontext() if out is None else closing(Run(out, manifest)) as saved:
        if out is not None and saved is not None and not fresh and saved.left(jobs):
            run.check_endpoints()
            settle(out, run.asked_manifest(), holds_results=True)
        episodes = _played(run, jobs, saved, options, progress, remark, cluster)
        summary: JsonObject = {"env": run.spec.env_id, "agent": run.manifest["agent"]}
        if "protocol" in run.manifest:
            summary["protocol"] = run.manifest["protocol"]
        summary |= {**summarize(episodes, len(run.jobs)), **repeats(episodes), **_outage(run)}
        if roles := role_usage(episodes):
            summary["roles"] = {role: usage.report() for role, usage in roles.items()}
        if saved is not None and len(jobs) == len(run.jobs):
            saved.finish(summary)
    return summary


def _played(
    run: Resolved,
    jobs: Sequence[Job],
    saved: Run | None,
    options: PlayOptions,
    progress: Progress | None,
    remark: Remark,
    cluster: Cluster | None,
) -> list[Trajectory]:
    planned = len(run.jobs)
    done = planned - len(run.jobs if saved is None else saved.left(run.jobs))

    def advance(_: Trajectory | None = None) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, planned)

    if progress is not None:
        progress(done, planned)
    remote = None if cluster is None else RemoteRun.of(run)
    return run_batch(
        run.env_factory() if remote is None else remote.make_env,
        run.make_agent if remote is None else remote.make_agent,
        jobs,
        saved,
        concurrency=options.concurrency,
        progress=advance,
        breaker=Breaker(options.stop_after, run.check_endpoints),
        remark=remark,
        deadlines=options.deadlines,
        cluster=cluster,
        link=remote,
        outlines=True,
    )


def check_shared_service(run: Resolved, concurrency: int, cluster: Cluster | None) -> None:
    """Refuse to play episodes at the same time that would write to one service with state.

    Raises:
        ConfigError: They would.
    """
    backend = run.env.rules.backend
    if not isinstance(backend, VirtualBackend) or not backend.asks_stateful_service:
        return
    if cluster is not None:
        raise ConfigError(
            "the tools write to one service, whose state several machines cannot share; play on one machine"
        )
    if concurrency > 1 and not backend.resets_service:
        raise ConfigError(
            f"the tools write to a service without a reset, and {concurrency} episodes at a time would read "
            "what others write; give --concurrency 1, or name the service's reset (tools import --reset)"
        )


def _outage(run: Resolved) -> dict[str, object]:
    """Return how many tools are down of how many, where faults ask for that."""
    backend = run.env.rules.backend
    outage = backend.outage if isinstance(backend, VirtualBackend) else None
    if outage is None or outage.down is None:
        return {}
    return {"outage": {"share": outage.share, "tools": outage.eligible, "down": len(outage.down)}}
