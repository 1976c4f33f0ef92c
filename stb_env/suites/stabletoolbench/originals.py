"""The original's texts, read from a copy of its repository that the user has; none of them is ours to ship.

Python files are parsed and never run. Which names hold the texts is known from the published code; where a
copy keeps them does not matter.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError, DataError
from stb_env.tools import FINISH

FOLDER = "originals"
"""Folder of fetched data that holds the copy (`stb-env data fetch stabletoolbench`)."""

EVALUATOR = "tooleval_gpt-3.5-turbo_default"
"""The evaluator that the published numbers were made with."""

_CONSTANTS = {
    "system": "FORMAT_INSTRUCTIONS_SYSTEM_FUNCTION",
    "user": "FORMAT_INSTRUCTIONS_USER_FUNCTION",
    "diversity": "DIVERSITY_PROMPT",
    "ranking": "LLM_PAIRWISE_RANK_SUBFIX_SYSTEM_PROMPT",
    "ranking_user": "LLM_PAIRWISE_RANK_USER_PROMPT",
}
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Originals:
    """The texts of the original's inference, each with its ``{places}``.

    Attributes:
        system: System message, with ``{task_description}``.
        user: First user message, with ``{input_description}``.
        task: Beginning of the task description; the tools follow it.
        finish: The Finish function.
        diversity: What a tree search says at a node with children, with ``{previous_candidate}``.
        former: What stands around the observation that it repeats.
        ranking: System message of a ranking, with the task and both candidates.
        ranking_user: User message of a ranking.
    """

    system: str
    user: str
    task: str
    finish: JsonObject
    diversity: str
    former: tuple[str, str]
    ranking: str
    ranking_user: str

    @property
    def hash(self) -> str:
        """SHA-256 hex digest of all of it, for manifests."""
        return hashlib.sha256(repr(sorted(asdict(self).items())).encode("utf-8", "surrogatepass")).hexdigest()


def read_originals(folder: str | Path) -> Originals:
    """Read the texts from a copy of the original's repository, or from the part of it that holds inference.

    Args:
        folder: The copy.

    Raises:
        ConfigError: There is no such folder.
        DataError: It lacks a text; the message says which.
    """
    path = Path(folder)
    if not path.is_dir():
        raise ConfigError(
            f"{folder} is no folder; give a copy of the StableToolBench repository, or fetch one with "
            "`stb-env data fetch stabletoolbench`"
        )
    return _read(path.resolve())


def find_originals(data: str | Path) -> Path | None:
    """Return the copy that was fetched with query files, or None.

    Args:
        data: A data folder, or query files within it.
    """
    path = Path(data).resolve()
    places = (place / FOLDER for place in (path, *path.parents[:3]))
    return next((place for place in places if place.is_dir()), None)


def find_evaluator(folder: str | Path, name: str = EVALUATOR) -> Path:
    """Return an evaluator's folder in a copy of the original's repository.

    Raises:
        DataError: It has none of that name; the message names those that it has.
    """
    found = {file.parent.name: file.parent for file in sorted(Path(folder).rglob("template.txt"))}
    if name not in found:
        known = ", ".join(sorted(found)) or "none"
        raise DataError(f"{folder} has no evaluator {name!r}; evaluators there: {known}")
    return found[name]


@lru_cache(maxsize=4)
def _read(folder: Path) -> Originals:
    found = _Found()
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(_parsed(file)):
            found.see(node)
    missing = [name for name in ("task", "finish", *_CONSTANTS) if name not in found.texts | found.objects]
    if missing:
        named = ", ".join(f"{name} ({_CONSTANTS[name]})" if name in _CONSTANTS else name for name in missing)
        raise DataError(f"{folder} lacks texts of the original's inference: {named}; is it a whole copy?")
    texts = {name: found.texts[name] for name in ("task", *_CONSTANTS)}
    return Originals(finish=found.objects["finish"], former=found.former, **texts)


class _Found:
    """The texts seen so far; of several texts of one name the first counts."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.objects: dict[str, JsonObject] = {}
        self.former = ("", "\n")

    def see(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assigned(target, node.value)
        elif isinstance(node, ast.Dict):
            self._finish(node)
        elif isinstance(node, ast.FunctionDef) and _mentions(node, _CONSTANTS["diversity"]):
            self.former = next(_around_observation(node), self.former)

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        text = _text(value)
        if text is None:
            return
        if isinstance(target, ast.Attribute) and target.attr == "task_description":
            self.texts.setdefault("task", text)
        for name, constant in _CONSTANTS.items():
            if isinstance(target, ast.Name) and target.id == constant:
                self.texts.setdefault(name, text)

    def _finish(self, node: ast.Dict) -> None:
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        if "name" not in keys or "parameters" not in keys:
            return
        try:
            function = ast.literal_eval(node)
        except ValueError:
            return
        if function["name"] == FINISH:
            self.objects.setdefault("finish", function)


def _parsed(file: Path) -> ast.AST:
    if file.stat().st_size > _LARGEST:
        return ast.Module([], [])
    try:
        return ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Not one of the files that are looked for: those are Python.
        return ast.Module([], [])


def _text(node: ast.expr) -> str | None:
    """Return a text that is written out, be it in pieces; None for anything that would have to be run."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            pieces = [_text(part) for part in parts]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            pieces = [_text(left), _text(right)]
        case _:
            return None
    return None if None in pieces else "".join(piece for piece in pieces if piece)


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def _around_observation(node: ast.AST) -> Iterator[tuple[str, str]]:
    for part in ast.walk(node):
        match part:
            case ast.JoinedStr(
                values=[before, ast.FormattedValue(value=ast.Attribute(attr="observation")), *after]
            ):
                yield _text(before) or "", "".join(_text(one) or "" for one in after)


def places(text: str, fields: Mapping[str, str]) -> str:
    """Return a text with its ``{places}`` filled in one pass, so that no value is read as a place.

    Examples:
        >>> places("{a}, {b} and {c}", {"a": "{b}", "b": "B"})
        '{b}, B and {c}'
    """
    parts, rest = [], text
    while rest:
        found = [(rest.find("{" + name + "}"), name) for name in fields]
        at, name = min(((at, name) for at, name in found if at >= 0), default=(-1, ""))
        if at < 0:
            break
        parts += [rest[:at], fields[name]]
        rest = rest[at + len(name) + 2 :]
    return "".join([*parts, rest])
