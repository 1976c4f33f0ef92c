"""The third agent: writes what the user says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from stb_env.jsontypes import JsonMapping
from stb_env.prompting import delimited
from stb_env.synthesis.form import DuplicateQuery, Form, UnfitDraft, list_of, text
from stb_env.synthesis.near_equal import nearest
from stb_env.synthesis.role import Role, lines
from stb_env.synthesis.scene import Scene

MOST_TURNS = 8

QUERY = {
    "utterances": list_of(text(2_000), MOST_TURNS),
    "time": {"type": "string", "maxLength": 200},
}


class QueryMaker(Role):
    """Writes utterances that call for the drawn APIs and for the ability."""

    name = "query"
    form = Form("query", QUERY, optional=("time",))

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return the domain, the APIs and the ability."""
        return {
            "domain": delimited(scene.domain, "domain"),
            "apis": delimited(lines([api.record for api in scene.apis]), "apis"),
            "ability": scene.ability.text,
            "turns": str(scene.most_turns),
        }

    def wanted(self, scene: Scene) -> JsonMapping:
        """Return the form with room for as many utterances as are wanted."""
        return self.form.narrowed({"utterances": list_of(text(2_000), scene.most_turns)})

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with the user's side.

        Raises:
            DuplicateQuery: The user says what one said before.
            UnfitDraft: There are too many utterances, one has no words or names an API, or the time is
                none.
        """
        # One line each: the training form has a line for what a user says.
        utterances = tuple(" ".join(each.split()) for each in draft["utterances"])
        if wordless := [each for each in utterances if not any(map(str.isalnum, each))]:
            raise UnfitDraft(f"an utterance needs words, got {wordless[0]!r}")
        if len(utterances) > scene.most_turns:
            raise UnfitDraft(f"at most {scene.most_turns} utterances are wanted, got {len(utterances)}")
        named = [api.name for api in scene.apis if any(api.name in said.split() for said in utterances)]
        if named:
            raise UnfitDraft(f"the user must not know of APIs, but names {', '.join(named)}")
        known = nearest(utterances[0], scene.known_queries)
        if known is not None:
            raise DuplicateQuery(f"this is too close to an earlier query: {known}")
        return replace(scene, utterances=utterances, time=_moment(draft.get("time", "").strip()))


def _moment(written: str) -> str:
    """Return a moment in the one form that later roles read; a zone says nothing to them."""
    if not written:
        return ""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise UnfitDraft(
            f"time must be YYYY-MM-DD HH:MM:SS, or be left out where it does not matter, got {written!r}"
        ) from None
    return moment.replace(tzinfo=None).isoformat(" ", "seconds")
