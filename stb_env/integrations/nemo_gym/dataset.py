"""Tasks as rows in the form of Responses."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonMapping
from stb_env.integrations.rows import Which, training_rows


def dataset(
    env_id: str, tasks: Which = None, *, seed: int = 0, **settings: object
) -> list[dict[str, object]]:
    """List tasks as rows in the form of Responses, to be written as a line of JSON each.

    Args:
        env_id: An id of any suite, the one that the server plays.
        tasks: How many, or which; None for all.
        seed: Seed of the run.
        **settings: Settings of the environment; give them to the server as well.

    Examples:
        >>> row = dataset("stb_env.testing.notes:test/Notes-v0", "day")[0]
        >>> row["task_id"], row["responses_create_params"]["tools"][0]["name"]
        ('day', 'add_note')
    """
    return [
        {
            "task_id": row.task_id,
            "seed": str(row.seed),
            "responses_create_params": {
                "input": [{"role": told["role"], "content": told["content"]} for told in row.messages],
                "tools": [{"type": "function", "strict": False, **_flat(tool)} for tool in row.tools],
            },
        }
        for row in training_rows(env_id, tasks, seed=seed, **settings)
    ]


def _flat(tool: JsonMapping) -> dict[str, object]:
    function = tool["function"]
    return {name: function[name] for name in ("name", "description", "parameters")}
