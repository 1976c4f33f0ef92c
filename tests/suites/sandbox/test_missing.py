"""Split "missing": twins of which one can be done, and the other lacks a detail, a thing or a tool."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product
from pathlib import Path
from random import Random

import gymnasium as gym
import pytest

import stb_env  # noqa: F401
from stb_env.errors import DataError
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.baselines.null import Echo, GiveUp, Inject, Noop
from stb_env.suites.sandbox.cannot import REASONS, Gap
from stb_env.suites.sandbox.catalog import household, tools
from stb_env.suites.sandbox.content.edition import within
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.support import Evidence
from stb_env.suites.sandbox.task_key import EDITIONS
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import Draw, templates, twin_templates
from tests.suites.sandbox.gold_calls import WORLD, made
from tests.suites.sandbox.test_judging import play, verdict

SOURCE = SandboxTasks("missing")
EVERY = [SOURCE.at(index) for index in range(SOURCE.size)]
PAIRS = list(zip(EVERY[::2], EVERY[1::2], strict=True))
FEASIBLE = [task for task in EVERY if task.goal["cannot"] is None]
IMPOSSIBLE = [task for task in EVERY if task.goal["cannot"]]
TWIN = {one.id: other for pair in PAIRS for one, other in (pair, pair[::-1])}
CONSTANTS = [{"reason": reason, "what": [what]} for reason, whats in REASONS.items() for what in whats]
DRAWS = 300


def gap_of(task) -> Gap:
    return plan_of(task.id).gap


@lru_cache(maxsize=1)
def gaps() -> dict[str, Counter[Gap]]:
    """Return the gaps that each template draws."""
    found: dict[str, Counter[Gap]] = {}
    for name, template in twin_templates().items():
        with within(EDITIONS["missing"][0]):
            plans = [template.draw(Draw(Random(seed), feasible=False, number=seed)) for seed in range(DRAWS)]
        found[name] = Counter(plan.gap for plan in plans)
    return found


# -- twins --------------------------------------------------------------------------------------------------


def test_the_split_has_a_hundred_pairs_of_neighbours_of_which_one_can_be_done():
    assert (SOURCE.size, len(FEASIBLE), len(IMPOSSIBLE)) == (200, 100, 100)
    for pair in PAIRS:
        assert sum(task in FEASIBLE for task in pair) == 1
    assert {task.record["template"] for task in FEASIBLE} == set(twin_templates())


def test_neither_order_nor_id_nor_form_tells_which_twin_can_be_done():
    assert 35 <= sum(first in FEASIBLE for first, _ in PAIRS) <= 65
    for first, second in PAIRS:
        for of in (
            lambda task: task.id.rpartition("-")[0],
            lambda task: (task.answer, task.cannot, task.group),
            lambda task: (task.record["template"], task.record["level"], task.record["household"]),
        ):
            assert of(first) == of(second), first.id


def test_no_two_tasks_have_both_the_same_query_and_the_same_tools():
    assert len({(task.query, frozenset(tool.name for tool in task.tools)) for task in EVERY}) == len(EVERY)


@pytest.mark.parametrize("distractors", [0, 4, 20])
def test_twins_offer_the_same_tools_but_for_those_that_one_lacks(distractors):
    source = SandboxTasks("missing", distractors=distractors)
    for task in IMPOSSIBLE:
        tools_of = [
            [tool.id for tool in source.get(f"{each.id}-d{distractors}").tools]
            for each in (task, TWIN[task.id])
        ]
        withheld = {api.id for api in gap_of(task).withheld}
        assert withheld.isdisjoint(tools_of[0])
        assert bool(withheld) is bool(withheld & {*tools_of[1]})
        if not withheld:
            assert tools_of[0] == tools_of[1]


def test_every_task_of_every_split_offers_the_same_way_out():
    for split in ("train", "val", "test", "missing"):
        source = SandboxTasks(split)
        assert all(source.at(index).cannot == REASONS for index in range(0, 200, 9))


@pytest.mark.heavy
def test_twin_templates_are_in_no_other_split():
    assert not twin_templates().keys() & templates().keys()
    for name, split in product(twin_templates(), ("train", "val", "test")):
        with pytest.raises(DataError, match=f"no sandbox task '{split}-{name}-0'"):
            SandboxTasks().get(f"{split}-{name}-0")


@pytest.mark.parametrize("name", twin_templates())
def test_a_template_has_three_wordings_and_many_instances(name):
    drawn = set()
    for seed in range(DRAWS):
        draw = Draw(Random(seed))
        assert len(set(twin_templates()[name].draw(draw).wordings)) >= 3
        drawn.add(tuple(draw.slots))
    assert len(drawn) >= 25


# -- what may be lacking ------------------------------------------------------------------------------------


@pytest.mark.heavy
def test_every_word_is_lacking_somewhere_and_no_reason_is_rare():
    used = {(gap.reason, what) for found in gaps().values() for gap in found for what in gap.what}
    assert used == {(reason, what) for reason, whats in REASONS.items() for what in whats}
    split = Counter(task.goal["cannot"]["reason"] for task in IMPOSSIBLE)
    assert min(split[reason] for reason in REASONS) >= 20


def test_the_docs_list_every_word():
    rows = (Path(__file__).parents[3] / "docs/suites/sandbox.md").read_text().splitlines()
    listed = {reason: next(row for row in rows if row.startswith(f"| `{reason}`")) for reason in REASONS}
    for reason, whats in REASONS.items():
        assert f"| {', '.join(f'`{what}`' for what in whats)} |" in listed[reason]


def test_a_tool_of_the_world_does_or_finds_what_is_lacking():
    for task in IMPOSSIBLE:
        plan, twin = plan_of(task.id), TWIN[task.id]
        withheld = {tools()[api.id].name for api in plan.gap.withheld}
        assert bool(withheld) is (plan.gap.reason == "no_tool")
        assert bool(withheld) is bool(withheld & {call.name for call in twin.gold})
        if plan.gap.hidden:
            # The look that the twin makes finds there what it does not find here.
            assert Evidence(made(twin, twin.gold)).looked(plan_of(twin.id).looks)


def test_details_are_left_out_one_by_one_and_two_by_two():
    for name in ("event_added", "hired_car", "money_moved", "dinner_table"):
        assert {len(gap.what) for gap in gaps()[name] if gap.reason == "missing_detail"} == {1, 2}


# -- scores -------------------------------------------------------------------------------------------------


def test_gold_solves_both_twins_and_changes_nothing_where_it_refuses():
    for task in EVERY:
        ending, calls, state = play(task)
        assert verdict(task, ending, state).score == 1, (task.id, ending)
        assert calls == task.gold
        if task in IMPOSSIBLE:
            assert ending["cannot"] == task.goal["cannot"]
            assert state is household(task.record["household"])
        else:
            assert len(calls) == task.record["level"], task.id
            assert set(task.goal["writes"]) == set(twin_templates()[task.record["template"]].writes)


def test_gold_solves_from_where_it_has_been_already():
    for task in FEASIBLE:
        _, _, state = play(task)
        ending, _, state = play(task, state)
        assert verdict(task, ending, state).score == 1, task.id


def test_the_answer_of_the_twin_earns_nothing():
    for task in IMPOSSIBLE:
        assert verdict(task, {"answer": TWIN[task.id].goal["answer"]}).score == 0, task.id


def test_another_reason_another_word_one_more_and_one_less_earn_nothing():
    tried = 0
    for task in IMPOSSIBLE:
        right = task.goal["cannot"]
        others = [each for each in REASONS[right["reason"]] if each not in right["what"]]
        wrong = [given for given in CONSTANTS if given != right]
        wrong += [{**right, "what": [*right["what"], other]} for other in others]
        wrong += [{**right, "what": [what]} for what in right["what"] if len(right["what"]) > 1]
        for given in wrong:
            assert verdict(task, {"cannot": given}).score == 0, (task.id, given)
            tried += 1
    assert tried > 3_000


def test_words_count_in_any_order():
    task = next(task for task in IMPOSSIBLE if len(task.goal["cannot"]["what"]) == 2)
    right = task.goal["cannot"]
    assert verdict(task, {"cannot": {**right, "what": right["what"][::-1]}}).score == 1


def test_what_only_a_look_shows_earns_nothing_without_one():
    hidden = [task for task in IMPOSSIBLE if gap_of(task).hidden]
    assert len(hidden) > 30
    for task in IMPOSSIBLE:
        judged = verdict(task, {"cannot": task.goal["cannot"]}, calls=())
        assert judged.score == (task not in hidden), task.id
        # Calls that its twin makes on the way and that find nothing are no look.
        around = [call for call in TWIN[task.id].gold if call not in task.gold]
        lookup = made(task, tuple(call for call in around if "search_cities" in call.name))
        if task in hidden and task.goal["cannot"]["what"] != ["city"]:
            assert verdict(task, {"cannot": task.goal["cannot"]}, calls=lookup).score == 0, task.id


def test_doing_something_earns_nothing_even_with_the_right_words():
    acted = 0
    for task in IMPOSSIBLE:
        _, _, state = play(TWIN[task.id])
        if state is not household(task.record["household"]):
            judged = verdict(task, {"cannot": task.goal["cannot"]}, state)
            assert judged.score == judged.reward("partial") == 0, task.id
            acted += 1
    assert acted > 50


def test_a_refusal_earns_nothing_where_the_request_can_be_met():
    for task in FEASIBLE:
        _, _, state = play(task)
        for given in [*CONSTANTS, TWIN[task.id].goal["cannot"]]:
            assert verdict(task, {"cannot": given}, state).score == 0, (task.id, given)


def test_agents_that_always_or_never_refuse_earn_half_at_most():
    shares = {
        (given["reason"], given["what"][0]): sum(verdict(task, {"cannot": given}).score for task in EVERY)
        / len(EVERY)
        for given in CONSTANTS
    }
    blind = [task for task in EVERY if not (gap_of(task).hidden or task in FEASIBLE)]
    # docs/suites/sandbox.md has these figures.
    assert max(shares.values()) == 0.03
    assert len(FEASIBLE) / len(EVERY) == len(IMPOSSIBLE) / len(EVERY) == 0.5
    # Without a call nothing else can be right, and to know when takes reading the query and the tools.
    assert len(blind) / len(EVERY) == 0.26
    for task in FEASIBLE:
        assert verdict(task, {"answer": task.goal["answer"]}, calls=()).score == 0, task.id


# -- the environment ----------------------------------------------------------------------------------------


def played(agent, task_id: str) -> float:
    env = gym.make("stb/Sandbox-v1", split="missing")
    observation, info = env.reset(seed=0, options={"task_id": task_id})
    agent.reset(env, 0)
    total, done = 0.0, False
    while not done:
        observation, reward, terminated, truncated, info = env.step(agent.act(observation, info))
        total, done = total + reward, terminated or truncated
    return total


@pytest.mark.parametrize("agent", [Noop, GiveUp, Echo, Inject], ids=lambda agent: agent.name)
def test_null_agents_score_next_to_nothing_in_the_environment(agent):
    assert sum(played(agent(), task.id) for task in EVERY[::4]) <= 3


def test_gold_scores_everything_in_the_environment():
    assert {played(Gold(), task.id) for task in EVERY[::9]} == {1.0}


def test_a_start_of_the_world_is_the_same_for_both_twins():
    for first, second in PAIRS[::10]:
        assert WORLD.start(first, 0) is WORLD.start(second, 0)
