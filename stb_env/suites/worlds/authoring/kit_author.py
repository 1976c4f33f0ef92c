"""Kits that a language model writes: asked for as a file, held against every check, and told its faults."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from inspect import getdoc
from pathlib import Path

from stb_env.backend.simulator.llm_simulator import ask_once
from stb_env.core.files import make_folder, write_text
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import drive
from stb_env.errors import ConfigError
from stb_env.models import ChatModel, ChatReply, ChatRequest
from stb_env.models.prompting import delimited, latest
from stb_env.models.retry_sampling import another_try, is_cut, quoted
from stb_env.suites.worlds.authoring.kit_trial import faults_of
from stb_env.suites.worlds.schema.kit import Kit
from stb_env.suites.worlds.schema.parts import Part
from stb_env.usage import NO_USAGE, Usage

ATTEMPTS = 8
"""How often a model is asked."""
MOST_FAULTS = 25
"""Faults that it is told at once."""
_HOME = "stb_env.suites.worlds.authoring"
_LONGEST_FAULT, _LONGEST_REPLY = 300, 100_000
"""Characters of a fault that are told, and of a reply that are quoted back."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Draft:
    """A try at a kit.

    Attributes:
        text: The file's text, or the whole reply where no file was in it.
        faults: What is wrong with it; empty where it passes.
        attempt: The number of the try, from 1; 0 for what was there before.
        usage: What all tries up to this one cost.
    """

    text: str
    faults: tuple[str, ...]
    attempt: int = 0
    usage: Usage = NO_USAGE


def author_kit(
    model: ChatModel,
    about: str,
    path: Path,
    *,
    attempts: int = ATTEMPTS,
    before: str = "",
    tell: Callable[[Draft], object] = lambda _: None,
) -> Draft:
    """Let a model write a kit until it passes every check, and return the last try.

    The kit is data: nothing of it is executed. No file is written.

    Args:
        model: Writes.
        about: The domain in a few words, such as ``a blood bank``.
        path: The file that the kit is for: its name is the kit's.
        attempts: How often the model is asked at most.
        before: Text of a try that did not pass, to go on from.
        tell: Called with each try as soon as it is checked, so that none is lost where the model fails.

    Raises:
        InfrastructureError: The model failed, at the stage ``author``.
        ConfigError: There is nothing to write about, or no attempt.
    """
    if not about.strip():
        raise ConfigError("say what the kit is about, such as 'a blood bank'")
    if attempts < 1:
        raise ConfigError(f"attempts must be 1 or more, got {attempts}")
    question = latest("write_kit", _HOME).render(
        about=delimited(about, "domain"), schema=schema_text(), example=example(), name=path.stem
    )
    draft = Draft(before, tuple(faults_of(before, path)) if before else ())
    reply = ChatReply({"role": "assistant", "content": f"```toml\n{before}\n```"}) if before else None
    for attempt in range(1, attempts + 1):
        request = ChatRequest(tuple(_messages(question, reply, draft.faults)), index=attempt - 1)
        if reply is not None:
            request = another_try(request, model, reply)
        reply = drive(ask_once(model, request, stage="author"))
        draft = replace(_read(reply, path), attempt=attempt, usage=draft.usage + reply.usage)
        tell(draft)
        if not draft.faults:
            break
    return draft


def author_file(
    model: ChatModel,
    about: str,
    out: Path,
    *,
    attempts: int = ATTEMPTS,
    progress: Callable[[int, int], object] = lambda *_: None,
) -> Draft:
    """Let a model write a kit into a file that is not there yet; see `author_kit`.

    A try that does not pass is kept beside it, with its faults: ``blood_bank.draft.toml`` and
    ``blood_bank.faults.txt`` for ``blood_bank.toml``. Where there is such a draft, the model goes on from it.
    Both files go when the kit passes.

    Args:
        model: Writes.
        about: The domain in a few words.
        out: The file.
        attempts: How often the model is asked at most.
        progress: Told after each try how many of how many are made.

    Raises:
        InfrastructureError: The model failed; the last try is kept.
        ConfigError: The file is there already, or its name is no kit's.
    """
    if out.exists():
        raise ConfigError(f"{out} is there already; name a new file")
    if out.suffix != ".toml" or not _NAME.fullmatch(out.stem):
        raise ConfigError(
            f"a kit's file is named by small letters, digits and _, such as blood_bank.toml; got {out.name!r}"
        )
    draft_file, faults_file = drafts_of(out)
    # A try that cannot be kept is paid for in vain.
    make_folder(out.parent)

    def keep(draft: Draft) -> None:
        if draft.faults:
            write_text(draft_file, draft.text)
            write_text(faults_file, "".join(f"{fault}\n" for fault in draft.faults))
        else:
            write_text(out, draft.text)
            draft_file.unlink(missing_ok=True)
            faults_file.unlink(missing_ok=True)
        progress(draft.attempt, attempts)

    before = draft_file.read_text("utf-8") if draft_file.exists() else ""
    progress(0, attempts)
    return author_kit(model, about, out, attempts=attempts, before=before, tell=keep)


