"""Conversations with models as files: recorded once, replayed without a model."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from stb_env.core import jsontext
from stb_env.core.checksums import check_line, seal_of, sealed
from stb_env.core.files import lock
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Request, Slow
from stb_env.errors import ConfigError, DataError
from stb_env.http.retry import Clock
from stb_env.models.chat import ChatReply, ChatRequest, digest
from stb_env.models.model import ChatModel, ModelError, WrappedModel, ask

# One for all: several models of a process may write to the same file.
_WRITING = threading.Lock()
# Bytes of which the last ones of a file are the checksum of its last line.
_TAIL = 100


class RecordingModel(WrappedModel):
    """Appends every request with its reply or failure to a file of JSON lines, synced line by line.

    A line also says what decided the answer (model, endpoint, sampling), which attempts failed before it
    and how long each of them was waited after, when it was asked for and how long it took. It ends with the
    checksum of the line before it, empty where there is none, and its own: lines that were changed, moved or
    left out are noticed, and recordings one behind the other are a recording. A refusal for want of budget
    is left out: no one was asked. One process writes a file at a time; its threads may share
    the model, or have one each.

    Args:
        model: Answers.
        file: Where the lines go; made with its folder where missing. A last line that a killed process
            left incomplete is cut off.
        clock: Tells the time.
    """

    def __init__(self, model: ChatModel, file: Path | str, clock: Clock | None = None) -> None:
        super().__init__(model)
        self._clock = clock or Clock()
        self.file = Path(file)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with _WRITING:
            _cut_torn_line(self.file)

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Ask the model inside and record what it says, or why it says nothing."""
        asked, start = self._clock.wall(), self._clock.monotonic()
        outcome: JsonObject
        try:
            reply: ChatReply = yield ask(self.model, request)
        except ModelError as error:
            if error.kind == "budget":
                raise
            outcome = {"failure": error.to_dict()}
            outcome |= _tried(error.tries)
            yield Request(run=partial(self._append, request, outcome, asked, start))
            raise
        outcome = {"reply": reply.to_dict()} | _tried(reply.tries)
        yield Request(run=partial(self._append, request, outcome, asked, start))
        return reply

    def _append(
        self, request: ChatRequest, outcome: Mapping[str, object], asked: float, start: float
    ) -> None:
        line = {
            "model": self.name,
            "fingerprint": self.fingerprint,
            "request": request.to_dict(),
            **outcome,
            "asked": round(asked, 3),
            "seconds": round(self._clock.monotonic() - start, 6),
        }
        try:
            with _WRITING, self.file.open("ab+") as file:
                lock(file.fileno())
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
                line["after"] = seal_of(file.read().rstrip(b"\n"))
                file.write(sealed(jsontext.dumps(line)).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            failure = f"cannot record a model answer: {error.strerror} ({self.file})"
        else:
            return
        raise ModelError(f"{failure}; free space or choose another file", stage="recording")


def _tried(tries: Sequence[Mapping[str, object]]) -> dict[str, object]:
    return {"tries": [dict(one) for one in tries]} if tries else {}


def _cut_torn_line(file: Path) -> None:
    if not file.exists():
        return
    with file.open("rb+") as lines:
        content = lines.read()
        lines.truncate(content.rfind(b"\n") + 1)


class ReplayModel:
    """Answers from a recording: equal requests get their replies, and failures, in the recorded order.

    Args:
        file: What a `RecordingModel` wrote.
        name: Name of the model.

    Raises:
        ConfigError: There is no such file.
        DataError: A line is not a recorded pair.
    """

    def __init__(self, file: Path | str, name: str = "replay") -> None:
        self.name = name
        self.file = Path(file)
        self._lock = threading.Lock()
        self._replies: defaultdict[str, list[ChatReply | JsonObject]] = defaultdict(list)
        self._used: defaultdict[str, int] = defaultdict(int)
        before = b""
        for number, line in enumerate(self._lines(), 1):
            key, reply = self._pair(line, number, before)
            self._replies[key].append(reply)
            before = line

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the next recorded reply to this request.

        Raises:
            ModelError: The request was not recorded, or not as often as it is asked (kind ``cache_miss``); or
                it failed when it was recorded.
        """
        key = request.key
        with self._lock:
            replies, used = self._replies.get(key, []), self._used[key]
            self._used[key] += 1
        if used < len(replies):
            said = replies[used]
            if isinstance(said, ChatReply):
                return said
            raise ModelError.from_dict(said)
        times = (
            f"it was recorded {len(replies)} times and asked {used + 1}" if replies else "it is not in there"
        )
        message = f"no recorded reply to this request in {self.file.name}: {times}; record again with a model"
        raise ModelError(message, kind="cache_miss", stage="replay")

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        """Return the next recorded reply; it is there at once."""
        return self.complete(request)

    def _lines(self) -> list[bytes]:
        try:
            content = self.file.read_bytes()
        except OSError as error:
            raise ConfigError(
                f"cannot read the recording {self.file}: {error.strerror}; record one first"
            ) from error
        # Without its newline a last line is one that a killed process left incomplete.
        return content.split(b"\n")[:-1]

    def _pair(self, line: bytes, number: int, before: bytes) -> tuple[str, ChatReply | dict[str, object]]:
        try:
            data = jsontext.loads(line.decode())
            check_line(line.decode(), data)
            # Where a recording begins behind another one, no line is said to be before it.
            if data.get("after", "") not in ("", seal_of(before)) or ("after" in data and line == before):
                raise DataError(
                    "a line before it is missing, was moved or repeated, by the checksum that it has of it; "
                    "put back the file that was there, or record again"
                )
            if "failure" in data:
                # An exception keeps what it was raised with, so each replay needs one of its own.
                return digest(data["request"]), ModelError.from_dict(data["failure"]).to_dict()
            return digest(data["request"]), ChatReply.from_dict(data["reply"])
        except (ValueError, KeyError, TypeError, AttributeError, DataError) as error:
            raise DataError(
                f"line {number} of {self.file} is no recorded request and reply: {error}"
            ) from error
