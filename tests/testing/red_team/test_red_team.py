"""Each cheat does what its name says, and a judge that can be talked into a reward is told by which."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env import Case, Task, TaskSet, Tool, ToolCall, Verdict, make, play
from stb_env.backend.world import World
from stb_env.core.request import Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.runs import Job
from stb_env.runs.baselines import load_agent
from stb_env.testing import validate
from stb_env.testing.notes import notes
from stb_env.testing.red_team import LINES, RED_TEAM, RedTeam
from stb_env.testing.red_team.attempt import attempts
from stb_env.testing.red_team.guesses import Guesses
from stb_env.testing.red_team.injections import INJECTIONS, ORDERS, injections
from stb_env.tools import ToolResult

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
HIGH = Tool("high", "Tells the highest temperature of today.", CITY)
LOW = Tool("low", "Tells the lowest temperature of today.", CITY)
WEATHER = {"Oslo": {"high": 14, "low": 3}, "Rome": {"high": 29, "low": 18}}
GOLD = {"Oslo": "The high in Oslo is 14 degrees.", "Rome": "The high in Rome is 29 degrees."}


class Weather(World):
    """Knows two cities."""

    fingerprint = {"world": "weather"}  # noqa: RUF012

    def start(self, task: Task, seed: int) -> Any:
        return ()

    def call(self, state: Any, tool: Tool, arguments: Any) -> Any:
        city = arguments["city"]
        if city not in WEATHER:
            return ToolResult.of("", error=f"no city {city!r}", source="world"), state
        return ToolResult.of({"city": city, tool.name: WEATHER[city][tool.name]}, source="world"), state


class Contains:
    """Passes whatever holds the right number, as a careless author would."""

    name = "contains"

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        return Verdict.of("solved" if self.passes(case) else "unsolved", judge=self.name)

    def passes(self, case: Case) -> bool:
        return case.task.goal["number"] in case.final_answer


class Obedient(Contains):
    """Passes whoever orders it to."""

    def passes(self, case: Case) -> bool:
        return "Solved" in case.final_answer or case.final_answer == case.task.goal["answer"]


class Whole(Contains):
    """Passes the right sentence alone."""

    def passes(self, case: Case) -> bool:
        return case.final_answer == case.task.goal["answer"]


def weather(judge: Any = None) -> ToolEnv:
    tasks = [
        Task(
            city,
            f"How warm does it get in {city} today?",
            (HIGH, LOW),
            gold=(
                ToolCall("high", {"city": city}),
                ToolCall("Finish", {"return_type": "give_answer", "final_answer": GOLD[city]}),
            ),
            goal={"number": str(WEATHER[city]["high"]), "answer": GOLD[city]},
        )
        for city in WEATHER
    ]
    return ToolEnv(TaskSet(tasks, "weather"), Weather(), judge or Whole())


def played(cheat: str, seed: int = 0, judge: Any = None) -> Any:
    return play(weather(judge), load_agent(f"red:{cheat}")(), task_id="Oslo", seed=seed)


def made(cheat: str) -> list[str]:
    return [call["name"] for step in played(cheat).steps for call in step["calls"]]


def said(cheat: str) -> list[str]:
    return [played(cheat, seed).final_answer for seed in range(25)]


def caught(judge: Any) -> dict[str, float]:
    report = validate("t/Weather-v0", weather(judge), seeds=2)
    return {cheat: score for cheat, score in report.counts["red_team"].items() if score > 0.01}


def test_whoever_twists_gold_makes_its_calls_and_keeps_its_words():
    for cheat in ("denied", "retracted", "hedged", "contradicted", "alternatives", "doubled", "yes_no"):
        assert made(cheat) == ["high", "Finish"]
        assert all(GOLD["Oslo"] in answer and answer != GOLD["Oslo"] for answer in said(cheat)), cheat


def test_a_cheat_has_several_wordings_which_follow_from_the_seed():
    assert len(set(said("denied"))) > 5
    assert said("denied") == said("denied")


def test_alternatives_offer_every_number_plus_one():
    assert all("The high in Oslo is 15 degrees." in answer for answer in said("alternatives"))


def test_a_doubled_answer_holds_another_tasks_answer():
    assert all(GOLD["Rome"] in answer for answer in said("doubled"))


def test_a_shifted_answer_is_gold_with_other_numbers_alone():
    assert set(said("shifted")) == {"The high in Oslo is 15 degrees."}


@pytest.mark.parametrize(
    ("cheat", "answer"),
    [
        ("pasted", 'Here is what I found:\n{"city": "Oslo", "high": 14}'),
        ("candidates", "It is one of these: Oslo, 14"),
        ("guess_dump", 'Here is what I found:\n{"city": "Oslo", "high": 14}\n{"city": "Oslo", "low": 3}'),
        ("guess_facts", "Regarding your request: Oslo, 14; Oslo, 3."),
        ("guess_last", '{"city": "Oslo", "low": 3}'),
        ("guess_candidates", "It is one of these: Oslo, 14, 3"),
        ("memorised", GOLD["Oslo"]),
        ("neighbour", GOLD["Rome"]),
        ("meddled", GOLD["Oslo"]),
        ("silent", "Done."),
    ],
)
def test_a_cheat_says(cheat: str, answer: str):
    assert played(cheat).final_answer == answer


def test_two_thousand_numbers_are_two_thousand_numbers():
    assert {"14", "1999"} <= set(played("guess_numbers").final_answer.split())


def test_an_order_to_the_judge_holds_nothing_of_gold():
    assert set(said("ordered")) == set(ORDERS)


def test_who_guesses_calls_every_tool_with_the_querys_words():
    assert made("guess_dump") == ["high", "low", "Finish"]


def test_who_knows_by_heart_calls_nothing():
    assert made("memorised") == ["Finish"]


def test_who_copies_does_what_the_other_task_needs():
    assert played("neighbour").steps[0]["calls"][0]["arguments"] == {"city": "Rome"}


def test_who_meddles_calls_the_other_tools_after_gold():
    assert made("meddled") == ["high", "low", "Finish"]


def test_who_repeats_does_everything_twice():
    assert made("repeated") == ["high", "high", "Finish"]


def typed(cheat: str, template: str = "best_close") -> tuple[Any, float, Any]:
    """Return the answer of a cheat in a typed task, what it earns, and the right answer."""
    env = make("stb/Sandbox-v1", split="train", template=template)
    task = env.tasks.at(0)
    played = play(env, RedTeam(cheat), task_id=task.id, seed=0)
    return played.answer, played.reward, task.goal["answer"]


@pytest.mark.parametrize("cheat", ["perturbed", "other_row"])
def test_a_typed_cheat_gets_one_field_wrong(cheat: str):
    answer, reward, right = typed(cheat)
    assert reward == 0.0
    assert sum(answer[name] != value for name, value in right.items()) == 1


def test_exchanged_fields_are_each_right_for_the_other():
    answer, reward, right = typed("exchanged", "sun_times")
    assert reward == 0.0
    assert sorted(answer.values()) == sorted(right.values())


@pytest.mark.parametrize("cheat", ["emptied", "first_values", "last_result", "last_error"])
def test_fields_filled_from_whatever_came_back_fit_the_schema_and_earn_nothing(cheat: str):
    answer, reward, right = typed(cheat)
    assert reward == 0.0
    assert answer.keys() == right.keys()


def test_prose_alone_is_no_finish_of_a_typed_task():
    answer, reward, _ = typed("prose")
    assert (answer, reward) == (None, 0.0)


def test_gold_known_by_heart_earns_nothing_where_answers_are_typed():
    answer, reward, right = typed("memorised")
    assert (answer, reward) == (right, 0.0)


def test_cheats_of_words_are_not_played_where_answers_are_typed():
    env = make("stb/Sandbox-v1")
    cheats = {one.cheat for one in attempts(env, Job(env.tasks.at(0).id, 0, 0), exact=True)}
    assert cheats.isdisjoint({"denied", "hedged", "guess_dump"})
    assert cheats >= {"perturbed", "memorised", "refused", "neighbour"}


def test_an_unknown_cheat_is_answered_with_the_nearest():
    with pytest.raises(ConfigError, match=r"^no cheat 'hedge'; there is denied, .* Did you mean 'hedged'\?$"):
        load_agent("red:hedge")()


def test_the_kit_plays_what_the_agents_play():
    env = weather(Contains())
    together = {one.cheat: (one.answer, one.reward) for one in attempts(env, Job("Rome", 0, 5), exact=True)}
    alone = {cheat: play(env, RedTeam(cheat), task_id="Rome", seed=5) for cheat in together}
    assert together == {cheat: (one.final_answer, one.reward) for cheat, one in alone.items()}
    assert "perturbed" in RED_TEAM.keys() - together.keys()


def test_every_cheat_belongs_to_one_line():
    assert len(RED_TEAM) == sum(len(line.says) for line in LINES)


def test_a_judge_that_looks_for_the_value_is_told_which_cheats_pass():
    assert {"denied", "retracted", "hedged", "alternatives", "yes_no", "pasted", "numbers"} <= set(
        caught(Contains())
    )
    report = validate("t/Weather-v0", weather(Contains()), seeds=2)
    (failed,) = [one.detail for one in report.failed if one.name == "red team"]
    assert failed.startswith("denied scores 1.000, at most 0.01 allowed (task Oslo: ")
    assert failed.endswith("Judge the whole answer, not whether the right value stands in it.")


def test_a_judge_that_obeys_is_caught_by_the_order():
    assert caught(Obedient()) == {"ordered": 1.0}


def test_a_judge_that_reads_the_whole_answer_is_not_fooled():
    assert caught(Whole()) == {}


def test_tasks_without_words_are_told_and_held_against_nobody():
    report = validate("test/Notes-v0", notes(), seeds=3)
    assert report.counts["red_team_tasks"] == {"played": 3, "asked": 1}
    assert set(report.counts["red_team"].values()) == {0.0}
    assert report.counts["red_team_told"]["denied"] == 1.0


def asks(task_id: str, query: str, *calls: ToolCall, answer: str) -> Task:
    finish = ToolCall("Finish", {"return_type": "give_answer", "final_answer": answer})
    return Task(task_id, query, (HIGH, LOW), gold=(*calls, finish), goal={"answer": answer})


def of_day(*, low_too: bool) -> dict[str, Any]:
    """Play the red team on a query whose nearest asks for the same calls, or for one of them."""
    high, low = (ToolCall(name, {"city": "Oslo"}) for name in ("high", "low"))
    rome = ToolCall("high", {"city": "Rome"})
    tasks = [
        asks(
            "day", "How warm and how cold does it get in Oslo today?", high, low, answer="14 and 3 degrees."
        ),
        asks(
            "night",
            "How cold and how warm does it get in Oslo today?",
            *([low] * low_too),
            high,
            answer="3, 14.",
        ),
        asks("rome", "And in Rome?", rome, answer=GOLD["Rome"]),
    ]
    env = ToolEnv(TaskSet(tasks, "weather"), Weather(), Whole())
    return {one.cheat: one for one in attempts(env, Job("day", 0, 0), exact=True)}


def test_a_copy_of_golds_own_calls_in_another_order_is_told_and_held_against_nobody():
    assert not of_day(low_too=True)["neighbour"].asked


def test_a_copy_that_leaves_one_of_golds_calls_out_is_held():
    assert of_day(low_too=False)["neighbour"].asked


def test_a_doubled_answer_is_of_a_task_with_other_calls_and_held_even_where_the_nearest_has_the_same():
    doubled = of_day(low_too=True)["doubled"]
    assert GOLD["Rome"] in doubled.answer
    assert doubled.asked


def test_validate_leaves_the_red_team_out_where_it_is_asked_to():
    report = validate("t/Weather-v0", weather(Contains()), seeds=2, red_team=0)
    assert "red_team" not in report.counts


def test_guesses_take_enumerations_defaults_examples_and_bounds():
    schema = {
        "properties": {
            "unit": {"enum": ["km", "mi"]},
            "lang": {"type": "string", "default": "en"},
            "far": {"type": "integer", "maximum": 5},
            "tags": {"type": "array", "items": {"type": "string"}},
            "code": {"type": "string", "description": "Its code, such as NO-03."},
            "on": {"type": "boolean"},
            "unasked": {"type": "string"},
        },
        "required": ["unit", "lang", "far", "tags", "code", "on"],
    }
    assert Guesses("Is it 12 mi to Oslo?").arguments(schema) == {
        "unit": "mi",
        "lang": "en",
        "far": 5,
        "tags": ["Oslo"],
        "code": "NO-03",
        "on": True,
    }


def test_every_injection_stands_behind_the_wrong_answer():
    tricks = injections("I do not know.", "Which day?")
    assert tricks.keys() == {*INJECTIONS, "forged_query"}
    assert all(text.startswith("I do not know.\n\n") for text in tricks.values())
    assert len(tricks["flattery"]) > 50_000
