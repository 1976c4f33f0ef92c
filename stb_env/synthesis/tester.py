"""The fifth agent: keeps or drops a finished dialogue, and never keeps one whose arguments were made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stb_env import jsontext
from stb_env.jsontypes import JsonMapping
from stb_env.prompting import delimited
from stb_env.synthesis.dialogue import Review
from stb_env.synthesis.form import Form, UnfitDraft
from stb_env.synthesis.grounding import ungrounded
from stb_env.synthesis.role import Role
from stb_env.synthesis.scene import Scene

_MOST_INSTANCE = 60_000
_REASONS = {"type": "array", "items": {"type": "string", "maxLength": 1_000}, "maxItems": 20}


class Tester(Role):
    """Says whether a dialogue is kept, and why not where it is not.

    Arguments that nobody gave are no matter of opinion: they are found mechanically (`ungrounded`) and drop
    the dialogue, whatever its author says.
    """

    name = "tester"
    form = Form("tester", {"keep": {"type": "boolean"}, "reasons": _REASONS})

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return the whole dialogue, and the ability that it shall show."""
        instance = {
            "domain": scene.domain,
            "apis": [api.record for api in scene.apis],
            "time": scene.time,
            "turns": [turn.to_dict() for turn in scene.turns],
        }
        shown = jsontext.dumps(jsontext.cut(instance, _MOST_INSTANCE))
        return {"instance": delimited(shown, "instance"), "ability": scene.ability.text}

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with the verdict."""
        reasons = tuple(reason for reason in draft["reasons"] if reason.strip())
        if not draft["keep"] and not reasons:
            raise UnfitDraft("give at least one reason for dropping it")
        made_up = tuple(ungrounded(scene.turns, scene.apis, scene.time))
        return replace(scene, review=Review(draft["keep"] and not made_up, (*reasons, *made_up)))
