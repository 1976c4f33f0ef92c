"""The two sets of APIs: 53 for levels 1 and 2, 22 for level 3; some of their names are the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.api_bank.apis.accounts import ACCOUNTS
from stb_env.suites.api_bank.apis.finance import FINANCE
from stb_env.suites.api_bank.apis.health import HEALTH
from stb_env.suites.api_bank.apis.information import INFORMATION
from stb_env.suites.api_bank.apis.leisure import ENTERTAINMENT, TRAVEL
from stb_env.suites.api_bank.apis.level3 import LEVEL_3_DOMAINS
from stb_env.suites.api_bank.apis.schedule import SCHEDULE
from stb_env.suites.api_bank.apis.smart_home import SMART_HOME
from stb_env.suites.api_bank.apis.tool_search import SEARCHER, TOOL_SEARCH
from stb_env.suites.api_bank.definition import API, Output, Parameter
from stb_env.suites.api_bank.formats.dialogues import GoldCall
from stb_env.tools import Tool, ToolCall, ToolId

_ENTRY = {"name", "description", "input_parameters", "output_parameters"}


@dataclass(frozen=True)
class ApiSet:
    """APIs that are offered together.

    Attributes:
        name: Name of the set.
        apis: The APIs by name.
        uses_databases: Whether they know what databases hold; otherwise their content is fixed.
    """

    name: str
    apis: Mapping[str, API]
    uses_databases: bool = True

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The APIs as agents see them, by name."""
        return {
            name: Tool(name, api.description, api.schema, ToolId.of(api.domain, self.name, name), api.entry)
            for name, api in self.apis.items()
        }

    @property
    def entries(self) -> list[JsonObject]:
        """The APIs' documentation as search results have it, without the search itself."""
        return [api.entry for name, api in self.apis.items() if name != SEARCHER]

    def tool_call(self, call: GoldCall) -> ToolCall:
        """Return a recorded call as an agent makes it: today's parameter names, typed values.

        Raises:
            ArgumentsError: The record does not fit its API.

        Examples:
            >>> gold = GoldCall("CancelTimedSwitch", {"device_id": "7", "time": "2023-03-19 09:30:00"}, {})
            >>> LEVEL_12.tool_call(gold).arguments
            {'name': '7', 'time': '2023-03-19 09:30:00'}
        """
        return ToolCall(call.name, self.apis[call.name].cast(call.arguments))

    def described(self, calls: Iterable[GoldCall]) -> ApiSet:
        """Return the set with the documentation that recorded searches found, in place of ours.

        Args:
            calls: Recorded calls; what is no search is passed over.

        Examples:
            >>> entry = LEVEL_12.apis["GetToday"].entry | {"description": "Which day is it?"}
            >>> call = GoldCall("ToolSearcher", {"keywords": "date"}, {"output": entry})
            >>> LEVEL_12.described([call]).apis["GetToday"].description
            'Which day is it?'
        """
        found = {entry["name"]: entry for call in calls for entry in _found(call)}
        changed = {name: _described(api, found[name]) for name, api in self.apis.items() if name in found}
        return ApiSet(self.name, {**self.apis, **changed}, self.uses_databases)


def _found(call: GoldCall) -> list[Mapping[str, object]]:
    if call.name != SEARCHER:
        return []
    output = call.result.get("output")
    entries = output if isinstance(output, list) else [output]
    return [entry for entry in entries if isinstance(entry, dict) and entry.keys() >= _ENTRY]


def _described(api: API, entry: JsonMapping) -> API:
    inputs, outputs = entry["input_parameters"], entry["output_parameters"]
    if list(inputs) != list(api.by_name):
        return api
    return replace(
        api,
        description=entry["description"],
        parameters=tuple(_reworded(each, inputs[each.name]) for each in api.parameters),
        outputs={name: _output(each) for name, each in outputs.items()} or api.outputs,
    )


def _reworded(parameter: Parameter, entry: Mapping[str, str]) -> Parameter:
    return replace(parameter, description=entry["description"])


def _output(entry: Mapping[str, str]) -> Output:
    return entry["type"], entry["description"]


_DOMAINS = (ACCOUNTS, SCHEDULE, FINANCE, INFORMATION, HEALTH, SMART_HOME, ENTERTAINMENT, TRAVEL, TOOL_SEARCH)

LEVEL_12 = ApiSet("API-Bank", {api.name: api for domain in _DOMAINS for api in domain.apis})
LEVEL_3 = ApiSet(
    "API-Bank level 3",
    {api.name: api for domain in (*LEVEL_3_DOMAINS, TOOL_SEARCH) for api in domain.apis},
    uses_databases=False,
)