def drafts_of(out: Path) -> tuple[Path, Path]:
    """Return where the last try at a kit that does not pass is kept, and where its faults are."""
    return out.with_suffix(".draft.toml"), out.with_suffix(".faults.txt")


def told(faults: Sequence[str]) -> str:
    """Return faults as a text of one line each, no more than a model or a person can use.

    Examples:
        >>> print(told([f"rows {number}: too many" for number in range(30)])[-55:])
        rows 24: too many
        and 5 more, told when these are right
    """
    lines = [" ".join(fault.split())[:_LONGEST_FAULT] for fault in faults[:MOST_FAULTS]]
    if len(faults) > MOST_FAULTS:
        lines.append(f"and {len(faults) - MOST_FAULTS} more, told when these are right")
    return "\n".join(lines)


def example() -> str:
    """Return the file of a small kit that passes every check."""
    return files(_HOME).joinpath("scaffold.toml").read_text("utf-8")


def schema_text() -> str:
    r"""Return the schema of kits for a reader: each part with what it is and its keys.

    Examples:
        >>> schema_text().split("\n\n")[-1].splitlines()[1]
        '- type (required): {"const": "transition", "type": "string"}'
    """
    classes = {each.__name__: each for each in _parts(Part)}
    schema = Kit.model_json_schema()
    sections: dict[type[Part], str] = {}
    for name, definition in {"Kit": schema, **schema["$defs"]}.items():
        bases = [each for each in classes[name].__mro__ if issubclass(each, Part) and each is not Part]
        for each in reversed(bases):
            heading = " is an ".join(base.__name__.lstrip("_") for base in bases[bases.index(each) :])
            keys = _keys(definition, set(each.__annotations__))
            sections[each] = "\n".join([f"{heading}: {(getdoc(each) or '').replace('``', '`')}", *keys])
    return "\n\n".join(sections.values())


def _parts(base: type[Part]) -> Iterator[type[Part]]:
    for each in base.__subclasses__():
        yield each
        yield from _parts(each)


def _keys(definition: JsonMapping, names: Container[str]) -> Iterator[str]:
    required = definition.get("required", ())
    for name, described in definition["properties"].items():
        if name in names:
            shape = {key: value for key, value in described.items() if key not in ("title", "discriminator")}
            text = json.dumps(shape, ensure_ascii=False).replace("#/$defs/", "")
            yield f"- {name}{' (required)' if name in required else ''}: {text}"


def _messages(question: str, reply: ChatReply | None, faults: Sequence[str]) -> Iterator[JsonMapping]:
    yield {"role": "user", "content": question}
    if reply is not None:
        yield {"role": "assistant", "content": quoted(reply, _LONGEST_REPLY)}
        complaint = latest("kit_faults", _HOME).render(faults=delimited(told(faults), "faults"))
        yield {"role": "user", "content": complaint}


def _read(reply: ChatReply, path: Path) -> Draft:
    """Return the file in a reply with its faults."""
    if is_cut(reply):
        fault = "the reply was cut at its length limit: write a shorter kit, of four entities"
        return Draft(reply.text, (fault,))
    found = _FENCE.findall(reply.text)
    texts = [text for language, text in found if language.lower() == "toml"] or [text for _, text in found]
    if not texts:
        return Draft(reply.text, ("the reply has no file: write it in a fence that begins with ```toml",))
    # A reply may quote parts of the file before it gives the whole.
    text = max(texts, key=len)
    return Draft(text, tuple(faults_of(text, path)))
