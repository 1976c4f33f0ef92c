"""The task's tools: every function that programs are given, and one that takes a whole program."""

from __future__ import annotations

from stb_env.suites.sambanova.common.interpreter.reader import PROGRAM
from stb_env.suites.sambanova.common.official import Document
from stb_env.suites.sambanova.tabletop.primitives import PRIMITIVES, Primitive
from stb_env.tools import Tool, ToolId

LIBRARIES = ("np", "Point", "LineString", "Polygon", "MultiPoint", "box", "affinity")
NAMES = frozenset((*(primitive.name for primitive in PRIMITIVES), *LIBRARIES))
"""Names that programs are given."""


def _tool(primitive: Primitive) -> Tool:
    parameters = {
        "type": "object",
        "properties": dict(primitive.parameters),
        "required": [name for name in primitive.parameters if name not in primitive.optional],
    }
    return Tool(
        primitive.name, primitive.summary, parameters, ToolId.of("Robotics", "tabletop", primitive.name)
    )


_PROGRAM = Tool(
    PROGRAM,
    "Runs a Python program on the functions above, objects (the names of all objects), numpy as np, math and "
    "the simple shapes of shapely. If it fails, the table stays as it was.",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The program."}},
        "required": ["text"],
    },
    ToolId.of("Robotics", "tabletop", PROGRAM),
)
TOOLS: tuple[Tool, ...] = (*map(_tool, PRIMITIVES), _PROGRAM)
BY_NAME = {tool.name: tool for tool in TOOLS}


def documents() -> list[Document]:
    """Return the API documents for prompts, one for each function.

    Examples:
        >>> print(documents()[2].text)
        # Gives x and y of the centre of an object, or of a place.
        get_obj_pos(obj_name)
    """
    return [Document(each.name, f"# {each.summary}\n{each.signature}") for each in PRIMITIVES]
