"""Reads actions of home search tasks: a program on ``API``, or calls in any of the general forms."""

from __future__ import annotations

from stb_env.suites.sambanova.common.form.reader import Reader, form_reader, original_reader
from stb_env.suites.sambanova.home_search.world import API

parse: Reader = form_reader(API)
"""Takes a program apart into its calls."""

parse_original: Reader = original_reader(API)
"""Keeps a program whole, since the original judges it as a whole."""
