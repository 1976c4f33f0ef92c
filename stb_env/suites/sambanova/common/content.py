"""Content files of the tasks."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from stb_env.core.jsontypes import Json


@cache
def content(task: str, name: str) -> Json:
    """Return ``content/NAME.json`` of a task's folder.

    Examples:
        >>> content("cat_api", "breeds")["beng"]
        'Bengal'
    """
    file = files(f"stb_env.suites.sambanova.{task}") / "content" / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8"))
