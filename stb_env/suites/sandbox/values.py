"""An answer as bare values: each fact of a task has its item, and no item is left over.

Free text can say a right value and take it back in words that no list foresees. A bare value cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from stb_env.actions import finish_arguments
from stb_env.envs.finish import LONGEST_VALUE
from stb_env.jsontypes import JsonArray, JsonMapping
from stb_env.suites.sandbox import answers
from stb_env.suites.sandbox.item import Item
from stb_env.tools import FINISH, ToolCall
from stb_env.trajectory import CallRecord

Fact = JsonMapping

SPARE = 3
"""Items that may repeat the query beside those asked for."""


def given_values(calls: Sequence[CallRecord]) -> JsonArray | None:
    """Return the ``values`` of the episode's Finish; None where it brought none.

    Args:
        calls: Every call of the episode.
    """
    for call in reversed(calls):
        if call.name == FINISH:
            values = finish_arguments(ToolCall(call.name, call.arguments)).get("values")
            return values if values is None or isinstance(values, list) else [values]
    return None


def values_of(facts: Iterable[Fact]) -> JsonArray:
    """Return the right values of facts, as a careful agent gives them.

    Examples:
        >>> from stb_env.suites.sandbox.facts import date, names, yes_no
        >>> values_of([names("who", ["Ada", "Bob"]), date("day", "2026-03-09"), yes_no("open", True)])
        ['Ada', 'Bob', '2026-03-09', 'yes']
    """
    found: JsonArray = []
    for fact in facts:
        if fact["type"] == "names":
            found += fact["value"]
        elif fact["type"] == "yes_no":
            found.append("yes" if fact["value"] else "no")
        elif fact["type"] == "lacking":
            found.append(fact["value"][0] if fact["kind"] == "thing" else fact["label"])
        else:
            found.append(fact["value"])
    return found


def parts(
    values: JsonArray, facts: Sequence[Fact], falsehoods: Iterable[Fact], query: str, known: str
) -> Iterator[tuple[str, str]]:
    """Yield each part that the values decide, with why it failed or an empty string.

    Args:
        values: What the answer gives.
        facts: What it must give, in the order in which the query asks for it.
        falsehoods: What it must not.
        query: The query; names and numbers of it may be repeated.
        known: What may be named where no fact is asked for: calls and their results.

    Examples:
        >>> from stb_env.suites.sandbox.facts import number
        >>> price = number("price", 1250, others=[900])
        >>> dict(parts(["1,250 AUR"], [price], (), "What is it?", ""))
        {'fact:price': '', 'values': ''}
        >>> dict(parts([1250, 900], [price], (), "What is it?", ""))["values"]
        'read 900 as well, which is none of what was asked for'
        >>> dict(parts([1250, 700], [price], [number("fee", 700)], "Is the fee 700?", ""))
        {'fact:price': '', 'values': '', 'falsehood:fee': 'read it'}
        >>> dict(parts([40, 1250], [price, number("weight", 40)], (), "Price and weight?", ""))["order"]
        'wanted 1250 (price) before 40 (weight), as the query asks for them, read the other way round'
    """
    most = 2 * len(values_of(facts)) + SPARE
    if len(values) > most:
        yield "values", f"read {len(values)} items, more than {most}"
        return
    items = [*_items(values, facts, query, known)]
    for fact in facts:
        yield f"fact:{fact['label']}", _lacks(fact, items, facts, query)
    if len(facts) > len({fact["type"] for fact in facts}):
        yield "order", _disorder(items, facts, query)
    yield "values", _spare(items, facts, query, known)
    for fact in falsehoods:
        told = any(item.gives(fact, query) for item in items)
        yield f"falsehood:{fact['label']}", "read it" if told else ""


def _items(values: JsonArray, facts: Sequence[Fact], query: str, known: str) -> Iterator[Item]:
    said, asked = answers.plain(known), answers.plain(query)
    for item in map(Item.given, values):
        if answers.plain(item.text) in asked or any(item.gives(fact, query, facts) for fact in facts):
            yield item
        elif _is_list(item, facts, query):
            yield from item.divided()
        else:
            yield item.without_remark(said, facts)


def _is_list(item: Item, facts: Sequence[Fact], query: str) -> bool:
    """Return whether an item lists nothing but names or times that are asked for, or a name and its place."""
    parts, asked = item.divided(), answers.plain(query)
    return len(parts) > 1 and any(
        any(giving)
        and all(given or answers.plain(part.text) in asked for part, given in zip(parts, giving, strict=True))
        for kind in ("names", "time", "lacking")
        for giving in [
            [any(part.gives(fact, query, facts) for fact in facts if fact["type"] == kind) for part in parts]
        ]
    )


def _lacks(fact: Fact, items: Sequence[Item], facts: Sequence[Fact], query: str) -> str:
    """Return which value of a fact no item gives."""
    for value in fact["value"] if fact["type"] == "names" else [fact["value"]]:
        alone = {**fact, "value": [value]} if fact["type"] == "names" else fact
        if not any(item.gives(alone, query, facts) for item in items):
            shown = fact["label"] if fact["type"] == "lacking" else value
            read = ", ".join(item.shown[:LONGEST_VALUE] for item in items[:4]) or "no values"
            return f"wanted {shown} ({fact['label']}) as a bare value, read {read}"
    return ""


def _disorder(items: Sequence[Item], facts: Sequence[Fact], query: str) -> str:
    """Return which values of one type stand in another order than the query asks for them.

    Whoever gives both and does not say which is which must not earn what one who knows earns.
    """
    for before, after in combinations(facts, 2):
        if before["type"] != after["type"] or before["type"] in ("yes_no", "lacking"):
            continue
        first, second = (_first(fact, items, facts, query) for fact in (before, after))
        if first is None or second is None or first <= second:
            continue
        if not (items[first].says(before, facts) or items[second].says(after, facts)):
            wanted, then = (f"{values_of([fact])[0]} ({fact['label']})" for fact in (before, after))
            return f"wanted {wanted} before {then}, as the query asks for them, read the other way round"
    return ""


def _first(fact: Fact, items: Sequence[Item], facts: Sequence[Fact], query: str) -> int | None:
    return next((place for place, item in enumerate(items) if item.gives(fact, query, facts)), None)


def _spare(items: Sequence[Item], facts: Sequence[Fact], query: str, known: str) -> str:
    """Return an item that is neither asked for nor of the query."""
    said = answers.plain(query if facts else f"{query}\n{known}")
    for item in items:
        for code in item.currencies:
            # Prices of the world are in aurel, and few of its tools repeat that.
            if code != "aur" and f" {code} " not in answers.plain(f"{query}\n{known}"):
                return f"read {item.shown}, and nothing returned an amount in {code.upper()}"
    for item in items:
        named = sum(item.gives(fact, query, facts) for fact in facts)
        if facts and sum(item.text == other.text for other in items) > max(named, 1):
            return f"read {item.shown} more than once"
    left = [item for item in items if not any(item.gives(fact, query, facts) for fact in facts)]
    for item in left:
        if len(item.shown) > LONGEST_VALUE:
            read = item.shown[:LONGEST_VALUE]
            return f"read more than {LONGEST_VALUE} characters where a bare value belongs: {read}"
        if not facts and item.is_done:
            continue
        rivals = any(_gives_rival(fact, item, query) for fact in facts)
        if rivals or item.is_polar or answers.plain(item.text) not in said:
            return f"read {item.shown} as well, which is none of what was asked for"
    if len(left) > SPARE:
        return f"read {len(left)} items that only repeat the query"
    return ""


def _gives_rival(fact: Fact, item: Item, query: str) -> bool:
    if fact["type"] == "lacking":
        return False
    others = fact["others"]
    made = [{**fact, "value": [other] if fact["type"] == "names" else other} for other in others]
    return any(item.gives(one, query) for one in made)
