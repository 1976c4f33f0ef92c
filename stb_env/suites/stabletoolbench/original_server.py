"""StableToolBench's own virtual server, kept as it was, for the compatibility setting.

Its cache keys depend on the order and spelling of arguments, its failed simulations are stored and served,
and some requests crash it; `VirtualBackend` does none of that. Texts in here reproduce wire strings. What
differs on purpose: a name that would leave the folders is refused, and files are replaced in one piece, one
at a time. A crash is status 500 with no body.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stb_env.backend.taxonomy import accept_real
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import InfrastructureError
from stb_env.suites.stabletoolbench.api_entry import server_names
from stb_env.tools import standardize

FIELDS = ("category", "tool_name", "api_name", "tool_input", "strip", "toolbench_key")
PARSE_ERROR = {"error": "Tool input parse error...\n", "response": ""}
FAILED_SIMULATION = {"error": "Failed to generate fake response", "response": ""}
CHAT_API = "chat_with_user"
EXAMPLES, EXAMPLE_CHARACTERS, ATTEMPTS = 5, 2048, 3

CRASH = (500, None)
INVALID = (422, "validation error")

_FENCE = re.compile(r"```json|```")


class Question(NamedTuple):
    """The request to the simulator.

    Attributes:
        document: Description of the tool and of the API.
        examples: Keys and answers from the cache.
        examples_text: Their Python text, cut as the prompt has it.
        tool_input: The parsed arguments.
    """

    document: JsonMapping
    examples: list[tuple[str, Any]]
    examples_text: str
    tool_input: Any


class RealReply(NamedTuple):
    """Status and body text of the real API's answer."""

    status: int
    text: str


class OriginalServer:
    """Answers requests to ``/virtual`` over the official folders.

    Args:
        cache_folder: ``<Category>/<tool>_for_<Category>/<api>.json``.
        tools_folder: ``<Category>/<tool>.json``, the documents.
        real: Sends the six fields to the real API; raises `InfrastructureError` where it cannot be reached.
        simulate: Asks the model once and returns its text.
        save: Whether new answers are stored.

    Examples:
        >>> import tempfile
        >>> def simulate(question):
        ...     return '{"error": "", "response": "made up"}'
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     server = OriginalServer(folder, folder, lambda body: RealReply(500, ""), simulate)
        ...     names = {"category": "Net", "tool_name": "icmp", "api_name": "ping"}
        ...     server.virtual(dict.fromkeys(FIELDS, "") | names), server.virtual({})
        ((200, {'error': '', 'response': 'made up'}), (422, 'validation error'))
    """

    def __init__(
        self,
        cache_folder: str | os.PathLike[str],
        tools_folder: str | os.PathLike[str],
        real: Callable[[Mapping[str, object]], RealReply],
        simulate: Callable[[Question], str],
        save: bool = True,
    ) -> None:
        self.cache_folder, self.tools_folder = Path(cache_folder), Path(tools_folder)
        self.real, self.simulate, self.save = real, simulate, save
        self._lock = threading.Lock()

    def virtual(self, request: JsonMapping) -> tuple[int, object]:
        """Answer a request.

        Args:
            request: The six fields.

        Returns:
            HTTP status and body.
        """
        if not _is_valid(request):
            return INVALID
        category, folder, api = server_names(request["category"], request["tool_name"], request["api_name"])
        if not all(map(_is_name, (category, folder, api, _document_name(request)))):
            return INVALID
        if api == CHAT_API:
            return CRASH
        try:
            tool_input = _parsed(request["tool_input"])
        except ValueError:
            return 200, dict(PARSE_ERROR)
        file, key = self.cache_folder / category / folder / f"{api}.json", str(tool_input)
        known = _read(file)
        if key in known:
            return 200, known[key]
        try:
            answer = self._ask(request, category, api, tool_input, known)
            if self.save:
                self._store(file, key, answer)
        except (InfrastructureError, json.JSONDecodeError, OSError):
            # The original catches none of them; the second is a real answer that is no JSON.
            return CRASH
        return 200, answer

    def _ask(
        self, request: JsonMapping, category: str, api: str, tool_input: object, known: Mapping[str, object]
    ) -> object:
        reply = self.real(
            {
                "category": category,
                "tool_name": request["tool_name"].split("_for_")[0],
                "api_name": api,
                "tool_input": tool_input,
                "strip": "",
                "toolbench_key": request["toolbench_key"],
            }
        )
        if reply.status == 200:
            answer = json.loads(reply.text)
            if accept_real(answer, taxonomy="paper"):
                return answer
        examples = _examples(known)
        document = self._document(request, category, api)
        question = Question(document, examples, str(examples)[:EXAMPLE_CHARACTERS], tool_input)
        return self._simulated(question)

    def _simulated(self, question: Question) -> object:
        for _ in range(ATTEMPTS):
            text = self.simulate(question)
            if "```json" in text:
                text = _FENCE.sub("", text).strip()
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                continue
        return dict(FAILED_SIMULATION)

    def _document(self, request: Mapping[str, object], category: str, api: str) -> dict[str, object]:
        file = self.tools_folder / category / f"{_document_name(request)}.json"
        tool = _read(file)
        if not tool:
            return {"tool_description": "", "api_info": ""}
        # The file's names lack the prefix of reserved words, so that such an API never finds its document.
        info = [
            {"name": entry["name"], "description": entry.get("description")}
            for entry in tool.get("api_list", ())
            if standardize(entry["name"]) == api
        ]
        return {"tool_description": tool.get("tool_description"), "api_info": info}

    def _store(self, file: Path, key: str, answer: object) -> None:
        with self._lock:
            # Read again: another thread may have stored an answer meanwhile.
            answers = {**_read(file), key: answer}
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_name(f".{file.stem[:200]}.{os.getpid()}.part")
            part.write_text(json.dumps(answers, indent=4), encoding="ascii")
            part.replace(file)


def _is_valid(request: Mapping[str, object]) -> bool:
    texts = all(isinstance(request.get(name), str) for name in FIELDS if name != "tool_input")
    return texts and isinstance(request.get("tool_input"), str | dict)


def _is_name(part: str) -> bool:
    return part not in ("", ".", "..") and not any(char in part for char in "/\\\0")


def _document_name(request: Mapping[str, object]) -> str:
    return standardize(request["tool_name"]).split("_for_")[0]


def _parsed(tool_input: str | dict[str, object]) -> object:
    if not isinstance(tool_input, str):
        return tool_input
    if tool_input == "":
        return {}
    # The depth is checked first, because the key is written by recursion too.
    jsontext.loads(tool_input)
    return json.loads(tool_input)


def _read(file: Path) -> JsonObject:
    """Return a file's object, empty where there is none or it cannot be read."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _examples(known: Mapping[str, object]) -> list[tuple[str, object]]:
    examples = list(known.items())[:EXAMPLES]
    while len(examples) > 1 and len(str(examples)) > EXAMPLE_CHARACTERS:
        examples.pop()
    return examples
