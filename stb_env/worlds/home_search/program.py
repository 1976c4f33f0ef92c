"""Reads actions of home search tasks: a program on ``API``, or calls in any of the general forms."""

from __future__ import annotations

from stb_env.worlds.form.reader import Reader, form_reader, parity_reader
from stb_env.worlds.home_search.world import API

parse: Reader = form_reader(API)
"""Takes a program apart into its calls."""

parse_for_parity: Reader = parity_reader(API)
"""Keeps a program whole, since ToolBench judges it as a whole."""
