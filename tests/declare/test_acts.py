"""Tasks that ask for acts: checks of calls, order, counts and state; parts; clocks, events, facts, seeds."""

from __future__ import annotations

import itertools
import os
import pickle
import random
import time
from typing import Any

import pytest

import stb_env
from stb_env import checks
from stb_env.declare import Clock
from stb_env.errors import ConfigError, DataError
from stb_env.runs import Deadlines, as_agent, play
from stb_env.testing.claims import check_claims, check_other_acts
from stb_env.testing.report import Report
from stb_env.testing.subject import Subject, draws

pytestmark = pytest.mark.usefixtures("forgotten")


def order(state: dict, item: str, count: int = 1) -> int:
    """Order an item."""
    if not item:
        raise ValueError("order what?")
    state[item] = state.get(item, 0) + count
    return state[item]


def cancel(state: dict, item: str) -> str:
    """Cancel an order."""
    del state[item]
    return "cancelled"


def orders(state: dict) -> dict:
    """List the orders."""
    return state


def named() -> list[dict]:
    """Name what can be ordered."""
    return [{"item": "A-9"}, {"item": "B-7"}]


def diary(state: dict, clock: Clock) -> dict:
    """Tell the day, and how many calls were made."""
    return {"today": clock.today, "calls": clock.calls}


def leave() -> None:
    """Leave."""
    raise SystemExit(3)


def hang() -> None:
    """Take for ever."""
    time.sleep(30)


TOOLS = [order, cancel, orders]
A9 = {"name": "order", "arguments": {"item": "A-9"}}
LIST = {"name": "orders", "arguments": {}}
DONE = {"name": "Finish", "arguments": {"final_answer": "I have ordered one A-9."}}


def made(*tasks: Any, name: str = "t/Desk-v0", **settings: Any) -> Any:
    whole = {"tools": TOOLS, "state": dict, "tasks": list(tasks)} | settings
    stb_env.environment(name, **whole)
    return stb_env.make(name)


def ended(env: Any, *actions: Any, task_id: str = "1") -> dict[str, Any]:
    env.reset(seed=0, options={"task_id": task_id})
    for action in actions:
        info = env.step(action)[4]
    return info


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (checks.called(order), [A9], [[], [LIST], [call("order", item="")]]),
        (checks.called("order", {"item": "A-9"}, times=1), [A9], [[A9, A9], [call("order", item="A-8")]]),
        (checks.called(order, {"count": 2}), [call("order", item="x", count="2")], [[A9]]),
        (checks.called(order, times=(1, 2)), [A9, A9], [[A9, A9, A9], []]),
        (checks.called(order, times=(2,)), [A9, A9, A9], [[A9]]),
        (checks.not_called(cancel), [A9], [[A9, call("cancel", item="B")]]),
        (checks.not_called(order, {"item": "B"}), [A9], [[A9, call("order", item="B")]]),
        (checks.in_order("orders", order), [LIST, A9], [[A9, LIST], [LIST]]),
        (checks.state(orders, equals={"A-9": 1}), [A9], [[], [A9, A9], [A9, call("order", item="B")]]),
        (checks.state(orders, has={"A-9": 1}), [A9, call("order", item="B")], [[LIST]]),
        (checks.state(cancel, {"item": "A-9"}, error="A-9"), [LIST], [[A9]]),
        (checks.said(contains="ordered"), [A9], [[]]),
    ],
)
def test_what_was_done_decides_and_a_claim_is_unsolved(check: Any, right: list[Any], wrong: list[list[Any]]):
    env = made(stb_env.task("Order one A-9.", gold=[*right], check=check))
    assert ended(env, *right, DONE)["verdict"]["status"] == "solved"
    for actions in wrong:
        assert ended(env, *actions, DONE)["verdict"]["status"] == "unsolved", actions


def test_all_checks_must_hold_and_each_is_a_part():
    def seen(case: stb_env.Case) -> dict[str, bool]:
        return {"ordered": "A-9" in case.state, "listed": any(one.name == "orders" for one in case.calls)}

    task = stb_env.task(
        "Order one.", gold=[A9, LIST], check=[checks.called(order), checks.not_called("cancel"), seen]
    )
    env = made(task)
    parts = {"act: order": True, "kept:cancel": True, "check:ordered": True, "check:listed": False}
    info = ended(env, A9, DONE)
    assert (info["verdict"]["parts"], info["verdict"]["status"]) == (parts, "unsolved")
    partial = stb_env.make("t/Desk-v0", reward="partial")
    assert [sum(_rewards(partial, line)) for line in ([A9, DONE], [DONE], [A9, LIST, DONE])] == [2 / 3, 0, 1]


