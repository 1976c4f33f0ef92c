"""The service's tools: one for each kind of request, and one for commands as they are."""

from __future__ import annotations

from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.cat_api.apis import APIS, HOST, Api
from stb_env.suites.sambanova.cat_api.command import render
from stb_env.suites.sambanova.cat_api.images import MIME_TYPES, MOST_IMAGES, ORDERS, SIZES, breeds
from stb_env.suites.sambanova.common.curl.reader import curl_tool
from stb_env.suites.sambanova.common.official import Document
from stb_env.tools import Tool, ToolId

_BREEDS = ", ".join(f"{code} ({name})" for code, name in breeds().items())
_SCHEMAS: dict[str, JsonObject] = {
    "image_id": {"type": "string", "description": "Id of the image."},
    "limit": {
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_IMAGES,
        "description": f"How many images to return, up to {MOST_IMAGES}; 1 if left out.",
    },
    "breed_ids": {
        "type": "string",
        "description": f"Codes of the wanted breeds, with commas between them. The codes: {_BREEDS}.",
    },
    "mime_types": {
        "type": "string",
        "description": f"Wanted file types, with commas between them: {', '.join(MIME_TYPES)}.",
    },
    "size": {
        "type": "string",
        "enum": list(SIZES),
        "description": "Size of the images: thumb, small, med (if left out) or full.",
    },
    "order": {
        "type": "string",
        "enum": list(ORDERS),
        "description": "Order of the images: RANDOM (if left out), ASC (ascending) or DESC (descending).",
    },
}


def _tool(api: Api) -> Tool:
    parameters = {
        "type": "object",
        "properties": {name: _SCHEMAS[name] for name in api.parameters},
        "required": [name for name in api.parameters if name == "image_id"],
    }
    return Tool(api.name, api.summary, parameters, ToolId.of("Animals", "cat_api", api.name))


TOOLS: tuple[Tool, ...] = (*map(_tool, APIS), curl_tool("Animals", "cat_api", HOST))
BY_NAME = {tool.name: tool for tool in TOOLS}


def documents() -> list[Document]:
    """Return the API documents for prompts, one for each kind of request.

    Examples:
        >>> print(documents()[1].text)
        # Adds an image to the favourites.
        curl -X POST 'https://api.thecatapi.com/v1/favourites' --data '{"image_id":"{image_id}"}'
        Parameters:
        image_id (required): Id of the image.
    """
    return [Document(api.name, _document(api)) for api in APIS]


def _document(api: Api) -> str:
    if api.reads:
        template = render(api, {}).removesuffix("'") + ("?{optional_params}'" if api.parameters else "'")
    else:
        template = render(api, {"image_id": "IMAGE"}).replace("IMAGE", "{image_id}")
    lines = [f"# {api.summary}", template]
    if api.parameters:
        lines.append("Parameters:")
    for name in api.parameters:
        need = "required" if name == "image_id" else "optional"
        lines.append(f"{name} ({need}): {_SCHEMAS[name]['description']}")
    return "\n".join(lines)
