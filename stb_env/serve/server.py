"""Runs the application: in this process, or in several that share a port."""

from __future__ import annotations

import logging
import math
import signal
import socket
import sys
from contextlib import closing
from pathlib import Path

import uvicorn

from stb_env.errors import ConfigError
from stb_env.serve.app import create_app
from stb_env.serve.operations import log
from stb_env.serve.operations.one_write import OneWriteProtocol
from stb_env.serve.operations.stop import Stop, StoppingServer
from stb_env.serve.settings import ServeSettings
from stb_env.serve.watchdog import watch
from stb_env.serve.workers import Workers

_BACKLOG = 2048
_GIVE_WAY_S = 0.001
_LOG = logging.getLogger("stb_env.serve")


def run(settings: ServeSettings) -> None:
    """Serve until told to stop.

    Args:
        settings: What the operator decided.

    Raises:
        ConfigError: The address cannot be had, or a setting is wrong.
    """
    with closing(listen(settings.host, settings.port)) as listener:
        if settings.workers == 1:
            work(settings, listener)
        else:
            # What is wrong with the settings is found here, once, and not by every worker.
            create_app(settings)
            start_log(settings)
            Workers(work, settings, listener).run()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        ConfigError: The address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror}; take another --port") from error
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    return listener


def work(settings: ServeSettings, listener: socket.socket) -> None:
    """Serve in this process, whose main thread this must be."""
    watch()
    start_log(settings)
    # A thread that plays a long step gives way to the event loop so soon.
    sys.setswitchinterval(_GIVE_WAY_S)
    stop = Stop()
    config = uvicorn.Config(
        create_app(settings, stop),
        http=OneWriteProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=_BACKLOG,
        ws_max_size=settings.limits.body,
        timeout_graceful_shutdown=math.ceil(settings.limits.drain),
    )
    host, port = listener.getsockname()[:2]
    _LOG.info("listening", extra={"fields": {"host": host, "port": port}})
    # uvicorn raises the signal that stopped it once more, when all is done.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    StoppingServer(config, stop).run(sockets=[listener])
    _LOG.info("stopped")


def start_log(settings: ServeSettings) -> None:
    """Begin the log as the settings say."""
    log.start(settings.log_level, Path(settings.log_file) if settings.log_file else None)
