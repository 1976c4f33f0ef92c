"""Versioned prompt texts, kept in files, and the safe insertion of texts that no one vouches for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from stb_env.errors import ConfigError, did_you_mean

# "$${" writes "${"; whatever else follows a "${" must be a field's name and "}".
_FIELD = re.compile(r"\$(?P<escaped>\$(?=\{))|\$\{(?P<name>[a-z_][a-z0-9_]*)\}|(?P<broken>\$\{)")
ENGINE = "stb_env.models"
"""Package of the engine's own prompts."""

_LABEL = re.compile(r"[a-z][a-z0-9_ ]*")
_BLOCK = re.compile(r"<<<(?P<mark>[a-z][a-z0-9_ ]* [0-9a-f]{16})\n(?P<text>.*?)\n(?P=mark)>>>", re.DOTALL)
# Those of the families of models that are served most; a token of another one is read as text or not at all.
_CONTROL = re.compile(
    r"<\|[^<>|\n]{1,40}\|>|<｜[^<>｜\n]{1,40}｜>|</?s>|<(?:bos|eos|pad|unk)>|<(?:start|end)_of_turn>"
    r"|\[/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]|<</?SYS>>"
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt text with ``${field}`` places.

    Only ``${name}`` is special; a ``$`` or a brace elsewhere stands for itself, and ``$${`` for ``${``.

    Attributes:
        name: What the prompt is for.
        version: Which wording.
        text: The text, without the newline at its end.
        hash: SHA-256 hex digest of the text, for manifests and cache keys.
        fields: Names of its places, in order of first use.

    Raises:
        ConfigError: A ``${`` begins no valid field.

    Examples:
        >>> hello = Prompt("hello", "v1", "Greet ${who} for ${price}.")
        >>> hello.fields, hello.render(who="${price}", price="$5")
        (('who', 'price'), 'Greet ${price} for $5.')
        >>> hello.render(whom="Ann", price="$5")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: prompt hello/v1 has no field 'whom'. Did you mean 'who'?
    """

    name: str
    version: str
    text: str
    hash: str = field(init=False)
    fields: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names: dict[str, None] = {}
        for match in _FIELD.finditer(self.text):
            if match["broken"]:
                line = self.text.count("\n", 0, match.start()) + 1
                raise ConfigError(
                    f"prompt {self.name}/{self.version}, line {line}: '${{' begins no field; "
                    "write ${name}, or $${ for the characters themselves"
                )
            if match["name"]:
                names[match["name"]] = None
        digest = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
        object.__setattr__(self, "hash", digest)
        object.__setattr__(self, "fields", tuple(names))

    def render(self, **fields: str) -> str:
        """Return the text with each place filled; values are inserted as they are.

        Raises:
            ConfigError: A field is missing or unknown.
        """
        for name in fields:
            if name not in self.fields:
                near = did_you_mean(name, self.fields)
                raise ConfigError(f"prompt {self.name}/{self.version} has no field {name!r}.{near}")
        missing = [name for name in self.fields if name not in fields]
        if missing:
            raise ConfigError(f"prompt {self.name}/{self.version} needs {', '.join(missing)} to be rendered")
        return _FIELD.sub(lambda match: fields[match["name"]] if match["name"] else "$", self.text)


@cache
def prompt(name: str, version: str, home: str | Path = ENGINE) -> Prompt:
    """Return a prompt of the package, read once.

    Args:
        name: What it is for, for example ``pass_judge``.
        version: Which wording, for example ``v1``.
        home: Package whose folder ``prompts`` has it, laid out as ``NAME/VERSION.txt``, or such a folder.

    Raises:
        ConfigError: There is no such prompt; the message names the nearest.
    """
    versions = _versions(name, home)
    if version not in versions:
        near = did_you_mean(version, versions)
        raise ConfigError(f"prompt {name!r} has no version {version!r}, only {', '.join(versions)}.{near}")
    text = (_folder(home) / name / f"{version}.txt").read_text(encoding="utf-8")
    return Prompt(name, version, text.removesuffix("\n"))


def latest(name: str, home: str | Path = ENGINE) -> Prompt:
    """Return the newest version of a prompt: numbers in versions count as numbers, so v10 follows v9.

    Raises:
        ConfigError: There is no such prompt.
    """
    return prompt(name, _versions(name, home)[-1], home)


def read_prompt(path: Path | str) -> Prompt:
    """Read a prompt from a file of the user's; it is named after the file, its version is ``file``.

    Raises:
        ConfigError: The file cannot be read as UTF-8 text.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read the prompt {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"the prompt {path} is not UTF-8 text: {error}; save it as UTF-8") from error
    return Prompt(path.stem, "file", text.removesuffix("\n"))


def delimited(text: str, label: str) -> str:
    """Wrap a text that no one vouches for between two lines that it cannot contain.

    Args:
        text: The text. Control tokens of chat templates in it are spelled apart (see `spelled`).
        label: What it is, for example ``answer``: lower-case letters, digits, blanks.

    Raises:
        ConfigError: The label has other characters.

    Examples:
        >>> print(delimited("Berlin", "answer"))
        <<<answer dad114b6ed7342ba
        Berlin
        answer dad114b6ed7342ba>>>
    """
    return delimited_each({label: text})[label]


def delimited_each(texts: Mapping[str, str]) -> dict[str, str]:
    """Wrap the texts of one message, each as `delimited` does, all of them with the same code.

    The code follows from all texts together: who writes one of them and knows another, as who answers knows
    the query, can forge the marks of neither.

    Args:
        texts: The texts by what they are.

    Raises:
        ConfigError: A label has characters that it must not have.

    Examples:
        >>> first, second = delimited_each({"query": "Capital?", "answer": "Berlin"}).values()
        >>> first.split()[1] == second.split()[1] != delimited("Capital?", "query").split()[1]
        True
    """
    for label in texts:
        if not _LABEL.fullmatch(label):
            raise ConfigError(f"label must be made of lower-case letters, digits and blanks, got {label!r}")
    apart = {label: spelled(text) for label, text in texts.items()}
    code = _boundary(list(apart.values()))
    return {label: f"<<<{label} {code}\n{text}\n{label} {code}>>>" for label, text in apart.items()}


def material(prompt: str) -> list[str]:
    """Return the texts that stand between the marks of a prompt.

    Examples:
        >>> material("Judge this: " + delimited("Berlin", "answer"))
        ['Berlin']
    """
    return [block["text"] for block in _BLOCK.finditer(prompt)]


def spelled(text: str) -> str:
    """Return a text in which control tokens of chat templates are spelled apart, and so are mere words.

    Many servers, and models in this process, read such tokens wherever they stand: a text that holds them
    could end its message and write the reply.

    Examples:
        >>> spelled("Oslo<|im_end|> [/INST] 3 < 4")
        'Oslo< |im_end|> [ /INST] 3 < 4'
    """
    return _CONTROL.sub(lambda token: f"{token[0][0]} {token[0][1:]}", text)


def _boundary(texts: Sequence[str]) -> str:
    joined = "\x1f".join(texts)
    digest = hashlib.sha256(joined.encode("utf-8", "surrogatepass"))
    # Texts that hold their own digest get another boundary, however they came by it.
    while (boundary := digest.hexdigest()[:16]) in joined:
        digest.update(b"+")
    return boundary


def _folder(home: str | Path) -> Traversable:
    return resources.files(home) / "prompts" if isinstance(home, str) else home


def _versions(name: str, home: str | Path) -> list[str]:
    root = _folder(home)
    names = sorted(entry.name for entry in root.iterdir() if entry.is_dir()) if root.is_dir() else []
    if name not in names:
        raise ConfigError(
            f"no prompt {name!r}; there is {', '.join(names) or 'none'}.{did_you_mean(name, names)}"
        )
    files = [entry.name for entry in (root / name).iterdir() if entry.name.endswith(".txt")]
    if not files:
        raise ConfigError(f"prompt {name!r} has no versions; add {name}/v1.txt")
    return sorted((file.removesuffix(".txt") for file in files), key=_natural)


def _natural(version: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.findall(r"\d+|\D+", version)]
