"""The methods of synthesis: which roles write a dialogue, in order."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.synthesis.api_maker import ApiMaker
from stb_env.synthesis.caller import Caller
from stb_env.synthesis.domain_maker import DomainMaker
from stb_env.synthesis.query_maker import QueryMaker
from stb_env.synthesis.role import Role
from stb_env.synthesis.soloist import Soloist
from stb_env.synthesis.tester import Tester

MULTI: tuple[Role, ...] = (DomainMaker(), ApiMaker(), QueryMaker(), Caller(), Tester())
"""The five agents of API-Bank's paper."""

SINGLE: tuple[Role, ...] = (Soloist(), Tester())
"""The baseline: one agent writes everything, and the same tester looks at it."""

METHODS: Mapping[str, tuple[Role, ...]] = {"multi": MULTI, "single": SINGLE}
