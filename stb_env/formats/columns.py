"""The columns of each kind of record in Arrow's types, the same whatever stands in the records.

JSON of no fixed form (tools, steps, what an engine gave) is text in a column: Arrow would else merge the
parameters of all tools into one structure, and every tool would seem to have those of every other. Messages
for chat templates are columns of Arrow's JSON type, which `datasets` reads as the objects that they are: as
structures every message would have every key, and a template asks which are there. The messages of whole
episodes are in OpenAI's form, where a call's arguments are text.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import ConfigError

_FUNCTION = {"name": "string", "arguments": "string"}
_CALL = {"id": "string", "type": "string", "function": _FUNCTION}
_MESSAGE = {"role": "string", "content": "string", "tool_calls": [_CALL], "tool_call_id": "string"}
_MASK = [{"message": "int64", "field": "string", "start": "int64", "end": "int64"}]
_TASK = {"suite": "string", "group": "string", "task_id": "string"}
_EPISODE = {**_TASK, "trial": "int64", "seed": "int64"}

COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "sft": {
        "messages": ["json_"],
        "tools": "string",
        "mask": _MASK,
        **_EPISODE,
        "verdict": "string",
        "reward": "float64",
        "branch": "int64",
        "tokens": [{"input_ids": ["int64"], "loss_mask": ["int8"]}],
        "engine": "string",
    },
    "preferences": {
        "prompt": ["json_"],
        "chosen": ["json_"],
        "rejected": ["json_"],
        "chosen_mask": _MASK,
        "rejected_mask": _MASK,
        "tools": "string",
        "source": "string",
        **_TASK,
        "chosen_trial": "int64",
        "rejected_trial": "int64",
        "chosen_reward": "float64",
        "rejected_reward": "float64",
    },
    "kto": {
        "prompt": ["json_"],
        "completion": ["json_"],
        "label": "bool_",
        "mask": _MASK,
        "tools": "string",
        **_EPISODE,
        "reward": "float64",
    },
    "rl": {
        "prompt_ids": ["int64"],
        "completion_ids": ["int64"],
        "completion_mask": ["int8"],
        "logprobs": ["float64"],
        "reward": "float64",
        "advantage": "float64",
        **_EPISODE,
        "part": "int64",
        "parts": "int64",
        "steps": ["int64"],
    },
    "trajectories": {
        "version": "int64",
        **_EPISODE,
        "query": "string",
        "tools": "string",
        "messages": [_MESSAGE],
        "steps": "string",
        "answer": "string",
        "final_answer": "string",
        "cannot": "string",
        "verdict": "string",
        "reward": "float64",
        "reward_mode": "string",
        "valid": "bool_",
        "failure": "string",
        "usage": "string",
        "tree": "string",
    },
}
"""Columns by kind of record: a type's name, or structures and lists of them as Python writes these."""


def schema(kind: str, *, json: str = "json_") -> Any:
    """Return the Arrow schema of a kind of record.

    Args:
        kind: A key of `COLUMNS`.
        json: The type of JSON; ``string`` for a table of rows, which Arrow then casts.

    Raises:
        ConfigError: pyarrow is not installed.
    """
    arrow = pyarrow()
    return arrow.schema([(name, _type(arrow, form, json=json)) for name, form in COLUMNS[kind].items()])


def row(kind: str, record: JsonMapping) -> JsonObject:
    """Return a record as a row: every column is there, and JSON of no fixed form is text.

    Examples:
        >>> made = row("preferences", {"prompt": [{"role": "user"}], "tools": [{"type": "function"}]})
        >>> made["prompt"], made["tools"], made["chosen"]
        (['{"role": "user"}'], '[{"type": "function"}]', None)
    """
    return {name: _cell(form, record.get(name)) for name, form in COLUMNS[kind].items()}


def pyarrow() -> Any:
    """Return the pyarrow package.

    Raises:
        ConfigError: It is not installed.
    """
    try:
        return importlib.import_module("pyarrow")
    except ImportError as error:
        raise ConfigError("Parquet needs pyarrow: pip install 'stb-env[parquet]'") from error


def _cell(form: Any, value: Any) -> object:
    if value is None:
        return None
    if form == ["json_"]:
        return [jsontext.dumps(item) for item in value]
    if form == "string" and not isinstance(value, str):
        return jsontext.dumps(value)
    return value


def _type(arrow: Any, form: Any, *, json: str) -> Any:
    if isinstance(form, str):
        return getattr(arrow, json if form == "json_" else form)()
    if isinstance(form, list):
        return arrow.list_(_type(arrow, form[0], json=json))
    return arrow.struct([(name, _type(arrow, inner, json=json)) for name, inner in form.items()])
