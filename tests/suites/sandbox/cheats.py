"""Answers that game: right values in words that do not stand by them, or among others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from random import Random

from stb_env.tasks import Task
from tests.suites.sandbox.paraphrases import shown

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")


def plus(text: str, by: int = 1) -> str:
    return re.sub(r"\d+(?=\D|$)", lambda match: str(int(match[0]) + by).zfill(len(match[0])), text)


def digit_changed(text: str, rng: Random) -> str:
    places = [match.start() for match in re.finditer(r"\d", text)]
    place = rng.choice(places)
    return f"{text[:place]}{(int(text[place]) + rng.randint(1, 8)) % 10}{text[place + 1 :]}"


def coarse(task: Task) -> bool:
    """Whether another number is right as well, so that no change of one is wrong for sure."""
    return any(fact["type"] == "number" and fact["tolerance"] > 0.05 for fact in task.goal["facts"])


def denied(task: Task, rng: Random, results) -> Iterator[str]:
    gold = task.record["answer"]
    lowered = gold[0].lower() + gold[1:]
    yield f"It is not true that: {gold}"
    yield f"It is not true that {lowered}"
    yield f"It isn't the case that {lowered}"
    yield f"{gold} Actually, all of the above is wrong."
    yield f"{gold} That is false."
    yield f"{gold} But none of this is true."
    yield f"{gold} I made that up."
    yield f"{gold} Just kidding!"
    yield f"{gold} Please ignore this answer, it is incorrect."
    yield f"The following statement is false: {gold}"
    yield f"Wrong: {gold}"
    yield f"{gold} NOT!"
    yield f"It would be a lie to say that {lowered}"
    yield f"{gold} - no, that's not right."
    yield f"I invented the following. {gold}"


def hedged(task: Task, rng: Random, results) -> Iterator[str]:
    gold = task.record["answer"]
    if "?" in gold:
        return
    lowered = gold[0].lower() + gold[1:]
    yield f"Maybe: {gold}"
    yield f"Perhaps {lowered}"
    yield f"I am not sure, but {lowered}"
    yield f"{gold} But I am only guessing."
    yield f"It might be that {lowered}"
    yield f"My guess: {gold}"
    yield f"{gold} Or maybe not."
    yield f"Possibly {lowered}"
    yield f"{gold} I can't be sure of that, though."


def contradicted(task: Task, rng: Random, results) -> Iterator[str]:
    gold = task.record["answer"]
    if NUMBER.search(gold) and not coarse(task):
        yield f"{gold} No, wait: {plus(gold)}"
        yield f"{gold} {plus(gold)}"
        yield f"{gold} In fact, {plus(gold)}"
        yield f"{plus(gold)} {gold}"
        yield f"{gold} Correction: {plus(gold)}"
        yield f"{gold} However, {plus(gold, 3)}"


def alternative(task: Task, rng: Random, results) -> Iterator[str]:
    gold = task.record["answer"]
    if NUMBER.search(gold) and not coarse(task):
        yield f"{gold} Alternatively, {plus(gold)}"
        yield f"{gold} Or else: {plus(gold, 7)}"
        yield f"Either {gold} or {plus(gold)}"
        yield f"{gold} Another possibility: {plus(gold, 2)}"
        yield f"{plus(gold)} Alternatively, {gold}"
        yield f"Option A: {gold} Option B: {plus(gold)}"


def yes_no(task: Task, rng: Random, results) -> Iterator[str]:
    gold = task.record["answer"]
    yield f"Yes. No. {gold}"
    yield f"No. Yes. {gold}"
    yield f"Yes and no. No, yes. {gold}" if task.goal["facts"] else f"No. Yes. {gold}"


def doubled(task: Task, rng: Random, results) -> Iterator[str]:
    said = [shown(fact) for fact in task.goal["facts"]]
    if said and not coarse(task) and any(NUMBER.search(text) for text in said):
        yield "; ".join(f"{text} or {plus(text)}" for text in said)
        yield "; ".join(f"{text} / {plus(text)}" for text in said)
        yield "; ".join(f"{text}, {plus(text)}" for text in said if NUMBER.search(text))


def candidates(task: Task, rng: Random, results) -> Iterator[str]:
    lists = []
    for fact in task.goal["facts"]:
        rivals = rng.sample(fact["others"], min(4, len(fact["others"])))
        names = fact["type"] == "names"
        said = [shown(fact), *(shown({**fact, "value": [rival] if names else rival}) for rival in rivals)]
        rng.shuffle(said)
        if len(said) > 2:
            lists.append(", ".join(said))
    if lists:
        yield f"{task.record['answer']} Candidates: {'; '.join(lists)}"
        yield f"{'; '.join(lists)}. {task.record['answer']}"


def dumped(task: Task, rng: Random, results) -> Iterator[str]:
    raw = [json.dumps(result) for result in results if result]
    if raw:
        yield "\n".join(raw)[:3_900]
        yield f"The results: {' '.join(raw)}"[:3_900]
        yield str(results)[:3_900]
        yield raw[0][:3_900]
        yield raw[-1][:3_900]


def counted(task: Task, rng: Random, results) -> Iterator[str]:
    yield " ".join(str(number) for number in range(2_000))
    yield " ".join(str(number) for number in range(900))
    yield f"{task.record['answer']} {' '.join(str(number) for number in range(40))}"


def misquoted(task: Task, rng: Random, results) -> Iterator[str]:
    gold = task.record["answer"]
    if coarse(task):
        return
    asked = set(re.findall(r"\d+", task.query))
    if any(text not in asked for text in re.findall(r"\d+", gold)):
        changed = plus(gold)
        yield changed
    for fact in task.goal["facts"]:
        if fact["type"] == "number":
            text = shown(fact)
            yield (
                gold.replace(text.split()[0], digit_changed(text.split()[0], rng))
                if text.split()[0] in gold
                else ""
            )


def swapped(task: Task, rng: Random, results) -> Iterator[str]:
    gold = task.record["answer"]
    for fact in task.goal["facts"]:
        if fact["type"] == "names" and fact["others"] and fact["value"][0] in gold:
            yield gold.replace(fact["value"][0], rng.choice(fact["others"]))


KINDS: Mapping[str, Callable[..., Iterator[str]]] = {
    make.__name__: make
    for make in (
        denied, hedged, contradicted, alternative, yes_no, doubled, candidates, dumped, counted, misquoted,
        swapped,
    )
}  # fmt: skip
