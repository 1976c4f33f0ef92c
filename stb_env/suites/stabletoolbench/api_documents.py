"""Documentation of APIs that are asked for by name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Self

from stb_env.suites.stabletoolbench.api_entry import tool_from_api
from stb_env.suites.stabletoolbench.queries import load
from stb_env.suites.stabletoolbench.tool_files import ToolFiles
from stb_env.tools import Tool, ToolId, pure_name, unique_names

_KEPT = 65_536


class APIDocuments:
    """Finds the tool of an identity, in tool files first and then among the tools of queries.

    Args:
        files: Tool files, where there are any.
        tools: Tools that are documented otherwise.

    Attributes:
        tool: Returns the tool of an identity; an API that nobody documented has a name alone.

    Examples:
        >>> documents = APIDocuments()
        >>> documents.tool(ToolId("Net", "icmp", "ping")).name
        'ping_for_icmp'
    """

    def __init__(self, files: ToolFiles | None = None, tools: Iterable[Tool] = ()) -> None:
        self._files = files
        self._tools = {tool.id: tool for tool in tools}
        # Bounded: who asks may make up names without end.
        self.tool = lru_cache(maxsize=_KEPT)(self._found)

    @classmethod
    def find(cls, data: str | None, tools: str | None) -> Self:
        """Return the documents of official folders.

        Args:
            data: Query files; their tools count, and tool files that lie beside them.
            tools: Folder of tool files.

        Raises:
            DataError: There are no tool files in the folder.
        """
        queried = () if data is None else load(data).tasks.catalog
        if tools is not None:
            return cls(ToolFiles.find(tools), queried)
        return cls(None if data is None else ToolFiles.beside(data), queried)

    def _found(self, identity: ToolId) -> Tool:
        return self._documented(identity) or self._tools.get(identity) or _undocumented(identity)

    def _documented(self, identity: ToolId) -> Tool | None:
        file = None if self._files is None else self._files.tool(identity.category, identity.tool)
        api = None if file is None else file.apis.get(pure_name(identity.api))
        if file is None or api is None:
            return None
        return tool_from_api(file.entry(api), unique_names([identity])[identity])


def _undocumented(identity: ToolId) -> Tool:
    return Tool(unique_names([identity])[identity], "", {"type": "object", "properties": {}}, identity)
