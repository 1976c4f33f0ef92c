"""Reads actions of sheet tasks: a program, or a call in any of the general forms."""

from __future__ import annotations

from stb_env.suites.sambanova.common.interpreter.reader import program_reader
from stb_env.suites.sambanova.google_sheets.tools import BY_NAME, NAMES

parse = program_reader(NAMES, known=BY_NAME)
"""Reads a program where the text is one."""

parse_original = program_reader(NAMES, original=True)
"""Takes any text without a call for a program, as the original does, which then does not run."""
