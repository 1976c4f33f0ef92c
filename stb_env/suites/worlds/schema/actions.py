"""Actions of a kit, the conditions under which they may be done, and the rules that ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from stb_env.suites.worlds.schema.parts import Part, Phrase, Range, Verb

Operator = Literal["=", "!=", ">", ">=", "<", "<=", "in", "not in"]


class Condition(Part):
    """A comparison that decides: of a rule, a precondition or a queue.

    Attributes:
        left: A path; ``days(a, b)`` is the number of days from path a to path b (``today`` is a path, too),
            and ``count(entity.attribute)`` is how many rows of an entity refer here by that attribute.
        op: The operator.
        right: A value in the kit's own words (a category, true, a number in whole units), ``$name`` for a
            number that the world draws from the rule's `numbers`, or a path after ``@``.
    """

    left: str
    op: Operator
    right: str | int | bool | tuple[str, ...]


class _Action(Part):
    """Fields that all actions share.

    Attributes:
        verbs: The words for it.
        say: Whole requests with ``{np}``, and ``{v}`` where a value is given: ``turn down {np}``.
        when: What must hold, or the tool refuses.
        undo: The action that takes it back, if one does.
        bulk: Whether people ask for it on many rows at once: nobody sets the weight of all pets to one value.
    """

    verbs: Annotated[tuple[Verb, ...], Field(min_length=2)]
    say: Annotated[tuple[Phrase, ...], Field(min_length=3)]
    when: tuple[Condition, ...] = ()
    undo: str = ""
    bulk: bool = True


class Transition(_Action):
    """Move a row from one of some states to another."""

    type: Literal["transition"]
    field: str
    source: Annotated[tuple[str, ...], Field(min_length=1)]
    target: str


class Set(_Action):
    """Set one attribute (of any kind but life) to a value that the caller gives."""

    type: Literal["set"]
    field: str


class Move(_Action):
    """Move a quantity of one row to another row of the same entity; `same` must be equal in both.

    The slots of `say` are ``{v}``, how much; ``{np}``, the row that gives it; and ``{other}``.
    """

    type: Literal["move"]
    field: str
    same: tuple[str, ...] = ()


class Create(_Action):
    """Make a row from the given attributes; others start as `start` says, and a code is made for its label.

    The slots of `say` are the given attributes, ``{np}`` for what the first of them refers to, and
    ``{noun}``.

    Attributes:
        fields: Attributes that the caller gives; the first is a reference.
        start: Values of others, in the kit's words.
    """

    type: Literal["create"]
    fields: Annotated[tuple[str, ...], Field(min_length=1)]
    start: Mapping[str, str] = {}


class Delete(_Action):
    """Remove a row to which no other refers."""

    type: Literal["delete"]


Action = Annotated[Transition | Set | Move | Create | Delete, Field(discriminator="type")]


class Rule(Part):
    """A rule of a queue: the first one that applies decides.

    Attributes:
        do: The action that it asks for.
        when: All must hold.
        unless: None of these may hold.
        numbers: Ranges of the numbers that a world draws, by name.
        text: The rule in words, with ``{name}`` for each number. ``{claim}`` is what the world calls the
            entity, ``{claim.plural}`` several of them, ``{claim.amount}`` an attribute of it,
            ``{claim.deny}`` the participle of an action, and ``{currency}`` the organisation's money.
    """

    do: str
    when: Annotated[tuple[Condition, ...], Field(min_length=1)]
    unless: tuple[Condition, ...] = ()
    numbers: Mapping[str, Range] = {}
    text: Annotated[str, Field(min_length=20)]


class Queue(Part):
    """Rows that wait for a decision, and the rules that decide them, in order of precedence.

    Attributes:
        select: Which rows wait.
        rules: In order; a world shuffles none of them.
        otherwise: The action where no rule applies.
        say: What a person calls the work, with ``{np}`` for the rows: ``work through {np}``.
        text: The sentence for `otherwise`.
    """

    select: Annotated[tuple[Condition, ...], Field(min_length=1)]
    rules: Annotated[tuple[Rule, ...], Field(min_length=2)]
    otherwise: str
    say: Annotated[tuple[Phrase, ...], Field(min_length=3)]
    text: Annotated[str, Field(min_length=20)]


class Policy(Part):
    """Case in which an action is forbidden, although its tool lets it pass.

    Attributes:
        action: The action.
        when: Forbidden where all of these hold.
        numbers: As of a `Rule`.
        text: The policy in words.
    """

    action: str
    when: Annotated[tuple[Condition, ...], Field(min_length=1)]
    numbers: Mapping[str, Range] = {}
    text: Annotated[str, Field(min_length=20)]
