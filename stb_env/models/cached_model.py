"""A model with an on-disk cache of its answers: one file an answer, written atomically."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

from stb_env.core import jsontext
from stb_env.core.checksums import check_line, sealed
from stb_env.core.files import write_text
from stb_env.core.request import Request, Slow
from stb_env.errors import DataError, StorageError
from stb_env.models.chat import ChatReply, ChatRequest, digest
from stb_env.models.model import ChatModel, ModelError, WrappedModel, ask


class CachedModel(WrappedModel):
    """Answers equal requests from disk, so that asking again is free and gives the same.

    The key covers the request with its index and everything in the model's fingerprint: name, endpoint
    and configured sampling. Failures are never stored. Any number of processes may share the folder, and
    one that is killed leaves no half answer: a file is renamed into place when it is complete.

    Args:
        model: Answers what is not stored yet.
        folder: Where answers are stored; made on the first store.

    Attributes:
        hits: Answers that came from disk.
        misses: Answers that the model gave.

    Examples:
        >>> import tempfile
        >>> from stb_env.models import ScriptedModel
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model = CachedModel(ScriptedModel(["yes"]), Path(folder))
        ...     [model.complete(ChatRequest.of("Is it?")).text for _ in range(3)], model.hits, model.misses
        (['yes', 'yes', 'yes'], 2, 1)
    """

    def __init__(self, model: ChatModel, folder: Path | str) -> None:
        super().__init__(model)
        self.folder = Path(folder)
        self.hits = 0
        self.misses = 0
        self._lock = threading.Lock()

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Return the stored answer, or ask the model inside and store what it says."""
        path = self._path(request)
        reply = _read(path)
        with self._lock:
            self.hits += reply is not None
            self.misses += reply is None
        if reply is not None:
            return reply
        fresh: ChatReply = yield ask(self.model, request)
        yield Request(run=partial(self._write, path, fresh))
        return fresh

    def _path(self, request: ChatRequest) -> Path:
        key = digest([self.fingerprint, request.to_dict()])
        return self.folder / key[:2] / f"{key}.json"

    def _write(self, path: Path, reply: ChatReply) -> None:
        noted = {"key": path.stem, "fingerprint": self.fingerprint, "reply": reply.to_dict()}
        text = sealed(jsontext.dumps(noted))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, text)
        except (OSError, StorageError) as error:
            reason = error if isinstance(error, OSError) else error.__cause__
            failure = f"cannot store a model answer: {getattr(reason, 'strerror', error)} ({path.parent})"
        else:
            return
        raise ModelError(f"{failure}; free space or choose another folder", stage="cache")


def _read(path: Path) -> ChatReply | None:
    try:
        text = path.read_text(encoding="utf-8")
        data = jsontext.loads(text)
        check_line(text, data)
        return ChatReply.from_dict(data["reply"]) if data.get("key", path.stem) == path.stem else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, DataError):
        # A damaged entry is as good as none: the answer is asked for anew and replaces it.
        return None
