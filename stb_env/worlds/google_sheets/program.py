"""Reads actions of sheet tasks: a program, or a call in any of the general forms."""

from __future__ import annotations

from stb_env.worlds.google_sheets.tools import NAMES
from stb_env.worlds.interpreter.reader import program_reader

parse = program_reader(NAMES)
"""Reads a program where the text is one."""

parse_for_parity = program_reader(NAMES, parity=True)
"""Takes any text without a call for a program, as ToolBench does, which then does not run."""
