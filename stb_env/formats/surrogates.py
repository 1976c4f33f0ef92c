"""Lone surrogates, halves of a character that a model may send and that no file can encode."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json
from stb_env.trajectory import Trajectory

_LONE = re.compile("[\ud800-\udfff]")

# `jsontext.dumps` escapes characters only where it must, so that few texts without a surrogate have this.
_ESCAPED = "\\ud"


def replaced(value: object, text: str | None = None) -> tuple[Json, int]:
    r"""Return plain data with each lone surrogate as U+FFFD, and how many texts that changed.

    One character stands for one, so that places in a text stay right.

    Args:
        value: The data, which is not changed.
        text: What `jsontext.dumps` makes of it, where that is at hand.

    Examples:
        >>> replaced({"content": "I think \ud800 so", "ids": [7]})
        ({'content': 'I think \ufffd so', 'ids': [7]}, 1)
    """
    if _ESCAPED not in (jsontext.dumps(value) if text is None else text):
        return value, 0
    changed: list[str] = []
    return _replaced(value, changed), len(changed)


def replaced_in(episode: Trajectory) -> tuple[Trajectory, int]:
    """Return an episode without lone surrogates, and how many of its texts that changed; see `replaced`."""
    data, changed = replaced(episode.to_dict())
    return (
        (replace(episode, **{name: data.get(name) for name in _FIELDS}), changed) if changed else (episode, 0)
    )


_FIELDS = tuple(Trajectory.__dataclass_fields__)


def _replaced(value: object, changed: list[str]) -> object:
    if isinstance(value, str):
        if _LONE.search(value):
            changed.append(value)
            return _LONE.sub("\ufffd", value)
        return value
    if isinstance(value, Mapping):
        return {_replaced(key, changed): _replaced(item, changed) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(item, changed) for item in value]
    return value
