"""Figures of a collection of dialogues: Table 2 of API-Bank, rejected shares, cost."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import get_args

from stb_env.core.jsontypes import JsonObject
from stb_env.experiments.synthesis.ability import Ability
from stb_env.experiments.synthesis.dialogue import Dialogue, Outcome
from stb_env.usage import NO_USAGE, Usage


def table2(kept: Sequence[Dialogue]) -> dict[str, float | int]:
    """Return the rows of API-Bank's Table 2, and the number of calls; searches count as calls.

    Args:
        kept: The dialogues of the data set.

    Examples:
        >>> table2([])["dialogues"], sorted(published()) == sorted(table2([]))
        (0, True)
    """
    turns = [turn for one in kept for turn in one.turns]
    abilities = Counter(one.ability for one in kept)
    return {
        "domains": len({one.domain.lower() for one in kept}),
        "apis": len({api.key for one in kept for api in one.apis}),
        "dialogues": len(kept),
        "turns": len(turns),
        "single_call_turns": sum(len(turn.calls) == 1 for turn in turns),
        "multi_call_turns": sum(len(turn.calls) > 1 for turn in turns),
        **{ability.value: abilities[ability] for ability in Ability},
        "turns_per_dialogue": _ratio(len(turns), len(kept)) or 0.0,
        "calls": sum(len(turn.calls) for turn in turns),
    }


@cache
def published() -> Mapping[str, float | int]:
    """Return the same figures of API-Bank's own training set."""
    text = (resources.files("stb_env.experiments.synthesis") / "recipes" / "table2.toml").read_text(
        encoding="utf-8"
    )
    figures: Mapping[str, float | int] = tomllib.loads(text)["training"]
    return figures


def summarize(dialogues: Sequence[Dialogue], lost: Usage = NO_USAGE) -> JsonObject:
    """Return all figures of a collection, as plain data.

    Rates are None where nothing was counted, and costs where a model has no price.

    Args:
        dialogues: Every sample, whatever became of it.
        lost: What samples cost that were cut short and written anew.
    """
    outcomes = Counter(one.outcome for one in dialogues)
    tested = outcomes["kept"] + outcomes["dropped"]
    usage = sum((one.usage for one in dialogues), lost)
    # An API that was designed before counts once everywhere else.
    designed = {(one.domain, api.name, api.key) for one in dialogues for api in one.pool}
    repeated = len(designed) - len({key for _, _, key in designed})
    priced = usage.unpriced == 0
    return {
        "samples": len(dialogues),
        **{outcome: outcomes[outcome] for outcome in get_args(Outcome)},
        "share_rejected_by_tester": _ratio(outcomes["dropped"], tested),
        "share_not_kept": _ratio(len(dialogues) - outcomes["kept"], len(dialogues)),
        "duplicates": {"queries": outcomes["duplicate"], "apis": repeated},
        "rejected_drafts": dict(
            sorted(Counter(each.role for one in dialogues for each in one.rejections).items())
        ),
        "table2": table2([one for one in dialogues if one.outcome == "kept"]),
        "usage": usage.report(),
        "cost_per_sample": _ratio(usage.cost, len(dialogues)) if priced else None,
        "cost_per_kept_dialogue": _ratio(usage.cost, outcomes["kept"]) if priced else None,
    }


def _ratio(part: float, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None
