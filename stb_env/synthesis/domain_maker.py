"""The first agent: names domains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stb_env.jsontypes import JsonMapping
from stb_env.prompting import delimited
from stb_env.synthesis.form import Form, UnfitDraft, list_of, text
from stb_env.synthesis.role import Role
from stb_env.synthesis.scene import Scene

COUNT = 5
# Beyond this the oldest are left out of the prompt; they are still refused.
_SHOWN = 300


class DomainMaker(Role):
    """Names several domains; the first one that is not taken is used."""

    name = "domain"
    form = Form("domain", {"domains": list_of(text(80), 20)})

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return how many are wanted, and what is taken."""
        known = "\n".join(list(dict.fromkeys(scene.known_domains))[-_SHOWN:])
        return {"count": str(COUNT), "known": delimited(known, "domains")}

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with a domain."""
        taken = {_plain(domain) for domain in scene.known_domains}
        for domain in draft["domains"]:
            if _plain(domain) not in taken:
                return replace(scene, domain=" ".join(domain.split()))
        raise UnfitDraft(f"all of these domains are taken: {', '.join(draft['domains'])}")


def _plain(domain: str) -> str:
    return " ".join(domain.lower().split())
