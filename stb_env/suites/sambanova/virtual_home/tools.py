"""The functions as tools, and one tool for lines as they are written."""

from __future__ import annotations

from functools import lru_cache

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.common.official import Document
from stb_env.suites.sambanova.virtual_home.step import PREFIX
from stb_env.suites.sambanova.virtual_home.vocabulary import Vocabulary, embedded, skills
from stb_env.tools import Tool, ToolId

STEP = "step"
"""Name of the tool that takes a line as it is written."""

_LINE = Tool(
    STEP,
    "Does one line of a program, given as it is written, such as Agent.Find(cup).",
    {
        "type": "object",
        "properties": {"line": {"type": "string", "description": "The line."}},
        "required": ["line"],
    },
    ToolId.of("Household", "virtual_home", STEP),
)
_MEANINGS = {"object": "What it is done to.", "object1": "What is moved.", "object2": "Where it ends up."}


@lru_cache(maxsize=8)
def tools_of(vocabulary: Vocabulary) -> tuple[Tool, ...]:
    """Return the tools of a vocabulary, one for each function, and `STEP`."""
    texts = {skill["name"]: skill["text"] for skill in skills()}
    return (
        *(_tool(vocabulary, name, texts.get(name, name)) for name in vocabulary.functions),
        _LINE,
    )


def _tool(vocabulary: Vocabulary, name: str, text: str) -> Tool:
    places = vocabulary.places(name)
    properties: JsonObject = {
        place: {"type": "string", "enum": list(objects), "description": _MEANINGS[place]}
        for place, objects in places.items()
    }
    parameters = {"type": "object", "properties": properties, "required": list(places)}
    return Tool(name, f"{text}.", parameters, ToolId.of("Household", "virtual_home", name))


def documents(vocabulary: Vocabulary | None = None) -> list[Document]:
    """Return the API documents for prompts, one for each function.

    Examples:
        >>> print(next(document.text for document in documents() if document.name == "TypeOn"))
        # Type on X: Enter text with keys. X is one of: keyboard, phone
        Agent.TypeOn(object)
    """
    vocabulary = vocabulary or embedded()
    known = {skill["name"]: skill for skill in skills()}
    return [Document(name, _document(vocabulary, name, known.get(name))) for name in vocabulary.functions]


def _document(vocabulary: Vocabulary, name: str, skill: dict[str, str] | None) -> str:
    places = vocabulary.places(name)
    head = f"# {skill['phrase']}: {skill['text']}." if skill else f"# {name}."
    for letter, objects in zip("XY", places.values(), strict=False):
        head += f" {letter} is one of: {', '.join(objects)}"
    return f"{head}\n{PREFIX}{name}({', '.join(places)})"
