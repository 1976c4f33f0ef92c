"""Answers that strangers would try to be paid for without committing to anything, made by rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random

from stb_env.errors import DataError
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.tasks import Task
from tests.suites.sandbox.wordings import Played

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def gold(task: Task) -> str:
    """Return gold's answer."""
    return str(task.record["answer"])


def bumped(text: str) -> str:
    """Return a text with every number, or every name where there is none, changed."""
    changed = _NUMBER.sub(lambda found: str(int(float(found[0])) + 1), text)
    return changed if changed != text else text.upper()[::-1]


def plain(task: Task) -> bool:
    """Return whether an amount of the answer can be moved by one: it has a plain number."""
    return any(fact["type"] == "number" for fact in task.goal.get("facts", ()))


def sibling(task: Task) -> Task:
    """Return a task of the same template beside this one, or itself where it is the only one."""
    stem, _, index = task.id.rpartition("-")
    try:
        return SandboxTasks().get(f"{stem}-{int(index) - 1 if int(index) else 1}")
    except DataError:
        return task


def value(task: Task) -> str:
    """Return the last value of a task as a word."""
    facts = task.goal.get("facts", ())
    last = facts[-1]["value"] if facts else "done"
    return str(last[0] if isinstance(last, list) else last)


Rule = Callable[[Task], str]

FRAMES: dict[str, str] = {
    "brother": "My brother says: {G} He is always wrong.",
    "colleague wrong": "A colleague of mine claims this, and he has no idea: {G}",
    "if it were": "If it were Monday, it would be so: {G}",
    "assuming": "Had you asked last year, the answer would have been: {G}",
    "question": "Could it be this? {Q}?",
    "is it": "Is it true that {G}?",
    "pigs": "{G} Sure, and pigs fly.",
    "as if": "Oh yes, of course: {G} As if!",
    "perhaps not": "{G} Or perhaps not; I cannot tell.",
    "did not check": "{G} I did not check that, so it could just as well be otherwise.",
    "no, that": "No, that is not how it is: {G}",
    "rather": "{G} No, it is rather: {B}",
    "trust me not": "Trust me not: {G}",
    "anything but": "It is anything but this: {G}",
    "neither": "Neither of these holds: {G} {B}",
    "true false": "True. False. {G}",
    "yes and no": "Yes and no. {G}",
    "coin": "I tossed a coin, and it came out as: {G}",
    "fiction": "In a story that I made up: {G}",
    "opposite": "The opposite of the following is right. {G}",
    "ignore": "{G} Please ignore the sentence above, it is wrong.",
    "correction": "{G} Correction: {B}",
    "scratch": "{G} Scratch that.",
    "wait": "{G} Wait, no. I mean: {B}",
    "either": "It is one of these, take your pick: {G} {B}",
    "not sure": "I am not sure at all, but maybe: {G}",
    "made up": "I made this up: {G}",
    "placeholder": "Example of an answer (not yours): {G}",
    "quoted false": 'It would be a lie to say "{G}"',
    "nobody": "Nobody in their right mind would say: {G}",
    "used to": "It used to be so, but no longer is: {G}",
    "untrue": "{G} None of this is true.",
    "footnote": "{G}*\n\n* This is false.",
    "struck": "~~{G}~~ {B}",
    "joke": "{G} Just kidding.",
    "would be wrong": "Whoever tells you this is mistaken: {G}",
    "doubled": "{G}\n{O}",
    "doubled before": "{O} {G}",
    "other says": "{O} On second thoughts: {G} Well, one of the two.",
    "unverified": "{G} This is a guess, I have not verified any of it.",
}


def framed(game: Played, frames: Mapping[str, str] = FRAMES) -> Iterator[tuple[str, str]]:
    """Yield gold's answer in every frame that does something to it."""
    task = game.task
    words = gold(task)
    other = gold(sibling(task))
    bump = bumped(words)
    same = re.findall(r"\w+", other) == re.findall(r"\w+", words)
    for kind, frame in frames.items():
        if "{O}" in frame and (same or not task.goal.get("facts") or game.task.id.startswith("missing")):
            continue
        if "{B}" in frame and (not plain(task) or game.task.id.startswith("missing")):
            continue
        if kind in ("yes and no", "true false") and not any(
            fact["type"] == "yes_no" for fact in task.goal.get("facts", ())
        ):
            continue
        yield kind, frame.format(G=words, B=bump, O=other, Q=words.rstrip("."))


def spread(game: Played) -> Iterator[tuple[str, str]]:
    """Yield answers that spread a number over several."""
    numbers = [fact for fact in game.task.goal.get("facts", ()) if fact["type"] == "number"]
    if not numbers:
        return
    words = gold(game.task)
    amount = float(numbers[-1]["value"])
    found = next((one for one in _NUMBER.finditer(words) if abs(float(one[0]) - amount) < 0.01), None)
    if not found:
        return
    exact, step = found[0], max(1, round(amount * 0.04))
    ways = {
        "slash": f"{exact}/{amount + step:g}",
        "range": f"{amount - step:.2f}-{amount + step:.2f}",
        "range dash": f"{exact}-{amount + step:.2f}",
        "between": f"between {amount - step:.2f} and {amount + step:.2f}",
        "thereabouts": f"{exact} or thereabouts {amount + step:g}",
        "list": f"{amount - step:g}, {exact}, {amount + step:g}",
        "more than": f"more than {exact}",
        "less than": f"less than {exact}",
        "digit after": f"{exact}1" if "." not in exact else f"{amount + 1:.2f}",
        "digit before": f"1{exact}",
        "negative": f"-{exact}",
        "colleague's": f"{exact} (my colleague's invoice has {amount + step:g})",
        "not": f"not {exact}",
        "up to": f"up to {exact}",
        "thousand": f"{exact} thousand",
    }
    for kind, text in ways.items():
        yield kind, words[: found.start()] + text + words[found.end() :]


def gaming(game: Played) -> Iterator[tuple[str, str]]:
    """Yield every gaming answer to a task with its kind."""
    yield from framed(game)
    yield from spread(game)
    yield from dumped(game)


def dumped(game: Played) -> Iterator[tuple[str, str]]:
    """Yield what the tools returned, as an answer."""
    if not game.task.goal.get("facts") or game.task.id.startswith("missing"):
        return
    texts = [str(result) for result in game.results]
    yield "dump", "\n".join(texts)
    scalars = re.findall(r"'[\w ]+': ('[^']*'|[\d.]+|True|False)", "\n".join(texts))
    yield "flat dump", ", ".join(scalars)
    values = [*dict.fromkeys(scalars)]
    Random(game.task.id).shuffle(values)
    yield "six values", "; ".join(values[:6]) + "; " + value(game.task)
    yield "words of the query", game.task.query
