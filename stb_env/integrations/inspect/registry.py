"""The tasks that Inspect AI finds by name: one for every environment, such as ``stb_env/sandbox``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from inspect_ai import Task, task

from stb_env.integrations.inspect.scorer import verdict
from stb_env.integrations.inspect.solver import Form, exact, reacting
from stb_env.integrations.inspect.task import stb
from stb_env.integrations.rows import Which
from stb_env.runs.make import env_ids

__all__ = ["exact", "reacting", "stb", "task_name", "tasks", "verdict"]


def task_name(env_id: str) -> str:
    """Return the name of an environment's task.

    Examples:
        >>> task_name("stb/Sandbox-v1"), task_name("stb/APIBankCall-v1"), task_name("my/I1Tool-v2")
        ('sandbox', 'api_bank_call', 'i1_tool')
    """
    words = env_id.rpartition("/")[2].rpartition("-v")[0]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", words).lower()


def named(env_id: str) -> Callable[..., Task]:
    """Return an environment's task as Inspect's registry keeps it; see `stb` for the options."""

    def of_id(
        tasks: Which = None, seed: int = 0, form: Form = "exact", settings: Mapping[str, object] | None = None
    ) -> Task:
        return stb(env_id, tasks, seed, form, settings)

    found: Callable[..., Task] = task(name=task_name(env_id))(of_id)
    return found


tasks = {task_name(env_id): named(env_id) for env_id in env_ids()}
