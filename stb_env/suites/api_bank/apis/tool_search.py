"""The tool that finds tools; the finding itself is plugged in."""

from __future__ import annotations

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.errors import ConfigError
from stb_env.suites.api_bank.compare import EXCEPTION, RESULT, all_of
from stb_env.suites.api_bank.definition import Domain, Library, text
from stb_env.suites.api_bank.formats.dialogues import Envelope

TOOL_SEARCH = Domain("Tool Search")
SEARCHER = "ToolSearcher"
"""Name of the searcher in a library: a function of keywords that returns the output or raises `ApiError`."""


def same_tools(predicted: Envelope, gold: Envelope) -> bool:
    """Compare found tools by name and by names and types of their parameters: descriptions were reworded."""
    return _signatures(predicted["output"]) == _signatures(gold["output"])


def _signatures(found: Json) -> list[tuple[str, list[tuple[str, str]]]]:
    return [_signature(each) for each in (found if isinstance(found, list) else [found])]


def _signature(entry: JsonMapping) -> tuple[str, list[tuple[str, str]]]:
    return entry["name"], [(name, each["type"]) for name, each in entry["input_parameters"].items()]


@TOOL_SEARCH.api(
    "ToolSearcher",
    text("keywords", "What the tool is to do, in a few words."),
    outputs={"best_matchs": ("Union[List[dict], dict]", "Documentation of the tool that fits best.")},
    reads="library",
    compare=all_of(same_tools, EXCEPTION),
    original_compare=RESULT,
)
def tool_searcher(library: Library, keywords: str) -> Json:
    """Find a tool for a purpose and return its documentation."""
    searcher = library.get(SEARCHER)
    if searcher is None:
        raise ConfigError("this world has nothing that searches tools; give it one with searcher=...")
    return searcher(keywords)
