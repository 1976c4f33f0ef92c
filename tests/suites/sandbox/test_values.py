"""Answers as bare values: what a careful agent would write counts, and nothing else."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest
from mcp import Client

import stb_env
from stb_env import ChatAgent, ScriptedModel
from stb_env.baselines.gold import Gold
from stb_env.envs.finish import LONGEST_VALUE
from stb_env.jsontypes import JsonArray, JsonObject
from stb_env.rollout import DrivenEpisode
from stb_env.seeding import rng
from stb_env.serve.mcp.server import EpisodeServer
from stb_env.serve.mcp.stdio import lent
from stb_env.suites.sandbox.values import values_of
from stb_env.testing.red_team.dumps import candidates
from stb_env.testing.red_team.evidence import Evidence
from stb_env.testing.red_team.twists import shift
from stb_env.tools import FINISH

TASKS = 40
"""Tasks of each split that are played."""

MONTHS = [f"{datetime.date(2026, month, 1):%B}" for month in range(1, 13)]


class Ended:
    """A task whose calls gold has made, to be answered in many ways."""

    def __init__(self, env: stb_env.ToolEnv, task_id: str) -> None:
        observation, info = env.reset(seed=0, options={"task_id": task_id})
        gold = Gold()
        gold.reset(env, 0)
        self.results: JsonArray = []
        while (action := gold.act(observation, info))["name"] != FINISH:
            observation, _, _, _, info = env.step(action)
            self.results += [call["response"] for call in info["calls"]]
        self.env, self.query = env.fork(), observation["query"]
        self.facts = env.task.goal.get("facts", ())
        self.right = values_of(self.facts)
        self.text = action["arguments"]["final_answer"]

    def earned(self, values: Any) -> tuple[float, JsonObject]:
        """Return what an answer with these values earns, and the verdict: none where Finish refuses them."""
        arguments = {"return_type": "give_answer", "final_answer": self.text, "values": values}
        _, reward, _, _, info = self.env.fork().step({"name": FINISH, "arguments": arguments})
        return float(reward), info.get("verdict") or {}


def ended(split: str) -> Iterator[Ended]:
    env = stb_env.make("stb/Sandbox-v1", split=split, answer="values")
    step = (env.tasks.size or TASKS * 7) // TASKS
    for index in range(TASKS):
        yield Ended(env, env.tasks.at(index * step).id)


@pytest.fixture(scope="module")
def played() -> list[Ended]:
    return [task for split in ("test", "train", "missing") for task in ended(split)]


def forms(task: Ended) -> Iterator[JsonArray]:
    """Yield the right values as different agents write them."""
    yield task.right
    if not alike(task):
        yield [*reversed(task.right)]
    if len(task.facts) == len(task.right) and not lacks(task):
        yield labelled(task, task.right)
        yield [*reversed(labelled(task, task.right))]
    yield [f"{value}" for value in task.right]
    kinds = {fact["type"] for fact in task.facts}
    if "number" in kinds:
        units = [fact.get("unit", "") for fact in task.facts]
        if len(units) == len(task.right):
            pairs = [*zip(task.right, units, strict=True)]
            yield [f"{value} {unit}".strip() for value, unit in pairs]
            yield [f"{value:,} {unit}".strip() if isinstance(value, int) else value for value, unit in pairs]
    if "date" in kinds:
        yield [written(value) for value in task.right]
    if kinds & {"names", "lacking"}:
        yield [value.upper() if isinstance(value, str) else value for value in task.right]
        yield [f" {value}." if isinstance(value, str) else value for value in task.right]


def alike(task: Ended) -> bool:
    """Return whether two facts of a task are of one type."""
    kinds = [fact["type"] for fact in task.facts]
    return len({*kinds}) < len(kinds) and "lacking" not in kinds


def written(value: Any) -> Any:
    """Return a date in words, and anything else as it is."""
    if not isinstance(value, str) or len(value) != 10 or value[4:5] != "-":
        return value
    year, month, day = value.split("-")
    return f"{int(day)} {MONTHS[int(month) - 1]} {year}"


def test_right_values_count_however_they_are_written(played: list[Ended]):
    tried = [(task, values) for task in played for values in forms(task)]
    lost = [(task.query, values) for task, values in tried if task.earned(values)[0] < 1]
    assert len(lost) <= 0.01 * len(tried), lost[:3]


def wrong(value: Any) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, int | float):
        return 1.5 * value + 7
    return shift(value) if shift(value) != value else {"yes": "no", "no": "yes"}.get(value, "Ottokar")


def listed(task: Ended) -> JsonArray:
    seen = Evidence(task.query, task.results, rng("values", 0), task.text)
    return [item.strip(" .") for item in candidates(seen).split(",")][:40]


def lacks(task: Ended) -> bool:
    return any(fact["type"] == "lacking" for fact in task.facts)


def swapped(task: Ended) -> JsonArray:
    """Return the right values, those of one type the other way round."""
    kinds = [fact["type"] for fact in task.facts]
    turned = {kind: [fact for fact in task.facts if fact["type"] == kind] for kind in kinds}
    return [value for kind in kinds for value in values_of([turned[kind].pop()])]


def labelled(task: Ended, values: JsonArray) -> JsonArray:
    """Return values behind the labels of the facts, in their order."""
    return [f"{fact['label']}: {value}" for fact, value in zip(task.facts, values, strict=True)]


CHEATS: dict[str, Callable[[Ended], JsonArray]] = {
    "none": lambda task: [],
    "wrong": lambda task: [*map(wrong, task.right)],
    "right and wrong": lambda task: [*task.right, *map(wrong, task.right)],
    "wrong and right": lambda task: [*map(wrong, task.right), *task.right],
    "right and one more": lambda task: [*task.right, 987654],
    "yes and no": lambda task: [*task.right, "yes", "no"],
    "either in one item": lambda task: [f"{value} or {wrong(value)}" for value in task.right],
    "both in one item": lambda task: [f"{value} / {wrong(value)}" for value in task.right],
    "denied": lambda task: [f"It is not true that: {value}" for value in task.right],
    "denied behind it": lambda task: [f"{value} - not!" for value in task.right],
    # A few words that say what is lacking are no cheat.
    "the text": lambda task: task.right if lacks(task) else [task.text],
    "all candidates": listed,
    "2,000 numbers": lambda task: [*task.right, *range(2000)],
    "a dump": lambda task: [f"{result}" for result in task.results],
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_values_that_are_not_the_right_ones_alone_earn_nothing(played: list[Ended], cheat: str):
    tried = [(task, CHEATS[cheat](task)) for task in played if task.right]
    # What is listed may be the answer, and a result may be one value.
    unlike = [(task, values) for task, values in tried if {*map(str, values)} != {*map(str, task.right)}]
    assert unlike
    passed = [(task.query, task.right, values[:5]) for task, values in unlike if task.earned(values)[0] > 0]
    assert len(passed) <= 0.02 * len(unlike), passed[:3]


def test_values_of_one_type_the_other_way_round_earn_nothing(played: list[Ended]):
    tried = [task for task in played if alike(task)]
    assert tried
    for task in tried:
        turned = swapped(task)
        for values in (
            turned,
            [*turned, *task.right],
            labelled(task, turned),
            [*reversed(labelled(task, turned))],
        ):
            assert task.earned(values)[0] == 0, (task.query, values)


def task_of(template: str, text: str, answer: str = "values") -> Ended:
    """Return the first ended task of a template whose query has a text."""
    env = stb_env.make("stb/Sandbox-v1", split="train", template=template, answer=answer)
    return next(Ended(env, task.id) for task in map(env.tasks.at, range(TASKS)) if text in task.query)


def test_a_swapped_pair_fails_and_the_reason_says_so():
    task = task_of("branch_closing", "pening")
    opening, closing = task.right
    assert task.earned(task.right)[0] == 1
    reward, verdict = task.earned([closing, opening])
    assert (reward, verdict["votes"][0]["reason"]) == (
        0,
        f"order: wanted {opening} (opening) before {closing} (closing), as the query asks for them, read the "
        f"other way round",
    )


@pytest.mark.parametrize(
    ("form", "earned"),
    [
        ("{0}-{1}", 1),
        ("{1}-{0}", 0),
        ("opens at {0}|closes at {1}", 1),
        ("closes at {1}|opens at {0}", 1),
        ("closes at {0}|opens at {1}", 0),
        ("opens at {1}|closes at {0}", 0),
        ("{0} or {1}|{1} or {0}", 0),
        ("{1}|{0}|{1}", 0),
    ],
)
def test_two_times_count_where_an_answer_says_which_is_which(form: str, earned: float):
    task = task_of("branch_closing", "pening")
    assert task.earned(form.format(*task.right).split("|"))[0] == earned


def test_values_in_units_that_only_one_fact_has_need_no_order():
    task = task_of("car_terms", "how far")
    distance, age = task.right
    assert task.earned([age, f"{distance} miles"])[0] == 1
    assert task.earned([age, distance])[0] == 0
    assert task.earned([f"{age} miles", distance])[0] == 0


def test_names_of_one_fact_have_no_order():
    task = task_of("crossword_pair", "")
    one, two = task.right
    assert [task.earned(values)[0] for values in ([two, one], [f"{two} and {one}"], [one])] == [1, 1, 0]


def test_an_amount_in_a_currency_that_nothing_returned_earns_nothing():
    task = task_of("product_price", "")
    cost, weight = task.right
    assert [task.earned([f"{cost} {code}", weight])[0] for code in ("AUR", "aurel", "EST")] == [1, 1, 0]


@pytest.mark.parametrize(
    ("value", "got"),
    [
        ({"opening": "09:15"}, '{"opening": "09:15"}'),
        (None, "null"),
        (["09:15", "20:30"], '["09:15", "20:30"]'),
        ("It opens at 09:15 and, as far as I was able to see, it closes at 20:30.", '"It opens'),
    ],
)
def test_an_item_that_is_no_bare_value_is_refused_at_once_and_may_be_given_again(value: Any, got: str):
    env = stb_env.make("stb/Sandbox-v1", answer="values")
    env.reset(seed=0)
    arguments = {"return_type": "give_answer", "final_answer": "So it is.", "values": ["yes", value]}
    _, reward, terminated, _, info = env.step({"name": FINISH, "arguments": arguments})
    error = info["calls"][0]["error"]
    assert (reward, terminated) == (0, False)
    assert error.startswith(
        "values[1] must be one bare value, a text of at most 60 characters, a number, true or false, got "
    )
    assert got in error
    assert error.endswith("; give each value an item of its own")


def test_either_counts_values_that_are_no_list_as_values():
    task = task_of("sun_times", "", "either")
    assert "counted: values" in task.earned("06:10")[1]["votes"][0]["reason"]


def test_an_answer_without_values_costs_a_turn_where_they_are_needed():
    env = stb_env.make("stb/Sandbox-v1", answer="values")
    env.reset(seed=0)
    observation, reward, terminated, _, info = env.step(
        {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": "42"}}
    )
    assert (observation["status"], reward, terminated) == (2, 0.0, False)
    assert info["calls"][0]["error"] == (
        'Finish needs values beside final_answer, a list of bare values as in ["Oslo", 4.5, "yes"] or, where '
        "nothing is asked for, an empty one; got nothing"
    )


@pytest.mark.parametrize("answer", ["values", "either"])
def test_gold_gives_values_where_finish_takes_them(answer: str):
    env = stb_env.make("stb/Sandbox-v1", answer=answer)
    for task in islice(map(env.tasks.at, range(0, 600, 60)), 10):
        ended = stb_env.play(env, Gold(), task_id=task.id, seed=1)
        assert ended.reward == 1.0
        finish = ended.steps[-1]["calls"][-1]
        assert finish["arguments"]["values"] == values_of(task.goal["facts"])


def test_either_says_which_of_both_counted():
    env = stb_env.make("stb/Sandbox-v1", answer="either")
    task = next(task for task in map(env.tasks.at, range(100)) if task.goal["facts"])
    reasons = []
    for more in ({}, {"values": ["nothing of the kind"]}):
        env.reset(seed=0, options={"task_id": task.id})
        arguments = {"return_type": "give_answer", "final_answer": "I do not know.", **more}
        info = env.step({"name": FINISH, "arguments": arguments})[4]
        reasons.append(info["verdict"]["votes"][0]["reason"])
    assert reasons[0].startswith("counted: text; ")
    assert reasons[1].startswith("counted: values; ")


def test_a_client_of_the_protocol_reads_what_values_are_and_answers_with_them():
    episode = DrivenEpisode("stb/Sandbox-v1", answer="values")
    episode.start(seed=0)
    task = Ended(stb_env.make("stb/Sandbox-v1", answer="values"), episode.task_id)

    async def use() -> tuple[Any, ...]:
        async with Client(EpisodeServer(lent(episode)).server()) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            wrong = {"return_type": "give_answer", "final_answer": task.text, "values": ["nothing"]}
            return tools[FINISH].input_schema["properties"]["values"], await client.call_tool(FINISH, wrong)

    values, finished = asyncio.run(use())
    assert values["items"]["maxLength"] == LONGEST_VALUE
    assert "in the order in which the query asks" in values["description"]
    assert (finished.is_error, episode.over, episode.reward) == (False, True, 0.0)


@pytest.mark.parametrize("style", ["tools", "react"])
def test_a_model_is_told_in_what_form_to_answer_and_what_was_wrong_with_its_own(style: Any):
    asked: list[str] = []

    def reply(request: Any) -> Any:
        asked.append(f"{request.messages} {request.tools}")
        arguments = {"return_type": "give_answer", "final_answer": "So it is."}
        if "needs values" in str(request.messages[-1]):
            arguments["values"] = []
        if style == "react":
            return f"Thought: It is.\nAction: {FINISH}\nAction Input: {json.dumps(arguments)}"
        function = {"name": FINISH, "arguments": json.dumps(arguments)}
        return {"content": "", "tool_calls": [{"id": "1", "type": "function", "function": function}]}

    env = stb_env.make("stb/Sandbox-v1", answer="values")
    played = stb_env.play(
        env, ChatAgent(ScriptedModel(reply), style=style), task_id=env.tasks.at(0).id, seed=0
    )
    assert "in the order in which the query asks" in asked[0]
    assert (len(asked), played.verdict["judge"]) == (2, "exact")


def test_finish_is_unchanged_where_the_text_counts():
    with_text, with_values = (stb_env.make("stb/Sandbox-v1", answer=form) for form in ("text", "values"))
    shown = [env.reset(seed=0)[1]["tools"][-1]["function"]["parameters"] for env in (with_text, with_values)]
    assert "values" not in shown[0]["properties"]
    assert "values" in shown[1]["properties"]
