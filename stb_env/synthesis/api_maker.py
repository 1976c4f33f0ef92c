"""The second agent: designs the APIs of a domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from stb_env.jsontypes import JsonMapping
from stb_env.prompting import delimited
from stb_env.synthesis.api import SEARCHER, Api
from stb_env.synthesis.form import Form, UnfitDraft, list_of, record, text
from stb_env.synthesis.role import Role, lines
from stb_env.synthesis.scene import Scene

COUNT = 4
MOST = 12

_WORD = r"^[A-Za-z]\w{0,63}$"
_PARAMETER = record(
    {
        "type": {"enum": ["str", "int", "float", "bool", "list", "dict"]},
        "description": {"type": "string", "maxLength": 500},
        "required": {"type": "boolean"},
    },
    optional=("required",),
)
_PARAMETERS = {
    "type": "object",
    "propertyNames": {"pattern": _WORD},
    "additionalProperties": _PARAMETER,
    "maxProperties": 30,
}
API_RECORD = record(
    {
        "name": text(64, _WORD),
        "description": text(1_000),
        "input_parameters": _PARAMETERS,
        "output_parameters": _PARAMETERS,
    }
)


class ApiMaker(Role):
    """Designs several APIs, of which a dialogue gets some at random."""

    name = "api"
    form = Form("api", {"apis": list_of(API_RECORD, MOST)})

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return the domain, and real descriptions where there are any."""
        samples = lines([api.record for api in scene.samples])
        return {
            "count": str(max(COUNT, scene.size)),
            "domain": delimited(scene.domain, "domain"),
            "samples": delimited(samples, "samples"),
        }

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with the APIs of the domain, and those that the dialogue needs."""
        pool = [Api.from_record(each) for each in draft["apis"]]
        _check_names(pool)
        if len(pool) < scene.size:
            raise UnfitDraft(f"at least {scene.size} APIs are needed, got {len(pool)}")
        return scene.with_pool(pool)


def _check_names(pool: Sequence[Api]) -> None:
    # Without regard to case and style, so that a search result means one API.
    counts = Counter(api.key[0] for api in pool)
    repeated = [api.name for api in pool if counts[api.key[0]] > 1]
    if repeated:
        raise UnfitDraft(f"each API needs a name of its own, got {', '.join(repeated)}")
    if SEARCHER.key[0] in counts:
        raise UnfitDraft(f"the name {SEARCHER.name} is taken by the search")
    for api in pool:
        if not api.outputs:
            raise UnfitDraft(f"{api.name} returns nothing; give it output_parameters")
