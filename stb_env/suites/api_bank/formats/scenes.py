"""API-Bank's scene texts: what a user wants and knows, and the calls that its author had in mind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from stb_env.actions.python_text import NotDataError, call_of, expression
from stb_env.errors import DataError
from stb_env.tools import ToolCall

_TITLE = re.compile(r"^Scene:[ \t]*(.*)$", re.MULTILINE)
# The label's spelling varies.
_FIRST = re.compile(r"^First Utter[^:\n]*:[ \t]*(.*)$", re.MULTILINE)
_KNOWN = re.compile(r"^Key Info:", re.MULTILINE)
_CALLS = re.compile(r"^[-\s]*(?:GT )?API Calls?:", re.MULTILINE)
_CALL = re.compile(r"^[-\s]*(\w+\(.*\))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene.

    Attributes:
        name: Name of its file.
        title: What it is about.
        first_utterance: What the user says first.
        key_info: What the user knows, as free text.
        calls: The calls, in order; no results are recorded.
        unreadable: Lines among the calls that cannot be read as one.
    """

    name: str
    title: str
    first_utterance: str
    key_info: str
    calls: tuple[ToolCall, ...]
    unreadable: tuple[str, ...] = ()


def read_scenes(folder: str | Path) -> list[Scene]:
    """Read the scenes of a folder, in order of name; other text files are left alone.

    Args:
        folder: ``lv3-samples``, or a folder that holds it.

    Raises:
        DataError: There is no scene.
    """
    root = Path(folder)
    files = [root] if root.is_file() else sorted(root.rglob("*.txt"))
    texts = [(file.stem, file.read_text(encoding="utf-8")) for file in files]
    scenes = [read_scene(name, text) for name, text in texts if _FIRST.search(text)]
    if not scenes:
        raise DataError(f"{root} holds no scenes; give the folder lv3-samples with its .txt files")
    return scenes


def read_scene(name: str, text: str) -> Scene:
    r"""Read one scene.

    Args:
        name: What to call it.
        text: Its text.

    Raises:
        DataError: It has no first utterance.

    Examples:
        >>> text = 'First Utterance: Tea, please.\nKey Info:\n- cup: 2\nAPI Calls:\nBrew(cups=2): tea'
        >>> scene = read_scene("tea", text)
        >>> scene.first_utterance, scene.key_info, scene.calls[0].arguments
        ('Tea, please.', '- cup: 2', {'cups': 2})
    """
    first = _FIRST.search(text)
    if first is None:
        raise DataError(f"scene {name} has no line that begins with 'First Utterance:'")
    title, known, header = _TITLE.search(text), _KNOWN.search(text), _CALLS.search(text)
    end = header.start() if header else len(text)
    info = text[known.end() : end].strip() if known else ""
    calls: list[ToolCall] = []
    unreadable = []
    for line in _CALL.findall(text[header.end() :]) if header else ():
        try:
            calls.append(call_of(expression(line), lambda word: word))
        except NotDataError:
            unreadable.append(line)
    return Scene(
        name, title[1].strip() if title else name, first[1].strip(), info, tuple(calls), tuple(unreadable)
    )
