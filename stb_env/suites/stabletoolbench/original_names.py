"""Names as the original's functions, queries and server have them."""

from __future__ import annotations

from typing import NamedTuple

from stb_env.tools import MAX_NAME, pure_name, standardize, standardize_category


def original_name(api: str, tool: str) -> str:
    """Return the original's function name: ``api_for_tool``, only its last 64 characters.

    Different APIs can meet in one such name; `unique_names` is what the package itself uses.

    Examples:
        >>> original_name("Songkick concert", "TheClique")
        'songkick_concert_for_theclique'
    """
    return f"{pure_name(api)}_for_{standardize(tool)}"[-MAX_NAME:]


class ServerNames(NamedTuple):
    """Where the original server files a request: folder ``category/tool_folder``, file ``api``."""

    category: str
    tool_folder: str
    api: str


def server_names(category: str, tool: str, api: str) -> ServerNames:
    """Return the names under which the original server keeps the responses to a request.

    Examples:
        >>> server_names("Tools", "Calc Tool", "Add Numbers")
        ServerNames(category='Tools', tool_folder='calc_tool_for_Tools', api='add_numbers')
        >>> server_names("Tools", "calc_tool", "add_numbers_for_calc_tool").api
        'add_numbers'
    """
    category = standardize_category(category)
    suffix = f"_for_{category}"
    folder = tool if tool.endswith(suffix) else standardize(tool) + suffix
    return ServerNames(category, folder, pure_name(api).split(f"_for_{tool}")[0])
