"""The tools of a shopper, and their documents."""

from __future__ import annotations

from stb_env.suites.sambanova.common.official import Document
from stb_env.suites.sambanova.web_shop.program import CLICK, SEARCH
from stb_env.tools import Tool, ToolId


def _tool(name: str, description: str, parameter: str, meaning: str) -> Tool:
    parameters = {
        "type": "object",
        "properties": {parameter: {"type": "string", "description": meaning}},
        "required": [parameter],
    }
    return Tool(name, description, parameters, ToolId.of("Shopping", "web_shop", name))


TOOLS: tuple[Tool, ...] = (
    _tool(
        SEARCH,
        "Searches the shop and shows the first page of what it found.",
        "query",
        "Words that a matching product's name or description has.",
    ),
    _tool(
        CLICK,
        "Clicks on what the page offers: a button, a product or an option. Buy Now, on the page of a "
        "product, buys it with the chosen options and ends the task.",
        "element",
        "Text of a button, code of a product, or value of an option.",
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}


def documents() -> list[Document]:
    """Return the API documents for prompts.

    Examples:
        >>> print(documents()[0].text)
        # Searches the shop and shows the first page of what it found.
        search[query]
    """
    return [
        Document(tool.name, f"# {tool.description}\n{tool.name}[{next(iter(tool.parameters['properties']))}]")
        for tool in TOOLS
    ]
