"""Searches that go by a value, and the values that the package has."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from stb_env.errors import BackendError
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.models import ChatRequest, ScriptedModel, ask
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolCall, ToolId, ToolResult
from stb_env.trajectory import CallRecord, Step
from stb_env.usage import Usage
from stb_env.wrappers import BeamSearch, BestFirstSearch, IndependentChains, MonteCarloTreeSearch
from stb_env.wrappers.search import JudgeValue, NodeView, Scored, heuristic_value
from stb_env.wrappers.search.value import unlabelled
from tests.fakes.tools import ONE_TOOL
from tests.wrappers.search.searching import CountingJudge, actions, answer, go, maze, nodes_after, played_out


def by_room(**values: float) -> Any:
    """Values nodes by the doors that were gone through, and answers by their text."""

    def value(view: NodeView) -> float:
        return values.get(view.answer or view.backend, 0.1)

    return value


@pytest.mark.parametrize(
    ("script", "value", "settings", "nodes"),
    [
        pytest.param("aba", by_room(a=0.9, b=0.2, ab=0.3), {}, [1, 1, 0], id="the best node that has room"),
        pytest.param("ab", by_room(a=0.4), {}, [0, 1], id="the root counts as a half"),
        pytest.param("ab", by_room(a=0.4), {"width": 1}, [1, 2], id="where it has room itself"),
        pytest.param("abc", lambda view: 1.0, {}, [1, 2, 3], id="equal values go down"),
        pytest.param("ab-", by_room(a=0.9, ab=1.0), {}, [1, 2, 2], id="a give-up leaves room beside it"),
        pytest.param("a!", by_room(a=0.9), {}, [1, "end"], id="an answer ends it"),
        pytest.param("aa", by_room(), {"max_depth": 1}, [0, "end"], id="nothing left ends it"),
    ],
)
def test_a_best_first_search_goes_on_at_the_best_node(script, value, settings, nodes):
    assert nodes_after(BestFirstSearch(maze(), value=value, **settings), script) == nodes


@pytest.mark.parametrize(
    ("script", "value", "settings", "nodes"),
    [
        pytest.param("ab", by_room(b=0.9), {"beam": 1}, [0, 2], id="the best child of a level goes on"),
        pytest.param("ababab", by_room(), {}, [0, 1, 1, 2, 2, 3], id="each of a level has its children"),
        pytest.param("abcc", by_room(b=0.9), {"beam": 1}, [0, 2, 2, 3], id="the others never do"),
        pytest.param("--", by_room(), {}, [0, "end"], id="a level without an open node ends it"),
        pytest.param("-a", by_room(), {}, [0, 2], id="what ended takes no place"),
        pytest.param("a!", by_room(), {}, [0, "end"], id="an answer ends it"),
    ],
)
def test_a_beam_search_keeps_the_best_of_each_level(script, value, settings, nodes):
    assert nodes_after(BeamSearch(maze(), value=value, **settings), script) == nodes


@pytest.mark.parametrize(
    ("script", "value", "settings", "nodes"),
    [
        pytest.param("abc", by_room(), {}, [1, 2, 3], id="a round goes down until it ends"),
        pytest.param("a!", by_room(), {}, [1, 1], id="then the next begins where there is room"),
        pytest.param("ab-", by_room(), {}, [1, 2, 1], id="above where the agent gave up"),
        pytest.param("abb", by_room(), {"max_depth": 2}, [1, 1, 1], id="or the depth limit was"),
        pytest.param("a!!!!", by_room(), {"width": 9}, [1, 1, 1, 1, 0], id="visits make room at the root"),
        pytest.param("a!", by_room(), {"width": 1}, [1, "end"], id="as far as the width allows"),
        pytest.param("-", by_room(), {"width": 1}, ["end"], id="nothing left to try ends it"),
        pytest.param("a-", by_room(a=0.9), {"width": 1}, [1, "end"], id="nor below"),
        pytest.param("-a", by_room(), {"width": 2}, [0, 2], id="no walk into what has ended"),
        pytest.param("!a", by_room(gold=1.0), {"width": 2}, [0, 2], id="nor into an answer"),
        pytest.param("!", by_room(), {"answers": 1}, ["end"], id="an answer may be enough"),
    ],
)
def test_uct_walks_where_value_and_doubt_are_large(script, value, settings, nodes):
    env = MonteCarloTreeSearch(maze(), value=value, **settings)
    assert nodes_after(env, script) == nodes


def in_two_rooms(c: float) -> MonteCarloTreeSearch:
    """A search that answered four times in a room of little value, then in one of much value, and went on."""
    value = {"": 0.0, "a": 0.1, "b": 0.9}
    env = MonteCarloTreeSearch(maze(max_turns=100), lambda view: value[view.backend], width=50, c=c)
    assert nodes_after(env, "a!!!!b" + "!" * 20)[3:6] == [1, 0, 6]
    return env


def test_uct_visits_the_branch_of_higher_value_more_often():
    low, high = (in_two_rooms(0.1).tree.nodes[index].visits for index in (1, 6))
    assert high > low > 0


def test_uct_explores_the_other_branch_the_more_the_larger_c_is():
    few, some, many = (in_two_rooms(c).tree.nodes[1].visits for c in (0.0, 2.0, 10.0))
    assert few < some < many


@pytest.mark.parametrize("c", [1.4, 2.0, 3.0])
def test_uct_goes_to_the_child_of_the_largest_upper_confidence_bound(c: float):
    env = in_two_rooms(c)
    chosen = []
    for _ in range(24):
        index = env.step(answer())[4]["node"]
        # Where it is the root, that one may have another child and nothing was chosen.
        if index:
            nodes, above = env.tree.nodes, env.tree.nodes[0].visits
            low, high = (
                nodes[room].total / nodes[room].visits + c * math.sqrt(math.log(above) / nodes[room].visits)
                for room in (1, 6)
            )
            assert index == (6 if high > low else 1)
            chosen.append(index)
    assert {1, 6} == set(chosen)


def test_the_value_of_an_answer_is_backed_up_to_the_root():
    env = MonteCarloTreeSearch(maze(), value=by_room(a=0.5, gold=1.0))
    nodes_after(env, "ab!-")
    assert [(node.visits, node.total) for node in env.tree.nodes] == [
        (2, 1.0),
        (2, 1.0),
        (2, 1.0),
        (1, 1.0),
        (1, 0.0),
    ]


def test_uct_asks_for_the_value_of_answers_alone():
    env = MonteCarloTreeSearch(maze(), value=by_room(a=0.5, gold=1.0))
    nodes_after(env, "ab!-")
    assert [node.value for node in env.tree.nodes] == [None, None, None, 1.0, None]


def test_the_most_valuable_answer_is_played():
    judge = CountingJudge()
    env = MonteCarloTreeSearch(maze(judge), value=by_room(gold=0.9, nothing=0.3), width=3, max_queries=3)
    *_, info = played_out(env, "?!?")
    assert [case.final_answer for case in judge.cases] == ["gold"]
    assert (info["tree"]["best"], info["verdict"]["status"]) == (2, "solved")


def test_the_first_of_equally_valuable_answers_is_played():
    *_, info = played_out(MonteCarloTreeSearch(maze(), value=by_room(), max_queries=3), "?!!")
    assert info["tree"]["best"] == 1


def test_independent_tries_with_a_value_play_the_best_of_n():
    env = IndependentChains(maze(), tries=3, answers=3, value=by_room(gold=0.9))
    *_, info = played_out(env, "a?b!c?")
    assert (info["verdict"]["status"], [call["name"] for call in info["calls"]]) == (
        "solved",
        ["Finish", "Finish"],
    )


def test_a_value_may_ask_a_model_and_be_awaited():
    model = ScriptedModel(["0.9", "0.2"])

    def value(view: NodeView) -> Any:
        reply = yield ask(model, ChatRequest.of(str(view.backend)))
        return Scored(float(reply.text), Usage(calls=1, total_tokens=5))

    async def search() -> Any:
        env = BestFirstSearch(maze(), value=value)
        await env.areset(seed=0)
        await env.astep(go("a"))
        return await env.astep(go("b"))

    *_, info = asyncio.run(search())
    # Two calls of the environment's own, and two of the value.
    assert (info["node"], info["usage"]["calls"], info["usage"]["total_tokens"]) == (1, 4, 10)


def test_what_a_value_cost_that_failed_is_a_part_of_the_usage():
    def value(view: NodeView) -> Any:
        error = BackendError("no value", kind="judge", stage="judge")
        error.usage = Usage(calls=1, total_tokens=7)
        raise error

    *_, info = played_out(IndependentChains(maze(), value=value), "!")
    assert (info["valid"], info["usage"]["total_tokens"]) == (True, 7)


def test_a_judge_of_the_searchs_own_chooses_among_answers():
    own, test = CountingJudge(), CountingJudge()
    env = IndependentChains(maze(test), tries=2, answers=2, value=JudgeValue(own))
    *_, info = played_out(env, "a?!")
    assert (len(own.cases), len(test.cases), info["verdict"]["status"]) == (2, 1, "solved")
    assert own.cases[0].state is None
    assert info["tree"]["settings"]["value"] == "judge:counting"


@pytest.mark.parametrize("search", [IndependentChains, BestFirstSearch, BeamSearch, MonteCarloTreeSearch])
def test_a_judge_that_is_given_as_value_judges_answers(search: Any):
    own = CountingJudge()
    env = search(maze(), value=own, answers=1)
    played_out(env, "a!")
    assert [case.final_answer for case in own.cases] == ["gold"]
    assert env.settings["value"] == "judge:counting"


def test_what_a_judge_of_the_agents_own_would_see_holds_the_branch_and_no_labels():
    env = IndependentChains(maze(), tries=2)
    nodes_after(env, "ab-c")
    case = env.case("gold")
    assert [call.arguments for call in case.calls] == [{"door": "c"}]
    assert (case.final_answer, case.state, case.task) == ("gold", None, unlabelled(env.task))


@pytest.mark.parametrize(
    ("action", "given"), [("!", "gold"), ("?", "nothing"), ("-", None), ("a", None), (".", None)]
)
def test_a_search_reads_the_answer_out_of_an_action(action: str, given: str | None):
    env = IndependentChains(maze())
    env.reset(seed=0)
    assert env.answer_in(actions(action)[0]) == given


def test_only_an_oracle_sees_labels_and_the_state_of_the_world():
    oracle = CountingJudge()
    value = JudgeValue(oracle, oracle=True)
    played_out(IndependentChains(maze(), tries=2, answers=2, value=value), "a?!")
    assert (oracle.cases[0].state, value.__name__) == ("a", "oracle:counting")


def test_a_task_without_its_labels_keeps_what_an_agent_knows_of_it():
    tool = Tool("go", "Goes.", {}, ToolId("Maze", "maze", "go"))
    task = Task("1", "?", (tool,), "Suite", relevant=(tool.id,), gold=(ToolCall("go", {}),), goal={"a": 1})
    assert unlabelled(task) == Task("1", "?", (tool,), "Suite")


def test_a_judged_answer_is_above_every_node_without_one():
    value = JudgeValue(HeuristicJudge(), before=lambda view: 1.0)
    env = BestFirstSearch(maze(), value=value, answers=2)
    nodes_after(env, "a?")
    assert [node.value for node in env.tree.nodes[1:]] == [0.5, 0.0]


def step(door: str, *, error: str = "") -> Step:
    result = ToolResult.of({"room": door}, error=error, source="world")
    return Step((CallRecord("c", "go", {"door": door}, result),), "", result.text, result.status)


def view(*steps: Step, outcome: Any = "open", answer: str = "") -> NodeView:
    finish = (Step((), "", "", Status.FINISHED),) if outcome == "answer" else ()
    return NodeView(Task("1", "?", ONE_TOOL), (*steps, *finish), outcome, answer)


@pytest.mark.parametrize(
    ("seen", "value"),
    [
        (view(), 0.0),
        (view(step("a")), 1.0),
        (view(step("a"), step("a")), 0.7),
        (view(step("a"), step("b", error="locked")), 0.45),
        (view(step("a", error="locked")), 0.3),
        (view(step("a"), outcome="give_up"), 0.0),
        (view(step("a"), outcome="answer", answer="gold"), 1.0),
        (view(step("a", error="locked"), outcome="answer", answer="gold"), 0.5),
        (view(step("a"), outcome="answer", answer=" "), 0.0),
    ],
)
def test_the_heuristic_value_goes_by_answered_calls_and_news(seen, value):
    assert heuristic_value(seen) == pytest.approx(value)
