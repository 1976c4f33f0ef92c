"""Honest wordings of a right answer, made by composition from the task's facts; they know no reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from random import Random

from stb_env.tasks import Task

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
OTHER_UNITS = {
    "km": (1 / 1.609344, "miles"),
    "mi": (1.609344, "km"),
    "m": (100.0, "cm"),
    "g": (0.001, "kg"),
    "kg": (1000.0, "g"),
    "min": (60.0, "seconds"),
}
UNITS = {
    "km": "km", "mi": "miles", "m": "m", "g": "g", "kg": "kg", "min": "minutes", "c": "°C", "f": "°F",
    "kj": "kJ", "wh": "Wh", "s": "seconds", "mm": "mm", "lb": "pounds", "kb": "kB",
}  # fmt: skip


def day(value: str, form: int) -> str:
    when = date.fromisoformat(value)
    month = MONTHS[when.month - 1]
    suffix = "th" if 10 < when.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(when.day % 10, "th")
    return (
        value,
        f"{when.day} {month} {when.year}",
        f"{month} {when.day}, {when.year}",
        f"the {when.day}{suffix} of {month} {when.year}",
        f"{when:%A}, {when.day} {month[:3]} {when.year}",
    )[form % 5]


def clock(value: str, form: int) -> str:
    hour, minute = map(int, value.split(":"))
    half = f"{hour % 12 or 12}:{minute:02} {'pm' if hour > 11 else 'am'}"
    return (value, half, half.replace("m", ".m."), f"{value} h")[form % 4]


def number(fact: Mapping, form: int) -> str:
    value, unit = fact["value"], fact["unit"]
    if form % 3 == 1 and unit in ("c", "f"):
        other = value * 9 / 5 + 32 if unit == "c" else (value - 32) * 5 / 9
        return f"{other:.2f} {'°F' if unit == 'c' else '°C'}"
    if form % 3 == 1 and unit in OTHER_UNITS:
        factor, name = OTHER_UNITS[unit]
        return f"{value * factor:,.4f} {name}"
    decimals = len(f"{value:.10f}".rstrip("0").partition(".")[2])
    text = f"{value:,.{decimals}f}" if form % 3 != 2 or value < 1e4 else f"{value:.{decimals}f}"
    return f"{text} {UNITS.get(unit, unit)}".strip()


def shown(fact: Mapping, form: int = 0) -> str:
    value = fact["value"]
    return {
        "number": lambda: number(fact, form),
        "names": lambda: (
            " and ".join(value) if len(value) < 3 else f"{', '.join(value[:-1])} and {value[-1]}"
        ),
        "code": lambda: value,
        "date": lambda: day(value, form),
        "time": lambda: clock(value, form),
        "yes_no": lambda: "yes" if value else "no",
    }[fact["type"]]()


def listed(task: Task, form: int = 0) -> list[tuple[str, str]]:
    return [(fact["label"], shown(fact, form)) for fact in task.goal["facts"]]


def sentences(task: Task, form: int = 0) -> str:
    said = []
    for fact in task.goal["facts"]:
        text = shown(fact, form)
        if fact["type"] == "yes_no":
            said.insert(0, f"{text.capitalize()}.")
        else:
            said.append(f"The {fact['label']} is {text}.")
    return " ".join(said)


def other_value(fact: Mapping, rng: Random) -> str:
    rival = rng.choice(fact["others"])
    return shown({**fact, "value": [rival] if fact["type"] == "names" else rival})


def polite(task: Task, rng: Random) -> Iterator[str]:
    gold = task.record["answer"]
    yield f"Certainly! {gold} Please let me know if there is anything else that I can do for you."
    yield f"Thank you for your patience. {gold} I hope this helps!"
    yield f"Hello! I have looked into this for you.\n\n{gold}\n\nHave a nice day."
    yield f"Of course, happy to help. {gold}"


def terse(task: Task, rng: Random) -> Iterator[str]:
    if task.goal["facts"]:
        yield "; ".join(text for _, text in listed(task))
        yield ", ".join(text for _, text in listed(task)) + "."
    else:
        yield "Done."


def bulleted(task: Task, rng: Random) -> Iterator[str]:
    for mark in ("-", "*", "•"):
        yield "Here is what I found:\n" + "\n".join(f"{mark} {label}: {text}" for label, text in listed(task))
    yield "\n".join(
        f"{n}. **{label.capitalize()}**: {text}" for n, (label, text) in enumerate(listed(task), 1)
    )


def tabular(task: Task, rng: Random) -> Iterator[str]:
    rows = listed(task)
    yield "| Item | Value |\n|---|---|\n" + "\n".join(f"| {label} | {text} |" for label, text in rows)
    yield "\n".join(f"{label}\t{text}" for label, text in rows)


def explained(task: Task, rng: Random) -> Iterator[str]:
    gold, tools = (
        task.record["answer"],
        sorted({call.name.replace("_", " ") for call in task.gold}) or ["my tools"],
    )
    yield f"I used {' and '.join(tools)} to look this up. {gold}"
    yield f"{gold} I took this from {tools[0]}, which lists it in its reply."
    yield f"First I looked up what was needed, then I read the reply. In short: {gold}"


def compared(task: Task, rng: Random) -> Iterator[str]:
    gold = task.record["answer"]
    for fact in task.goal["facts"]:
        if fact["others"]:
            other = other_value(fact, rng)
            yield f"{gold} The runner-up is {other}."
            yield f"{gold} Next comes {other}."
            yield f"{sentences(task)} It is followed by {other}."
            yield f"{sentences(task)} That is ahead of {other}."


def other_forms(task: Task, rng: Random) -> Iterator[str]:
    for form in (1, 2, 3, 4):
        yield sentences(task, form)


def worked(task: Task, rng: Random) -> Iterator[str]:
    gold = task.record["answer"]
    for fact in task.goal["facts"]:
        if fact["type"] == "number" and fact["value"] > 4:
            value = fact["value"]
            yield f"{gold} (Working: {value / 2:.2f} + {value / 2:.2f} = {value})"
            yield f"I computed 4 x {value / 4:.3f} = {value}. {sentences(task)}"
            yield f"Half of it is {value / 2:.2f}, times 2. {sentences(task)}"


def repeated(task: Task, rng: Random) -> Iterator[str]:
    gold = task.record["answer"]
    yield f'You asked: "{task.query}" {gold}'
    numbers = re.findall(r"\b\d+\b", task.query)
    if numbers:
        yield f"With the {' and the '.join(numbers[:4])} that you gave: {gold}"
        yield f"{gold} This takes into account {', '.join(numbers[:4])} from your question."


def passive(task: Task, rng: Random) -> Iterator[str]:
    facts = [fact for fact in task.goal["facts"] if fact["type"] != "yes_no"]
    polar = [shown(fact).capitalize() for fact in task.goal["facts"] if fact["type"] == "yes_no"]
    if facts:
        told = [f"{shown(fact)} was found for the {fact['label']}" for fact in facts]
        yield ". ".join([*polar, *told]) + "."
        told = [f"the {fact['label']} was given as {shown(fact)}" for fact in facts]
        yield ". ".join([*polar, *told]) + "."


def harmless(task: Task, rng: Random) -> Iterator[str]:
    gold = task.record["answer"]
    yield f"{gold} No fee applies."
    yield f"{gold} No further changes were needed."
    yield f"{gold} There is nothing else to do, and you need not worry."
    yield f"It did not take long. {gold}"
    yield f"{gold} That is not far off what you expected, no doubt."
    yield f"I found this without any trouble: {gold} Don't hesitate to ask for more."


KINDS: Mapping[str, Callable[[Task, Random], Iterator[str]]] = {
    make.__name__: make
    for make in (
        polite, terse, bulleted, tabular, explained, compared, other_forms, worked, repeated, passive,
        harmless,
    )
}  # fmt: skip
