"""Evaluator folders, as the code of Guo et al., 2024, has them: ``config.yaml`` beside ``template.txt``."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import Any

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError, DataError, did_you_mean

CONFIG, TEMPLATE = "config.yaml", "template.txt"

_BLOCK = re.compile(r"<(function|message)>(.*?)</\1>", re.DOTALL)
_TAGS: Mapping[str, tuple[str, str]] = {"function": ("name", "description"), "message": ("role", "content")}


@dataclass(frozen=True, slots=True)
class EvaluatorTemplate:
    """The prompts of an evaluator, with Python format fields.

    Attributes:
        prompts: User message by function name.
        messages: Chat template of evaluators that have one: (role, content) pairs.
    """

    prompts: Mapping[str, str] = field(default_factory=dict)
    messages: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluatorFiles:
    """An evaluator folder as read.

    Attributes:
        name: The evaluator's name.
        settings: ``completions_kwargs`` without its functions: model, max_tokens, temperature ...
        functions: JSON schemas in OpenAI's old flat form, by name.
        template: The prompts.
    """

    name: str
    settings: JsonMapping
    functions: Mapping[str, JsonMapping]
    template: EvaluatorTemplate


def read_template(text: str) -> EvaluatorTemplate:
    r"""Read the tag pairs of a template; it is no XML, and whatever stands outside of them is ignored.

    Raises:
        DataError: There is no block, or one lacks a part.

    Examples:
        >>> text = "<function><name>check</name><description>Is {x}?\n</description></function>"
        >>> read_template(text).prompts
        {'check': 'Is {x}?\n'}
        >>> read_template("<message><role>user</role><content>Hi</content></message>").messages
        (('user', 'Hi'),)
    """
    prompts: dict[str, str] = {}
    messages: list[tuple[str, str]] = []
    for block in _BLOCK.finditer(text):
        head, body = (_inner(block[2], tag, block[1]) for tag in _TAGS[block[1]])
        if block[1] == "function":
            prompts[head.strip()] = body
        else:
            messages.append((head.strip(), body))
    if not prompts and not messages:
        raise DataError("the template holds neither <function> nor <message> blocks")
    return EvaluatorTemplate(prompts, tuple(messages))


def _inner(block: str, tag: str, kind: str) -> str:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", block, re.DOTALL)
    if found is None:
        raise DataError(f"a <{kind}> block of the template has no <{tag}>: {block.strip()[:80]!r}")
    return found[1]


def fill(template: str, fields: Mapping[str, str]) -> str:
    """Fill the format fields of a template; values are inserted as they are, braces and all.

    Only plain names are taken: a field that reaches into attributes or items is refused.

    Raises:
        DataError: The template is malformed or names a field that is not given.

    Examples:
        >>> fill("{{ {query} }}", {"query": "{answer}?"})
        '{ {answer}? }'
        >>> fill("{query.__class__}", {"query": ""})
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: {query.__class__} is no field that this template can have; it takes query.
    """
    parts = []
    for literal, name, spec, conversion in _parsed(template):
        parts.append(literal)
        if name is None:
            continue
        if name not in fields or spec or conversion:
            takes = ", ".join(fields) or "none"
            near = did_you_mean(name, fields)
            raise DataError(f"{{{name}}} is no field that this template can have; it takes {takes}.{near}")
        parts.append(fields[name])
    return "".join(parts)


def _parsed(template: str) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(Formatter().parse(template))
    except ValueError as error:
        raise DataError(f"the template has an unpaired brace ({error}); double literal ones") from error


def read_evaluator(folder: str | Path) -> EvaluatorFiles:
    """Read an evaluator folder as it was published.

    Args:
        folder: Holds ``config.yaml`` and the template that it names.

    Raises:
        ConfigError: The folder has no configuration, or reading YAML needs the extra ``evaluators``.
        DataError: A file is not what the format promises.
    """
    folder = Path(folder)
    config = _mapping(_yaml(folder / CONFIG), f"{folder / CONFIG}")
    settings = dict(_mapping(config.get("completions_kwargs"), f"completions_kwargs of {folder / CONFIG}"))
    functions = {}
    for item in settings.pop("functions", None) or ():
        function = _mapping(item, f"a function of {folder / CONFIG}")
        functions[str(function.get("name"))] = function
    if not functions:
        raise DataError(f"{folder / CONFIG} lists no functions under completions_kwargs")
    template = str(config.get("prompt_template") or TEMPLATE)
    if Path(template).name != template:
        raise DataError(f"prompt_template must be a file name in {folder}, got {template!r}")
    return EvaluatorFiles(
        str(config.get("evaluator_name") or folder.name),
        settings,
        functions,
        read_template(_text(folder / template)),
    )


def _mapping(value: object, what: str) -> JsonMapping:
    if not isinstance(value, Mapping):
        raise DataError(f"{what} must be a mapping, got {type(value).__name__}")
    return value


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"cannot read {path} ({error}); give an evaluator folder with {CONFIG} and {TEMPLATE}"
        ) from error


def _yaml(path: Path) -> object:
    text = _text(path)
    try:
        # YAML includes JSON, and JSON needs no further package.
        return json.loads(text)
    except ValueError:
        pass
    try:
        yaml: Any = importlib.import_module("yaml")
    except ModuleNotFoundError as error:
        raise ConfigError(
            "reading evaluator folders needs PyYAML; install it with pip install 'stb-env[evaluators]'"
        ) from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise DataError(f"{path} is not YAML: {error}") from error
