"""Actions as text and as calls: what an agent may write, how it is read, and the canonical way back."""

from stb_env.actions.action import MAX_CALLS, Action, Program, finish_last
from stb_env.actions.finish_arguments import finish_arguments
from stb_env.actions.parse import parse_action, parse_said
from stb_env.actions.plain import MAX_TEXT, MAX_VALUES, exceeds
from stb_env.actions.python_program import read_program
from stb_env.actions.python_text import POSITIONAL
from stb_env.actions.write import format_action

__all__ = [
    "MAX_CALLS",
    "MAX_TEXT",
    "MAX_VALUES",
    "POSITIONAL",
    "Action",
    "Program",
    "exceeds",
    "finish_arguments",
    "finish_last",
    "format_action",
    "parse_action",
    "parse_said",
    "read_program",
]
