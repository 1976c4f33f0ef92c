"""Reads the settings of all roles from the packaged file, a file of the user's, and the environment."""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast, get_type_hints

from typing_extensions import TypedDict

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.user_tables import check_names, checked, key_hint
from stb_env.errors import ConfigError, did_you_mean
from stb_env.models.config import ModelConfig
from stb_env.models.listed_price import listed_price
from stb_env.usage import Price

ROLES = ("agent", "simulator", "judge", "user")
PARTS = ("domain", "api", "query", "caller", "tester", "single")
"""Roles of the data synthesis. Each is played by the agent, except for what is set for it alone."""
_log = logging.getLogger(__name__)
GGUF = ".gguf"
"""Ending of a file that stands in a models file's place: its model plays every role."""


class _Model(TypedDict, total=False):
    model: str
    base_url: str
    api_key_env: str
    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    timeout: float
    chunk_timeout: float
    deadline: float
    retries: int
    concurrency: int
    stream: bool
    client: str
    cache: str
    record: str
    replay: str
    structured: str
    local: str
    context: int
    threads: int
    extra: JsonObject
    price: Any
    provider: str
    headers: dict[str, str]
    query: dict[str, str]
    drop: list[str]


class _Models(TypedDict, total=False):
    models: dict[str, _Model]
    prices: JsonObject


_READERS: Mapping[str, Callable[[str], str | int | float]] = {
    name: kind for name, kind in get_type_hints(_Model).items() if kind in (str, int, float)
}


def load_models(
    path: Path | str | None = None, env: Mapping[str, str] = os.environ
) -> Mapping[str, ModelConfig]:
    """Return the configuration of every role, and of those parts of it that are set apart.

    Args:
        path: A models file (TOML) with the same form as the packaged ``models.toml``; its settings
            replace the packaged ones. Or a GGUF file, whose model then plays every role in this process.
        env: Where variables like ``STB_AGENT_MODEL`` or ``STB_JUDGE_BASE_URL`` are looked up; they
            replace both.

    Raises:
        ConfigError: The file cannot be read, or something in it or in the environment is unknown or wrong.

    Examples:
        >>> models = load_models(env={"STB_AGENT_MODEL": "tiny", "STB_AGENT_BASE_URL": "http://127.0.0.1:1/v1"})
        >>> sorted(models), models["agent"].model, models["agent"].key_variable
        (['agent', 'judge', 'simulator', 'user'], 'tiny', '')
    """
    files = [_packaged()] if path is None else [_packaged(), _user_file(Path(path))]
    prices = {name: price for file in files for name, price in file.get("prices", {}).items()}
    settings = {role: _settings(role, files, env) for role in (*ROLES, *PARTS)}
    if path is not None:
        _check_prices(path, files[-1].get("prices", {}), prices, [*settings.values()])
    for part in PARTS:
        apart = settings.pop(part)
        if apart:
            settings[part] = settings["agent"] | apart
    return MappingProxyType({role: _config(role, dict(own), prices) for role, own in settings.items()})


def given_settings(
    role: str, path: Path | str | None = None, env: Mapping[str, str] = os.environ
) -> dict[str, object]:
    """Return the settings of a role that somebody chose: those of a models file and of the environment.

    Args:
        role: The role.
        path: Models file; None for none.
        env: Where variables are looked up.

    Raises:
        ConfigError: The file cannot be read, or something in it or in the environment is unknown or wrong.

    Examples:
        >>> given_settings("judge", env={"STB_JUDGE_TEMPERATURE": "0.7"})
        {'temperature': 0.7}
    """
    return _settings(role, [] if path is None else [_user_file(Path(path))], env)


def _settings(role: str, files: Iterable[_Models], env: Mapping[str, str]) -> dict[str, object]:
    settings: JsonObject = {}
    for file in files:
        settings |= file.get("models", {}).get(role, {})
    return settings | _from_environment(role, env)


def _named(settings: Mapping[str, object]) -> str:
    # Beside weights the name is that of the packaged model, whose price is another's.
    return "" if settings.get("local") else str(settings.get("model", ""))


def _check_prices(
    path: Path | str, own: JsonMapping, prices: JsonMapping, roles: Sequence[Mapping[str, object]]
) -> None:
    """Warn of a price for no role's model whose name is nearly that of a model without a price."""
    models = {_named(role) for role in roles}
    unpriced = {_named(role) for role in roles if "price" not in role} - {"", *prices}
    for name in own:
        near = did_you_mean(name, unpriced) if name not in models else ""
        if near:
            _warn(f"[prices] in the models file {path} has {name!r}, and no role has that model.{near}")


@cache
def _warn(message: str) -> None:
    _log.warning(message)


def _config(role: str, settings: JsonObject, prices: JsonMapping) -> ModelConfig:
    price = settings.pop("price", None) or prices.get(_named(settings))
    config = ModelConfig(role, **settings, price=_price(role, price))
    if config.price is not None or config.replay:
        return config
    return replace(config, price=listed_price(config.provider, config.endpoint, config.model))


def _price(role: str, price: object) -> Price | None:
    if price is None:
        return None
    needed = {"prompt", "completion"}
    if isinstance(price, Mapping) and needed <= set(price) <= needed | {"cached"}:
        numbers = {name: float(value) for name, value in price.items() if _is_amount(value)}
        if len(numbers) == len(price):
            return Price(**numbers)
    raise ConfigError(
        f"the price of the {role} model must be {{ prompt = ..., completion = ... }}, with cached = ... "
        f"where cached tokens cost less, in dollars per million tokens, got {price!r}"
    )


def _is_amount(value: object) -> bool:
    return type(value) in (int, float) and 0 <= cast(float, value) < float("inf")


@cache
def _packaged() -> _Models:
    text = (resources.files("stb_env.models") / "models.toml").read_text(encoding="utf-8")
    return cast(_Models, tomllib.loads(text))


def _user_file(path: Path) -> _Models:
    if path.suffix.lower() == GGUF:
        return {"models": {role: {"local": str(path)} for role in ROLES}}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read the models file {path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"the models file {path} is not TOML: {error}") from error
    models = checked(_Models, data, f"the models file {path}")
    check_names(f"[models] in the models file {path}", models.get("models", {}), (*ROLES, *PARTS))
    for role, own in models.get("models", {}).items():
        if "@" in own.get("base_url", "").partition("://")[2].partition("/")[0]:
            raise ConfigError(
                f"base_url of [models.{role}] in the models file {path} holds a user name or password; leave "
                f"base_url out and set the variable STB_{role.upper()}_BASE_URL, since secrets stay in the "
                "environment"
            )
    for name, price in models.get("prices", {}).items():
        _price(name, price)
    return models


def _from_environment(role: str, env: Mapping[str, str]) -> dict[str, object]:
    prefix = f"STB_{role.upper()}_"
    settings: JsonObject = {}
    for variable in sorted(env):
        name = variable.removeprefix(prefix).lower()
        if not variable.startswith(prefix) or not env[variable]:
            continue
        if name not in _READERS:
            known = [prefix + setting.upper() for setting in _READERS]
            raise ConfigError(f"no setting {variable!r}{key_hint(variable)}.{did_you_mean(variable, known)}")
        settings[name] = _read(variable, env[variable], _READERS[name])
    return settings


def _read(variable: str, text: str, reader: Callable[[str], str | int | float]) -> str | int | float:
    try:
        return reader(text)
    except ValueError:
        noun = "a whole number" if reader is int else "a number"
    raise ConfigError(f"{variable} must be {noun}, got {text!r}")
