"""The log: one JSON object a line, without bodies, tokens, keys or the values that an error names."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

_LOGGERS = ("stb_env", "uvicorn")
_FRAMES = 5


class Lines(logging.Formatter):
    """Writes a record as one line of JSON; ``extra={"fields": {...}}`` adds members.

    An exception is told by its class and where it was raised; its message may hold what a client sent.

    Examples:
        >>> record = logging.LogRecord("stb_env", logging.INFO, "", 0, "started", None, None)
        >>> sorted(json.loads(Lines().format(record)))
        ['event', 'level', 'logger', 'time']
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
            line["exception"] = type(error).__name__
            line["where"] = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(line)


class AsIs(logging.Formatter):
    """Takes a record's message for the line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return record.getMessage()


def start(level: str, file: Path | None = None) -> None:
    """Send the log of the server and of what it stands on to stderr, and to a file too.

    Args:
        level: The lowest level that is written; ``info`` has a line for every request.
        file: Appended to.
    """
    for name in _LOGGERS:
        _send(logging.getLogger(name), level, file, Lines())
    _send(logging.getLogger("stb_env.serve.requests"), level, file, AsIs())


def _send(logger: logging.Logger, level: str, file: Path | None, form: logging.Formatter) -> None:
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if file is not None:
        handlers.append(logging.FileHandler(file, encoding="utf-8"))
    for handler in handlers:
        handler.setFormatter(form)
    logger.handlers, logger.propagate = handlers, False
    logger.setLevel(level.upper())
