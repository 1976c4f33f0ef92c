"""An environment as a task of Inspect's."""

from __future__ import annotations

from collections.abc import Mapping

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from stb_env.errors import ConfigError, did_you_mean
from stb_env.evaluation.manifest import run_manifest
from stb_env.integrations.inspect.messages import chat
from stb_env.integrations.inspect.scorer import MANIFEST, verdict
from stb_env.integrations.inspect.solver import FORMS, Form
from stb_env.integrations.rows import Which, rows
from stb_env.runs.make import make_env


@task
def stb(
    env_id: str = "stb/Sandbox-v1",
    tasks: Which = None,
    seed: int = 0,
    form: Form = "exact",
    settings: Mapping[str, object] | None = None,
) -> Task:
    """Return the tasks of an environment as a task of Inspect's.

    Args:
        env_id: An id of any suite.
        tasks: How many, or which; all of them by default.
        seed: Seed of the run; with the same, ``stb-env run`` plays the same episodes.
        form: Who drives: ``exact`` has our own loop, in which everything that a model writes reaches the
            environment; ``react`` has Inspect's agent, which refuses arguments that its schema check finds
            wrong by itself and offers the tools of the first turn throughout.
        settings: Settings of the environment, such as ``{judge: heuristic}``.

    Raises:
        ConfigError: There is no such id, setting or form.
        DataError: There is no task of an id.
    """
    if form not in FORMS:
        raise ConfigError(f"form must be one of {', '.join(FORMS)}, got {form!r}.{did_you_mean(form, FORMS)}")
    given = dict(settings or {})
    samples = [
        Sample(
            id=row.task_id,
            input=chat(row.messages),
            metadata={"env_id": env_id, "task_id": row.task_id, "seed": seed},
        )
        for row in rows(env_id, tasks, seed=seed, **given)
    ]
    played = {"agent": f"inspect:{form}", "seed": seed}
    return Task(
        dataset=MemoryDataset(samples, name=env_id),
        solver=FORMS[form](env_id, given),
        scorer=verdict(),
        fail_on_error=False,
        metadata={MANIFEST: run_manifest(make_env(env_id, given), env_id, given, played)},
    )