def _rewards(env: Any, actions: list[Any]) -> list[float]:
    env.reset(seed=0)
    return [env.step(action)[1] for action in actions]


def test_a_check_of_the_case_sees_calls_state_clock_and_what_was_said():
    cases = []

    def check(case):
        cases.append(case)
        return True

    env = made(stb_env.task("Order.", gold=[A9], check=check), tools=[*TOOLS, diary], today="2026-03-09")
    ended(env, A9, call("diary"), DONE)
    (case,) = cases
    assert (case.state, case.clock.calls, case.final_answer) == (
        {"A-9": 1},
        2,
        DONE["arguments"]["final_answer"],
    )
    assert [one.name for one in case.calls] == ["order", "diary", "Finish"]
    assert case.calls[1].result.response == {"today": "2026-03-09", "calls": 2}


def test_others_change_the_state_before_a_call_also_in_forks():
    def gift(state):
        state["gift"] = 1

    env = made(stb_env.task("Order.", gold=[A9], answer={"count": 1}, events={2: gift}))
    env.reset(seed=0)
    env.step(A9)
    fork = env.fork()
    assert env.step(LIST)[4]["calls"][0]["response"] == {"A-9": 1, "gift": 1}
    assert fork.step(LIST)[4]["calls"][0]["response"] == {"A-9": 1, "gift": 1}
    assert env.step(LIST)[4]["calls"][0]["response"] == {"A-9": 1, "gift": 1}


def test_a_user_knows_facts_that_every_task_can_ask_for():
    first = stb_env.task(
        "Order my size.", gold="ask_user('size')\norder('M')", check=checks.called(order, {"item": "M"})
    )
    env = made(stb_env.task("Order.", gold=[A9], answer={"n": 1}), _with(first, facts={"size": "M"}))
    assert [tool.name for tool in env.tasks[0].tools] == ["order", "cancel", "orders", "ask_user"]
    assert ended(env, call("ask_user", about="size"))["calls"][0]["error"] == "The user does not know that."
    assert ended(env, call("ask_user", about="size"), task_id="2")["calls"][0]["response"] == "M"


def _with(query: Any, facts: Any) -> Any:
    return stb_env.task(query.text, gold=query.gold, check=list(query.checks), facts=facts)


def test_policy_tools_and_user_of_a_task():
    def user(_task: Any, _state: Any, text: str) -> str:
        return f"You said {text}"

    tasks = [stb_env.task("Order.", gold=[A9], answer={"n": 1}, tools=[order, "orders"], policy="No B.")]
    env = made(*tasks, policy="Be kind.", user=user)
    observation, info = env.reset(seed=0)
    assert info["messages"][0]["content"].endswith("\n\nBe kind.\n\nNo B.")
    assert "cancel" not in observation["tools"]
    assert "You said Hello" in env.step("Hello")[0]["result"]


@pytest.mark.parametrize("tool", [leave, hang])
def test_a_tool_that_leaves_or_hangs_ends_its_episode_and_nothing_else(tool: Any):
    made(stb_env.task("Do.", answer={"n": 1}), tools=[tool])
    agent = as_agent(lambda _observation, _info: call(tool.__name__))
    begun = time.monotonic()
    episode = play(stb_env.make("t/Desk-v0"), agent, task_id="1", seed=0, deadlines=Deadlines(call=0.5))
    kind = {leave: "internal", hang: "timeout"}[tool]
    assert (episode.valid, episode.failure["kind"]) == (False, kind)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("timeout", [1, {hang: 0.05}, {"hang": 0.05}])
def test_a_tool_may_have_a_time_limit_of_its_own(timeout: Any):
    env = made(stb_env.task("Do.", answer={"n": 1}), tools=[hang, orders], state=dict, timeout=timeout)
    assert "failure" not in ended(env, LIST)
    failure = ended(env, call("hang"))["failure"]
    seconds = 1 if timeout == 1 else 0.05
    said = f"tool 'hang' did not return: the call took longer than its deadline of {seconds} s"
    assert (failure["kind"], failure["message"]) == ("timeout", said)


