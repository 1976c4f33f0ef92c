"""llama.cpp in this process, through the xllamacpp package, which is imported when it is first needed."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import secrets
import threading
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.models.failure import status_failure
from stb_env.models.model import ModelError

MAGIC = b"GGUF"

_LOADING = threading.Lock()
_HELLO = [{"role": "user", "content": "Hello"}]
_TOOL = {
    "type": "function",
    "function": {"name": "greet", "parameters": {"type": "object", "properties": {}}},
}


class Engine:
    """The weights of one file, loaded at the first question, which answer one question at a time.

    Args:
        file: GGUF file.
        context: Tokens in view; 0 for as many as the file says.
        threads: Threads that compute; 0 for one per core.
    """

    def __init__(self, file: Path, context: int = 0, threads: int = 0) -> None:
        self.file = file
        self.context = context
        self.threads = threads
        self._lock = threading.RLock()

    def complete(self, body: Mapping[str, object]) -> JsonObject:
        """Answer the body of a chat completion request with one of a chat completion.

        Raises:
            ConfigError: The file cannot be loaded.
            ModelError: The engine does not accept the request; kind ``context`` where it is too long.
        """
        with self._lock:
            server = self._server
            try:
                answer: JsonObject = server.handle_chat_completions(dict(body))
            except (ValueError, RuntimeError) as error:
                failure = ModelError(f"llama.cpp does not accept the request: {error}")
            else:
                if "error" not in answer:
                    return answer
                failure = status_failure(int(answer["error"].get("code") or 400), answer)
        raise failure

    @cached_property
    def reads_tools(self) -> bool:
        """True if the file's chat template shows the model its tools."""
        asked = {"messages": _HELLO, "max_tokens": 1, "temperature": 0.0}
        with self._lock:
            plain, tooled = self.complete(asked), self.complete({**asked, "tools": [_TOOL]})
        return bool(tooled["usage"]["prompt_tokens"] > plain["usage"]["prompt_tokens"])

    @cached_property
    def sha256(self) -> str:
        """SHA-256 hex digest of the file."""
        with self.file.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @cached_property
    def _server(self) -> Any:
        library = llama_cpp()
        settings = library.CommonParams()
        settings.model.path = str(self.file)
        # What the engine would say of itself is the path.
        settings.model_alias = {self.file.name}
        settings.n_ctx = self.context
        if self.threads:
            settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = self.threads
        settings.n_parallel = 1
        settings.cache_ram_mib = 0
        settings.verbosity = 0
        # The library listens at a port of 127.0.0.1 besides; nobody is told the key.
        settings.api_keys = [secrets.token_hex()]
        try:
            return library.Server(settings)
        except RuntimeError as error:
            raise ConfigError(
                f"llama.cpp cannot load {self.file}; is it whole, and a language model?"
            ) from error


def load_engine(path: str, context: int | None = None, threads: int | None = None) -> Engine:
    """Return the engine of a file; the roles of a process that play the same file share one.

    Raises:
        ConfigError: There is no such file, it is no GGUF file, or the package is missing.

    Examples:
        >>> load_engine("models.toml")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: cannot read the weights models.toml: No such file or directory
    """
    try:
        # A link keeps its name: what it leads to is often named by a hash.
        file = Path(path).expanduser().absolute()
        with file.open("rb") as content:
            magic = content.read(len(MAGIC))
    except OSError as error:
        raise ConfigError(f"cannot read the weights {path}: {os.strerror(error.errno or 0)}") from error
    if magic != MAGIC:
        raise ConfigError(f"{path} is no GGUF file; local names the weights of a model in llama.cpp's format")
    if importlib.util.find_spec("xllamacpp") is None:
        raise _missing()
    with _LOADING:
        return _engine(file, context or 0, threads or 0)


@cache
def _engine(file: Path, context: int, threads: int) -> Engine:
    return Engine(file, context, threads)


def llama_cpp() -> ModuleType:
    """Return the xllamacpp package.

    Raises:
        ConfigError: It is not installed.
    """
    try:
        return importlib.import_module("xllamacpp")
    except ImportError as error:
        raise _missing() from error


def _missing() -> ConfigError:
    return ConfigError("a local model needs llama.cpp: pip install 'stb-env[local]'")
