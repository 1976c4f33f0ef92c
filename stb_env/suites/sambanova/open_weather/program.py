"""Reads actions of weather tasks: a curl command, or a call in any of the general forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from stb_env.actions import Action
from stb_env.suites.sambanova.common.calls import request_calls
from stb_env.suites.sambanova.common.curl.reader import curl_reader
from stb_env.suites.sambanova.open_weather.command import as_command, as_typed
from stb_env.suites.sambanova.open_weather.tools import BY_NAME

parse: Callable[[Any], Action] = curl_reader(as_typed, known=BY_NAME)
"""Reads a command as the typed call that it stands for."""

parse_original: Callable[[Any], Action] = curl_reader(as_command, continued=False)
"""Reads a command as it is, since the original judges its text, and writes typed calls as commands."""

calls: Callable[[str], list[str]] = partial(request_calls, parse, ignored=("appid",))
"""Returns the requests of a program; all of them have the key."""
