"""Dialogues of levels 1 and 2: errands on the APIs of API-Bank, one after the other, for one user."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import TypedDict

from stb_env.core.jsontypes import Json
from stb_env.suites.api_bank.composer.dialogue_writer import DialogueWriter
from stb_env.suites.api_bank.composer.phrases import SLOTS, Phrase, Phrases, Source, words
from stb_env.suites.api_bank.databases import Databases

_MOST = 3
_ASKED = (
    "For that I need your user name and password.",
    "Please tell me your user name and your password first.",
    "What are your user name and password?",
)
_LOGINS = (
    "My user name is {username}, and my password is {password}.",
    "{username}, with the password {password}.",
    "User name {username}, password {password}.",
)


class Errand(TypedDict, total=False):
    """A kind of request of a user, with ``{slots}`` in its texts.

    Attributes:
        slots: Names of the slots that are drawn.
        full: Wordings that say everything at once.
        parts: Wordings in parts: the request, the assistant's question, and the details.
        steps: The calls, each a name with arguments; ``$slot`` stands for a value.
        reply: The assistant's reply, with ``{r}`` for the last output.
        keywords: The search for its tool.
        login: Whether the user has to log in.
        needs: A table in which the user has a row.
        apart: Whether it stands alone in its dialogue.
        last: Whether it comes last.
        then: A request that follows from it.
    """

    slots: list[str]
    full: list[str]
    parts: list[tuple[str, str, str]]
    steps: list[tuple[str, dict[str, str]]]
    reply: str
    keywords: str
    login: bool
    needs: str
    apart: bool
    last: bool
    then: Errand


@lru_cache(maxsize=1)
def errands() -> Mapping[str, Errand]:
    """Return every errand by name: its slots, how it is asked for, its calls and the reply.

    Examples:
        >>> errands()["music"]["steps"]
        [['PlayMusic', {'music_name': '$song'}]]
    """
    text = (files("stb_env.suites.api_bank") / "composer" / "errands.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def write_errands(writer: DialogueWriter, databases: Databases) -> None:
    """Write a conversation of one to three errands, with a login before the first that needs one."""
    user = writer.random.choice(sorted(databases.tables["Account"]))
    source = Source(writer.random, databases, user)
    account = databases.tables["Account"][user]
    known: Phrases = {
        "username": Phrase(user, user),
        "password": Phrase(account["password"], account["password"]),
    }
    chosen = _chosen(source)
    for place, (name, phrases) in enumerate(chosen):
        errand = errands()[name]
        known = {**known, **phrases}
        lead = writer.random.choice(words()["thanks"]) if place else ""
        _ask(writer, errand, known, lead)
        if errand.get("login") and "token" not in known:
            _log_in(writer, known)
        _run(writer, errand, known)
    if writer.random.random() < 1 / 4:
        writer.user(writer.random.choice(words()["goodbyes"]))
        writer.assistant("You are welcome. Goodbye!")


def told(output: object) -> str:
    """Return an output as the assistant tells it.

    Examples:
        >>> told([{"name": "Ear wax", "aid": "Soften it."}]), told(5.0), told("success")
        ('Ear wax: Soften it.', '5', 'success')
    """
    if isinstance(output, float):
        return f"{output:g}" if output.is_integer() else str(output)
    if isinstance(output, list):
        return "; ".join(map(told, output))
    if isinstance(output, dict):
        return ": ".join(filter(None, map(told, output.values())))
    return str(output)


def _chosen(source: Source) -> list[tuple[str, Phrases]]:
    """Draw errands that go together: no two of a kind, and nothing after an account is gone."""
    chosen: list[tuple[str, Phrases]] = []
    wanted = source.random.choice((1, 1, 2, 2, _MOST))
    for name in source.random.sample(sorted(errands()), len(errands())):
        errand = errands()[name]
        if len(chosen) == wanted:
            break
        phrases = _filled(errand, source)
        if phrases is None or not _fits(name, [other for other, _ in chosen]):
            continue
        chosen.append((name, phrases))
    return sorted(chosen, key=lambda each: bool(errands()[each[0]].get("last")))


def _filled(errand: Errand, source: Source) -> Phrases | None:
    if "needs" in errand and source.user not in source.databases.tables[errand["needs"]]:
        return None
    phrases: Phrases = {}
    for slot in errand["slots"]:
        drawn = SLOTS[slot](source)
        if not drawn:
            return None
        phrases |= drawn
    return phrases


def _fits(name: str, others: Sequence[str]) -> bool:
    kinds = {other.split("_")[0] for other in others}
    apart = any(errands()[each].get("apart") for each in (name, *others))
    return name.split("_")[0] not in kinds and not (apart and others)


def _ask(writer: DialogueWriter, errand: Errand, known: Phrases, lead: str) -> None:
    said = {name: phrase.said for name, phrase in known.items()}
    if errand.get("parts") and writer.random.random() < 1 / 2:
        opening, question, details = writer.random.choice(errand["parts"])
        writer.user(lead + opening.format(**said))
        writer.assistant(question)
        writer.user(details.format(**said))
    else:
        writer.user(lead + writer.random.choice(errand["full"]).format(**said))


def _log_in(writer: DialogueWriter, known: Phrases) -> None:
    writer.assistant(writer.random.choice(_ASKED))
    said = {name: known[name].said for name in ("username", "password")}
    writer.user(writer.random.choice(_LOGINS).format(**said))


def _run(writer: DialogueWriter, errand: Errand, known: Phrases) -> None:
    """Make the calls of an errand and reply; ``known`` learns the token, and a new password."""
    output: Json = ""
    for name, arguments in errand["steps"]:
        if "token" in arguments and "token" not in known:
            _find_with_login(writer, name, errand, known)
        given = {key: _argument(text, known) for key, text in arguments.items()}
        output = writer.call(name, given, errand.get("keywords", ""))
    result = told(output)
    said = {name: phrase.said for name, phrase in known.items()} | {"r": result}
    writer.assistant(errand["reply"].format(**said))
    if "then" in errand:
        again = {**known, "r": Phrase(result, result)}
        _ask(writer, errand["then"], again, "")
        _run(writer, errand["then"], again)


def _find_with_login(writer: DialogueWriter, name: str, errand: Errand, known: Phrases) -> None:
    """Search the tool first where that is needed: it brings the login with it."""
    writer.find(name, errand["keywords"])
    login = {key: known[key].value for key in ("username", "password")}
    token = writer.call("GetUserToken", login)["token"]
    known["token"] = Phrase(token, token)


def _argument(text: str, known: Phrases) -> object:
    if text.startswith("$") and " " not in text:
        return str(known[text[1:]].value)
    return Template(text).substitute({name: phrase.value for name, phrase in known.items()})
