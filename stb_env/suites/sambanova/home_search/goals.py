"""Goals: the criteria of a home search in a user's words."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.common.form.api import Criteria

_RANGES = ("price", "square_feet")
_RANGE_SHARE = 0.7
"""Share of pairs of limits that are named as a range."""
_MOST_BESIDE = 3
"""Wishes that the opening names at most."""


def goal_of(criteria: Criteria, kinds: Sequence[str], draw: random.Random) -> str:
    """Write criteria as a goal that names each of them, in any order.

    Args:
        criteria: The criteria, but for the home type.
        kinds: Home types, any of which will do.
        draw: Chooses the words and their order.

    Examples:
        >>> goal_of({"location": "Fargo", "buy_or_rent": "rent", "num_beds": 2}, ["Condo"], random.Random(3))
        "I'm moving to Fargo and would like to rent a condo with at least 2 bedrooms."
    """
    texts = content("home_search", "goals")
    mode = str(criteria["buy_or_rent"])
    opening = draw.choice(texts["openings"][mode]).format(
        home=listed([texts["types"][kind] for kind in kinds], "or") or texts["any_home"],
        location=criteria["location"],
    )
    wishes = [key for key in criteria if key not in ("location", "buy_or_rent")]
    draw.shuffle(wishes)
    sentences = []
    for name in _RANGES:
        if {f"min_{name}", f"max_{name}"} <= set(wishes) and draw.random() < _RANGE_SHARE:
            wishes = [key for key in wishes if not key.endswith(f"_{name}")]
            limits = {"low": criteria[f"min_{name}"], "high": criteria[f"max_{name}"]}
            sentences.append(_said(texts["sentences"][name], mode, draw).format_map(limits))
    # An opening that ends with its place can take on wishes only where the home comes last.
    ends_with_home = not opening.endswith((criteria["location"], "there", "buy", "rent", "project"))
    room = draw.randint(0, _MOST_BESIDE) if ends_with_home else 0
    beside = [key for key in wishes if key in texts["with"]][:room]
    if beside:
        opening += " with " + listed([_worded(texts, "with", key, criteria, draw) for key in beside], "and")
    sentences += [_worded(texts, "sentences", key, criteria, draw) for key in wishes if key not in beside]
    draw.shuffle(sentences)
    return " ".join([f"{opening}.", *sentences])


def listed(items: Sequence[str], word: str) -> str:
    """Return items as a list in words.

    Examples:
        >>> listed(["a", "b", "c"], "or"), listed([], "or")
        ('a, b or c', '')
    """
    *first, last = items or [""]
    return f"{', '.join(first)} {word} {last}" if first else last


def _worded(texts: JsonMapping, form: str, key: str, criteria: Criteria, draw: random.Random) -> str:
    one, many = texts["nouns"].get(key, ("", ""))
    value = criteria[key]
    chosen = _said(texts[form][key], str(criteria["buy_or_rent"]), draw)
    return chosen.format(value=value, noun=one if value == 1 else many, many=many)


def _said(choices: Sequence[str] | Mapping[str, Sequence[str]], mode: str, draw: random.Random) -> str:
    return draw.choice(choices[mode] if isinstance(choices, Mapping) else choices)