def test_a_potential_is_given_the_state_of_functions_also_beside_a_clock():
    task = stb_env.task("Order.", gold=[A9], check=checks.called(order), events={9: lambda state: None})
    made(task)
    env = stb_env.make("t/Desk-v0", reward="dense", potential=lambda task, state, calls: len(state) / 2)
    env.reset(seed=0)
    assert [env.step(action)[1] for action in (A9, DONE)] == [0.5, 0.5]


def test_a_check_that_leaves_decides_nothing():
    env = made(stb_env.task("Do.", check=lambda case: leave()))
    assert ended(env, DONE)["failure"]["stage"] == "judge"


def drawn(seed: int) -> Any:
    count = random.Random(seed).randint(1, 9)
    done = checks.called("order", {"item": "A-9", "count": count}, times=1)
    return stb_env.task(f"Order {count} A-9.", gold=f"order('A-9', {count})", check=done)


def test_tasks_come_from_seeds_without_end_in_splits():
    splits = {"test": (0, 5), "train": (1000, None)}
    env = made(tasks=drawn, splits=splits, name="t/Seeds-v0")
    assert (env.tasks.size, env.tasks.at(6).id, env.tasks.get("1234").split) == (5, "1", "train")
    train = stb_env.make("t/Seeds-v0", split="train", order="sequential")
    assert (train.tasks.size, train.reset(seed=0)[1]["task_id"], train.reset()[1]["task_id"]) == (
        None,
        "1000",
        "1001",
    )
    again = pickle.loads(pickle.dumps(train.tasks.at(7)))
    assert again.key == train.tasks.at(7).key
    assert env.tasks.hash == stb_env.make("t/Seeds-v0").tasks.hash != train.tasks.hash
    with pytest.raises(
        DataError, match=r"^no task '7' in t/Seeds-v0; its seeds are test from 0 to 4, train from"
    ):
        env.tasks.get("7")
    (gold,) = env.tasks.get("3").gold
    assert (
        ended(env, {"name": gold.name, "arguments": gold.arguments}, DONE, task_id="3")["verdict"]["score"]
        == 1
    )


def test_a_user_who_is_a_model_needs_one(monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in os.environ if name.startswith(("STB_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    with pytest.raises(
        ConfigError, match=r"^the user of t/Desk-v0 is a model; name a models file with the role user"
    ):
        made(stb_env.task("x", answer=1), user="model")


def forgetful(_seed: int, _count: Any = itertools.count()) -> Any:  # noqa: B008 (one count for all seeds)
    return stb_env.task(f"Order {next(_count)}.", answer={"n": 1})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tasks": forgetful}, r"^tasks of t/Desk-v0 returned two tasks for the seed 0; draw from random"),
        ({"tasks": lambda seed: "x"}, r"^tasks of t/Desk-v0 returned a str for the seed 0; return stb_env"),
        ({"tasks": lambda seed: 1 / seed}, r"^tasks of t/Desk-v0 raised ZeroDivisionError for the seed 0"),
        (
            {"tasks": drawn, "splits": {"a": (0, None), "b": (5, 9)}},
            r"^the splits 'a' and 'b' of .* share seeds",
        ),
        (
            {"tasks": drawn, "splits": {"a": (5, 5)}},
            r"^the split 'a' of t/Desk-v0 is \(5, 5\); give its first",
        ),
        ({"splits": {"a": (0, 5)}}, r"^splits of t/Desk-v0 are for tasks from seeds; give each"),
        (
            {"tasks": itertools.repeat(stb_env.task("x", answer=1))},
            r"^t/Desk-v0 lists more than 100000 tasks; for tasks without end give a function of a seed$",
        ),
        (
            {"tools": [diary]},
            r"^tool 'diary' takes the clock, and task '1' of t/Desk-v0 has no day; give env",
        ),
        ({"timeout": 0}, r"^timeout of t/Desk-v0 is 0; give a number of seconds above 0$"),
        ({"timeout": {"ordr": 1}}, r"^timeout of t/Desk-v0 names 'ordr', .* Did you mean 'order'\?$"),
        ({"today": "9 March"}, r"^today of t/Desk-v0 is '9 March'; give a date, as in '2026-03-09'$"),
    ],
)
def test_a_wrong_declaration_is_refused_at_once(settings: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        made(stb_env.task("x", answer=1), **settings)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ([len, len], r"^check of the task 'x' is .* or of case, got len.obj, /.: too many"),
        (
            checks.called("ordr"),
            r"^a check of task '1' calls 'ordr', which is none .* Did you mean 'order'\?$",
        ),
        (checks.called(order, {"itm": "x"}), r"gives 'order' the argument 'itm'; it takes item, count\. Did"),
        (
            checks.state(cancel, equals=1),
            r"^a check of task '1' calls 'cancel' with wrong arguments: missing",
        ),
    ],
)
def test_a_wrong_check_is_refused_when_it_is_declared(check: Any, message: str):
    with pytest.raises(ConfigError, match=message):
        made(stb_env.task("x", check=check))


