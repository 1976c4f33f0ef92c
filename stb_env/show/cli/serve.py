"""``stb-env serve``: environments, tools and the virtual API over the network."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, NamedTuple

import typer

from stb_env.console import options
from stb_env.console.output import console, reporting
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.options import EnvironmentOptions
from stb_env.errors import ConfigError
from stb_env.runs.driven import DrivenEpisode
from stb_env.serve.openenv.package import write_package
from stb_env.serve.settings import Limits, ServeSettings
from stb_env.suites.stabletoolbench.server_config import OriginalPlace, ServerConfig, taken_over


class Level(StrEnum):
    """Level of the log."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Server(StrEnum):
    """Original server to reproduce in place of ours."""

    ORIGINAL = "original"


Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID]...", help="Environment ids to serve; all that are registered where not given."
    ),
]
Host = Annotated[str, typer.Option("--host", help="Address to listen on; any but loopback needs a token.")]
Port = Annotated[
    int | None,
    typer.Option("--port", min=0, max=65_535, help="Port to listen on, 8000 by default; 0 for a free one."),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", help="config.yml of an original server, whose place this one takes."),
]
Compat = Annotated[
    Server | None,
    typer.Option(
        "--compat", help="original: the virtual API is that server itself, defects included; with --config."
    ),
]
Cors = Annotated[
    list[str] | None,
    typer.Option("--cors", help="Web origin whose pages may ask; repeatable."),
]
Answers = Annotated[
    bool,
    typer.Option("--answers", help="Let clients have what solves a task, for gold agents alone."),
]
LogLevel = Annotated[
    Level, typer.Option("--log-level", help="Lowest level in the log; info has a line for every request.")
]
LogFile = Annotated[Path | None, typer.Option("--log-file", help="File that the log is appended to as well.")]
Workers = Annotated[
    int, typer.Option("--workers", min=1, help="Processes that share the port and the cache.")
]
TokenEnv = Annotated[
    str | None, typer.Option("--token-env", help="Environment variable with the token of clients.")
]
Stdio = Annotated[
    bool,
    typer.Option("--stdio", help="Play one episode of ID with the MCP client that started this process."),
]
Task = Annotated[
    str | None, typer.Option("--task", help="With --stdio: task to play; drawn by --seed where not given.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="With --stdio: seed of the episode.")]
Package = Annotated[
    Path | None,
    typer.Option(
        "--openenv-package", help="Write the folder that OpenEnv builds a server of ID from; serve not."
    ),
]
TokenFile = Annotated[Path | None, typer.Option("--token-file", help="File with the token of clients.")]


@reporting
def serve(
    *,
    environment: EnvironmentOptions,
    ids: Ids = None,
    host: Host = "127.0.0.1",
    port: Port = None,
    workers: Workers = 1,
    token_env: TokenEnv = None,
    token_file: TokenFile = None,
    settings: options.Settings = None,
    config: Config = None,
    compat: Compat = None,
    cors: Cors = None,
    limits: Limits,
    answers: Answers = False,
    log_level: LogLevel = Level.INFO,
    log_file: LogFile = None,
    stdio: Stdio = False,
    task: Task = None,
    seed: Seed = 0,
    openenv_package: Package = None,
) -> None:
    """Serve environments, tools and the virtual API until stopped.

    Example: stb-env serve stb/Sandbox-v1 --port 8000
    """
    chosen = environment.given() | options.read_settings(settings)
    if openenv_package is not None:
        _write_package(ids or [], openenv_package)
        return
    if stdio:
        _play_on_stdio(ids or [], chosen, task, seed)
        return
    _needs_extra()
    from stb_env.serve.server import run

    if compat is not None and config is None:
        raise ConfigError(
            "--compat original answers over the original's own folders; name them: --config FILE"
        )
    original = (
        _Original() if config is None else _taken_over(config, environment.cache, as_it_is=compat is not None)
    )
    run(
        ServeSettings(
            ids=tuple(ids or ()),
            env={**original.settings, **chosen},
            host=host,
            port=original.port if port is None else port,
            token=_token(token_env, token_file),
            cors=tuple(cors or ()),
            limits=limits,
            workers=workers,
            answers=answers,
            log_level=log_level.value,
            log_file=str(log_file or original.log_file),
            original=original.place,
        )
    )


def _write_package(ids: list[str], folder: Path) -> None:
    if len(ids) != 1:
        raise ConfigError(f"--openenv-package packs one environment; give one id, got {len(ids)}")
    for file in write_package(ids[0], folder):
        typer.echo(str(file))


class _Original(NamedTuple):
    """Settings from an original server's file, if one is given."""

    settings: JsonMapping = MappingProxyType({})
    port: int = 8000
    log_file: str = ""
    place: OriginalPlace | None = None


def _taken_over(file: Path, cache: str | None, *, as_it_is: bool) -> _Original:
    config = ServerConfig.read(file)
    ours = None if cache is None else Path(cache)
    if config.ignored:
        console.print(f"{file}: passed over, since no original server knows it: {', '.join(config.ignored)}")
    os.environ.update({name: value for name, value in config.environment().items() if name not in os.environ})
    log_file = config.values.get("log_file", "")
    log_file = str(config.folder / log_file) if log_file else ""
    port = config.values.get("port", 12_001 if config.is_mirror else 8080)
    if as_it_is:
        return _Original({}, port, log_file, config.place())
    if config.official_cache is not None:
        ours = taken_over(config.official_cache, ours)
        console.print(f"answers of {config.official_cache} are in {ours}; new ones go there too")
    return _Original(config.settings(ours), port, log_file)


def _play_on_stdio(ids: list[str], settings: Mapping[str, object], task: str | None, seed: int) -> None:
    if len(ids) != 1:
        raise ConfigError(f"--stdio plays one episode of one environment; give one id, got {len(ids)}")
    try:
        from stb_env.serve.mcp import stdio
    except ImportError as error:
        raise ConfigError(
            f"--stdio needs {error.name}, which is not installed here; pip install 'stb-env[mcp]'"
        ) from error
    episode = DrivenEpisode(ids[0], **settings)
    episode.start(task_id=task, seed=seed)
    stdio.run(episode)


def _needs_extra() -> None:
    try:
        import fastapi  # noqa: F401 (asked for before anything else needs it)
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            f"serving needs {error.name}, which is not installed here; pip install 'stb-env[serve]'"
        ) from error


def _token(variable: str | None, file: Path | None) -> str:
    if variable is not None and file is not None:
        raise ConfigError("a token comes from --token-env or from --token-file, not from both")
    if variable is not None:
        return _found(os.environ.get(variable, ""), f"the environment variable {variable}")
    return "" if file is None else _found(file.read_text(encoding="utf-8"), f"the file {file}")


def _found(token: str, place: str) -> str:
    if not token.strip():
        raise ConfigError(f"{place} holds no token; put one there, such as `openssl rand -hex 32` writes")
    return token.strip()
