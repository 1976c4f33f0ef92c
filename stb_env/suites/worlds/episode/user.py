"""The user of an episode: a script that answers questions about what a request leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NotRequired, TypedDict

from stb_env.backend.user import ASK_USER
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.seeding import derive
from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.schema.kit import Ref
from stb_env.suites.worlds.schema.nouns import forms
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import CATEGORY, Bound, Param, WorldTool
from stb_env.tools import Tool, ToolId

NEWS = "anything new"
"""What an agent asks about to hear whether the user has changed their mind."""
Manner = Literal["tells", "points", "refuses", "corrects", "changes"]
"""How the user answers: at once; with a record that shows it; when asked again; wrong at first, unsure; or at
once, but with another value later."""

_TOLD = "I have told you all that I know of that."
_UNHELPFUL = ("I do not know.", "That does not matter here.", "I cannot tell you anything about that.")
_NO_NEWS = "No, there is nothing new."


class Pointer(TypedDict):
    """Pointer to a record that holds a value.

    Attributes:
        record: What the record is called: ``claim``.
        name: Its name or code.
        whose: The record that belongs to it: ``owner``.
        value: What of that one to look at: ``name``.
    """

    record: str
    name: str
    whose: str
    value: str


class Reply(TypedDict):
    """An answer of the user.

    Attributes:
        says: What the user says.
        value: The value: a name or code, a date as YYYY-MM-DD, or a number.
        about: What it is the value of, where the user tells news.
        sure: False where the user wants to be asked again.
        see: Where it is on record, if the user does not know it.
    """

    says: str
    value: NotRequired[Json]
    about: NotRequired[str]
    sure: NotRequired[bool]
    see: NotRequired[Pointer]


class FactRecord(TypedDict):
    """Detail that the user knows.

    Attributes:
        manner: How the user answers.
        replies: The answers, one each time that it is asked about; the last is repeated.
        news: What the user says when asked for news afterwards, and from then on.
    """

    manner: Manner
    replies: list[Reply]
    news: NotRequired[Reply]


class UserRecord(TypedDict):
    """The user in a task's script.

    Attributes:
        facts: What the user knows, by what it is called.
        told: What the request tells by itself.
    """

    facts: dict[str, FactRecord]
    told: list[str]


@dataclass(frozen=True, slots=True)
class User:
    """Answers questions in one episode after another.

    Attributes:
        record: What the user knows.
    """

    record: UserRecord

    def answer(self, state: State, about: str) -> tuple[Reply, State]:
        """Return the answer to a question, and the state that remembers that it was asked."""
        if about == NEWS:
            return self._news(state)
        fact = self.record["facts"].get(about)
        if fact is None:
            return Reply(says=_TOLD if about in self.record["told"] else _not_known(about)), state
        (times,) = state.notes.get(asked(about), (0,))
        if "news" in fact and _revised(about) in state.notes:
            return fact["news"], state
        reply = fact["replies"][min(times, len(fact["replies"]) - 1)]
        return reply, _noted(state, asked(about), times + 1)

    def _news(self, state: State) -> tuple[Reply, State]:
        for about, fact in self.record["facts"].items():
            if "news" in fact and asked(about) in state.notes:
                return fact["news"], _noted(state, _revised(about), 1)
        return Reply(says=_NO_NEWS), state


def asked(about: str) -> str:
    """Return the name of the note of how often the user was asked about something."""
    return f"asked {about}"


def _revised(about: str) -> str:
    return f"revised {about}"


def _noted(state: State, name: str, value: int) -> State:
    return replace(state, notes={**state.notes, name: (value,)})


def _not_known(about: str) -> str:
    return _UNHELPFUL[derive("unhelpful", about) % len(_UNHELPFUL)]


def fact_names(blueprint: Blueprint) -> Mapping[tuple[str, str], str]:
    """Return what people call each attribute of each entity; every task of a world has the same ones."""
    names: dict[tuple[str, str], str] = {}
    taken = {NEWS}
    for entity, described in blueprint.entities.items():
        noun = forms(described)[0]
        for attribute, declared in described.attributes.items():
            if isinstance(declared, Ref):
                continue
            word = declared.words[0]
            options = (_short(noun, word), f"{noun}'s {word}", f"{entity} {attribute}")
            name = next(each for each in options if each not in taken)
            taken.add(name)
            names[entity, attribute] = name
    return names


def _short(noun: str, word: str) -> str:
    """Return the name of a noun's attribute without a word that stands twice: ``court case number``."""
    first, _, rest = word.partition(" ")
    if noun in word.split():
        return word
    return f"{noun} {rest}" if rest and noun.split()[-1] == first else f"{noun} {word}"


def asking_tool(blueprint: Blueprint, key: str) -> WorldTool:
    """Return the tool that asks the user.

    Args:
        blueprint: The world.
        key: The world's key.
    """
    known = [*fact_names(blueprint).values(), NEWS]
    schema: JsonObject = {"type": "string", "enum": known, "description": "What to ask about."}

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in known:
            raise ApiError(f"about is one of {', '.join(known)}, got {value!r:.60}", arguments=True)
        return value

    def run(state: State, bound: Bound) -> tuple[object, State]:
        script = state.script
        if script is None or script.user is None:
            raise ApiError("nobody is there to be asked")
        return User(script.user).answer(state, bound["about"])

    description = (
        "Asks the person who made the request about a detail of it. The answer has it in words; a value that "
        "is told stands under value, too: a name or code, a date as YYYY-MM-DD, or a number (amounts in "
        f"{blueprint.currency}, with decimals). Where sure is false, the person wants to be asked again. "
        "see names a record, whose record that belongs to it to look at, and the value there. "
        "The person may not know, or may not want to say at first."
    )
    parameters = {
        "type": "object",
        "properties": {"about": schema},
        "required": ["about"],
        "additionalProperties": False,
    }
    tool = Tool(ASK_USER, description, parameters, ToolId(CATEGORY, key, ASK_USER))
    return WorldTool(tool, "ask_user", "", (Param("about", schema, read, required=True),), run)