def test_validation_names_the_tasks_that_pay_for_a_claim():
    env = made(
        stb_env.task("Order.", gold=[A9], check=lambda answer, state: True),
        stb_env.task("Order and count.", gold=[A9, LIST], answer={"count": 1}),
        stb_env.task("Order, really.", gold=[A9], check=checks.called(order)),
        *(
            stb_env.task("Order and count, really.", gold=[A9, LIST], answer={"count": 1}, check=check)
            for check in (checks.called(order), checks.state(orders, equals={"A-9": 1}))
        ),
        *(
            stb_env.task(
                "Order, and keep what there is.",
                gold=[LIST, A9],
                check=[checks.state(orders, has={"A-9": 1}), checks.state(orders, has={}, kept=kept)],
            )
            for kept in (False, True)
        ),
    )
    report = Report("t/Desk-v0")
    check_claims(report, Subject(env, None, draws(env, None, 0), lambda *_: None))
    assert report.counts["claims"] == {
        "tasks": 7,
        "paid": {"claim": ["1"], "sentence": ["1"], "liar": ["2", "6"]},
    }
    assert "(for the verdict, answer:count, state:orders 2)" in report.checks[-1].detail
    assert not report.passed


def test_validation_tells_where_another_act_is_as_good():
    one = call("order", item="A-9", count=1)
    env = made(
        stb_env.task("Order something.", gold=[A9], check=checks.called(order)),
        stb_env.task("Order one A-9.", gold=[one], check=checks.called(order)),
        stb_env.task("Order exactly one A-9.", gold=[one], check=checks.state(orders, has={"A-9": 1})),
        stb_env.task("Order the first.", gold=[call("named"), A9], check=checks.called(order)),
        stb_env.task(
            "Order the first.", gold=[call("named"), A9], check=checks.state(orders, equals={"A-9": 1})
        ),
        tools=[*TOOLS, named],
    )
    report = Report("t/Desk-v0")
    check_other_acts(report, Subject(env, None, draws(env, None, 0), lambda *_: None))
    assert report.counts["other_acts"] == {"tasks": 4, "solved": ["2", "4"]}
    assert (
        "in 2 of 4 tasks: 2 (order: count 1 or 2); 4 (order: item 'A-9' or 'B-7'). Unless"
        in report.checks[-1].detail
    )


def keep(state: dict) -> str:
    """Keep what cannot be copied."""
    state["hits"] = [1, (one for one in "x")]
    return "kept"


def long() -> str:
    """Tell much."""
    return "x" * 1_000_000


@pytest.mark.parametrize("gold", ["keep()", "keep()\norders()"])
def test_a_state_that_cannot_be_copied_is_said_to_be_that(gold: str):
    env = made(stb_env.task("Keep.", gold=gold, check=lambda answer, state: True), tools=[keep, orders])
    failure = play(env, stb_env.load_agent("gold")(), task_id="1", seed=0).failure
    assert failure is not None
    assert (failure["stage"], failure["message"].partition(": ")[2]) == (
        "world",
        "a tool has put a generator at state['hits'][1], and a state holds data alone",
    )


def test_gold_ends_after_a_long_response():
    env = made(stb_env.task("Tell.", gold="long()", check=lambda answer, state: True), tools=[long])
    assert play(env, stb_env.load_agent("gold")(), task_id="1", seed=0).reward == 1.0
