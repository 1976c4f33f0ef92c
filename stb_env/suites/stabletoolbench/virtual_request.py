"""A request to ``/virtual`` as the original's clients send it, and the texts that answer some of them.

Names are read as they are meant: the part that repeats the tool's is cut off however it is spelled. The
original's own reading, defects included, is `server_names`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.original_server import FIELDS
from stb_env.tools import ToolId, pure_name, standardize, standardize_category

CHAT_ANSWER = {"error": "", "response": "Chat with user."}


class VirtualRequest(NamedTuple):
    """One call of an API.

    Attributes:
        id: The API.
        arguments: Its arguments: an object; a text where they are other JSON; None where they are no JSON.
        key: The client's key for the real API; may be empty.
    """

    id: ToolId
    arguments: JsonMapping | str | None
    key: str

    @classmethod
    def read(cls, body: str) -> VirtualRequest:
        """Take a request's body.

        Raises:
            DataError: It is no JSON object, or a field is missing or no text.

        Examples:
            >>> names = '"category": "Tools", "tool_name": "Calc Tool", "api_name": "add_for_calc_tool"'
            >>> more = '"tool_input": "{}", "strip": "", "toolbench_key": ""'
            >>> VirtualRequest.read(f"{{{names}, {more}}}")[:2]
            (ToolId(category='Tools', tool='calc_tool', api='add'), {})
            >>> VirtualRequest.read(f"{{{names}}}")
            Traceback (most recent call last):
            ...
            stb_env.errors.DataError: strip: expected a text; the fields are category, tool_name, ...
        """
        try:
            fields = jsontext.loads(body)
        except ValueError as error:
            raise DataError(f"the body is no JSON: {error}") from error
        if not isinstance(fields, dict):
            raise DataError(f"the body must be an object with the fields {', '.join(FIELDS)}")
        texts = [_text(fields, name) for name in FIELDS if name != "tool_input"]
        given = fields.get("tool_input")
        if not isinstance(given, str | dict):
            raise DataError(f"tool_input: expected a text or an object; the fields are {', '.join(FIELDS)}")
        identity = identify(*texts[:3])
        return cls(identity, given if isinstance(given, dict) else _arguments(given), texts[-1])


@lru_cache(maxsize=65_536)
def identify(category: str, tool: str, api: str) -> ToolId:
    """Return the API that a request names, in any of the spellings that clients use.

    Examples:
        >>> identify("Tools", "Calc Tool_for_Tools", "Add Numbers_for_calc_tool")
        ToolId(category='Tools', tool='calc_tool', api='add_numbers')
    """
    category = standardize_category(category)
    tool = standardize(tool.removesuffix(f"_for_{category}"))
    return ToolId(category, tool, pure_name(api).split(f"_for_{tool}")[0] if tool else pure_name(api))


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        # What was got stays unsaid: it may be a key.
        raise DataError(f"{name}: expected a text; the fields are {', '.join(FIELDS)}")
    return value


def _arguments(text: str) -> Mapping[str, object] | str | None:
    if not text:
        return {}
    try:
        value = jsontext.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else text
