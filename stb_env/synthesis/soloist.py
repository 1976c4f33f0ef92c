"""The single agent of the baseline: writes everything at once (self-instruct)."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.jsontypes import JsonMapping
from stb_env.synthesis.api_maker import API_RECORD, MOST, ApiMaker
from stb_env.synthesis.caller import TURNS, Caller
from stb_env.synthesis.domain_maker import DomainMaker
from stb_env.synthesis.form import Form, list_of, text
from stb_env.synthesis.query_maker import QUERY, QueryMaker
from stb_env.synthesis.role import Role
from stb_env.synthesis.scene import Scene


class Soloist(Role):
    """Does the work of the first four agents in one reply, which is held to the same checks."""

    name = "single"
    form = Form(
        "single",
        {"domain": text(80), "apis": list_of(API_RECORD, MOST), **QUERY, "turns": TURNS},
        optional=("time",),
    )

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return what is taken, the number of APIs and the ability."""
        return {
            "size": str(scene.size),
            "known": DomainMaker().fields(scene)["known"],
            "ability": scene.ability.text,
            "turns": str(scene.most_turns),
        }

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with the whole dialogue."""
        scene = DomainMaker().take(scene, {"domains": [draft["domain"]]})
        scene = ApiMaker().take(scene, draft)
        scene = QueryMaker().take(scene, draft)
        return Caller().take(scene, draft)
