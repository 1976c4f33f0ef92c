"""Finish: what each form of it takes, what it refuses, and in which words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.core.answers import object_schema
from stb_env.core.request import Slow
from stb_env.envs.finish import FinishForm, finish_form
from stb_env.envs.rules import Rules
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.judge import Case
from stb_env.tasks import Task, TaskSet
from stb_env.testing.notes import Notebook, NotesJudge
from stb_env.tools import FINISH, ToolCall
from stb_env.verdict import Verdict
from tests.fakes.tools import ONE_TOOL

ANSWER = object_schema(
    {
        "count": {"type": "integer"},
        "total": {"type": "number"},
        "due": {"type": "string", "format": "date"},
        "day": {"type": "string", "enum": ["Monday", "Tuesday"]},
        "titles": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    }
)
GIVEN = {"count": 2, "total": 9.5, "due": "2026-03-09", "day": "Monday", "titles": ["Milk"]}
CANNOT = {"not_found": ["film", "person"], "no_tool": ["pay"]}
NOT_FOUND = {"reason": "not_found", "what": ["film"]}
GIVE_UP = "give_up_and_restart"


def form(answer: Any = ANSWER, cannot: Any = None, **settings: bool) -> FinishForm:
    return finish_form(Task("1", "How many?", ONE_TOOL, answer=answer, cannot=cannot), **settings)


def read(arguments: Any, taken: FinishForm) -> Any:
    return taken.read(ToolCall(FINISH, arguments))


TYPED, EITHER, UP = form(), form(cannot=CANNOT), form(cannot=CANNOT, gives_up=True)
ACTS, ACTS_UP = form("acts"), form("acts", gives_up=True)
TEXT, ORIGINAL = form(None), form(original=True)


@pytest.mark.parametrize(
    ("taken", "kind", "parameters", "required"),
    [
        (TYPED, "typed", ["answer", "final_answer"], ["answer"]),
        (EITHER, "typed", ["answer", "cannot", "final_answer"], []),
        (UP, "typed", ["answer", "cannot", "final_answer", "return_type"], []),
        (ACTS, "acts", ["final_answer"], []),
        (ACTS_UP, "acts", ["return_type", "final_answer"], []),
        (TEXT, "text", ["final_answer"], ["final_answer"]),
        (form(None, gives_up=True), "original", ["return_type", "final_answer"], ["return_type"]),
        (ORIGINAL, "original", ["return_type", "final_answer"], ["return_type"]),
        (form("acts", original=True), "original", ["return_type", "final_answer"], ["return_type"]),
    ],
)
def test_each_form_offers_its_own_parameters(
    taken: FinishForm, kind: str, parameters: list[str], required: list[str]
):
    schema = taken.tool.parameters
    assert (taken.kind, list(schema["properties"]), schema.get("required", [])) == (
        kind,
        parameters,
        required,
    )


def test_the_answers_schema_stands_in_the_spec_as_it_is():
    assert json.loads(TYPED.tool.spec)["function"]["parameters"]["properties"]["answer"] == ANSWER


def test_every_reason_and_what_it_allows_stand_in_the_spec():
    cannot = EITHER.tool.parameters["properties"]["cannot"]["properties"]
    assert cannot["reason"]["enum"] == ["not_found", "no_tool"]
    assert cannot["what"]["items"]["enum"] == ["film", "person", "pay"]
    assert "not_found: film, person; no_tool: pay" in cannot["what"]["description"]


# -- typed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "answer", "cannot", "said"),
    [
        ({"answer": GIVEN}, GIVEN, None, ""),
        ({"answer": GIVEN, "final_answer": "Two."}, GIVEN, None, "Two."),
        ({"answer": GIVEN, "cannot": None, "final_answer": None}, GIVEN, None, ""),
        ({"answer": {**GIVEN, "count": 2.0}}, {**GIVEN, "count": 2.0}, None, ""),
        ({"answer": {**GIVEN, "day": "MONDAY"}}, GIVEN, None, ""),
        ({"cannot": NOT_FOUND}, None, NOT_FOUND, ""),
        ({"answer": None, "cannot": NOT_FOUND, "final_answer": "No."}, None, NOT_FOUND, "No."),
        ({"cannot": {"reason": "NOT_FOUND", "what": ["Film"]}}, None, NOT_FOUND, ""),
        ({"*": [GIVEN]}, GIVEN, None, ""),
        ({"*": [GIVEN, None, "Two."]}, GIVEN, None, "Two."),
        (json.dumps({"answer": GIVEN}), GIVEN, None, ""),
    ],
)
def test_a_typed_finish_takes_an_answer_or_why_there_is_none(
    arguments: Any, answer: Any, cannot: Any, said: str
):
    finish = read(arguments, EITHER)
    assert (finish.kind, finish.problem) == ("answer", "")
    assert (finish.answer, finish.cannot, finish.final_answer) == (answer, cannot, said)


def changed(**changes: Any) -> dict[str, Any]:
    return {"answer": {**GIVEN, **changes}}


def without(name: str) -> dict[str, Any]:
    return {"answer": {key: value for key, value in GIVEN.items() if key != name}}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (changed(count="2"), "'answer.count' must be an integer, got the text '2'"),
        (changed(count=2.5), "'answer.count' must be an integer, got the number 2.5"),
        (changed(count=True), "'answer.count' must be an integer, got true"),
        (changed(count=None), "'answer.count' must be an integer, got null"),
        (changed(total="9.50"), "'answer.total' must be a number, got the text '9.50'"),
        (changed(total="1,200"), "'answer.total' must be a number, got the text '1,200'"),
        (changed(total="NaN"), "'answer.total' must be a number, got the text 'NaN'"),
        (changed(due="2026-02-30"), "'answer.due' must be a date as YYYY-MM-DD, got the text '2026-02-30'"),
        (changed(due="tomorrow"), "'answer.due' must be a date as YYYY-MM-DD, got the text 'tomorrow'"),
        (changed(day="Mon"), "'answer.day' must be one of \"Monday\", \"Tuesday\", got the text 'Mon'"),
        (changed(titles="Milk"), "'answer.titles' must be an array, got the text 'Milk'"),
        (changed(titles=[1]), "'answer.titles[0]' must be a string, got the number 1"),
        (changed(titles=["Milk", "the milk"]), "'answer.titles' has 'the milk' twice; give each value once"),
        (changed(coun=2), "unknown parameter 'answer.coun'. Did you mean 'count'?"),
        (without("count"), "missing required parameter 'answer.count' (integer)"),
        ({"answer": json.dumps(GIVEN)}, "'answer' must be an object, got the text "),
        ({"answer": [GIVEN]}, "'answer' must be an object, got an array of 1"),
        ({}, "Finish needs answer, an object with count, total, due, day, titles, or cannot where"),
        ({"final_answer": "Two."}, "Finish needs answer, an object with count"),
        ({"answer": None}, "Finish needs answer, an object with count"),
        ({"count": 2}, "give count as fields of answer: Finish takes an object there"),
        ({"answer": GIVEN, "final_answer": 2}, "'final_answer' must be a string, got the number 2"),
        ({"answer": GIVEN, "return_type": "give_answer"}, "unknown parameter 'return_type'"),
        ({"answer": GIVEN, "cannot": NOT_FOUND}, "Finish takes answer or cannot, got both; give one"),
        ({"cannot": {"reason": "not_found"}}, "missing required parameter 'cannot.what'"),
        ({"cannot": {"reason": "not_found", "what": "film"}}, "'cannot.what' must be an array, got the text"),
        ({"cannot": {"reason": "not_found", "what": []}}, "'cannot.what' must be an array of at least 1"),
        (
            {"cannot": {"reason": "not_found", "what": ["film", "Film"]}},
            "'cannot.what' must be an array that",
        ),
        ({"cannot": {"reason": "not_found", "what": ["pay"]}}, "must be one of film, person, got 'pay'"),
        ({"cannot": {"reason": "not_found", "what": ["x"]}}, "'cannot.what[0]' must be one of \"film\""),
        ({"cannot": {"reason": "tired", "what": ["film"]}}, "'cannot.reason' must be one of \"not_found\""),
        ({"cannot": "not_found"}, "'cannot' must be an object, got the text 'not_found'"),
        ('{"answer": {"count": 2,', 'the arguments must be one JSON object, got the text \'{"answer"'),
        ('{"final_answer": "Two."', 'the arguments must be one JSON object, got the text \'{"final_answer"'),
        ("[1]", "the arguments must be one JSON object, got the text '[1]'"),
        ("Two.", "the arguments must be one JSON object, got the text 'Two.'"),
        ("", "Finish needs answer, an object with count"),
        ({"*": ["Two."]}, "'answer' must be an object, got the text 'Two.'"),
    ],
)
def test_a_typed_finish_that_does_not_fit_is_told_field_expected_and_got(arguments: Any, problem: str):
    finish = read(arguments, EITHER)
    assert (finish.kind, finish.answer, finish.cannot) == ("invalid", None, None)
    assert problem in finish.problem


def test_every_field_that_does_not_fit_is_named():
    problem = read(changed(count="2", total=None), EITHER).problem
    assert "'answer.count'" in problem
    assert "'answer.total'" in problem


def test_a_task_without_impossible_requests_takes_no_cannot():
    assert "unknown parameter 'cannot'" in read({"cannot": NOT_FOUND}, TYPED).problem
    assert read({}, TYPED).problem == "missing required parameter 'answer' (object)"


# -- the other forms ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("taken", "arguments", "said"),
    [
        (TEXT, {"final_answer": "42"}, "42"),
        (TEXT, {"final_answer": 42}, "42"),
        (TEXT, {"final_answer": None}, ""),
        (TEXT, {"final_answer": {"a": 1}}, '{"a": 1}'),
        (TEXT, {"return_type": "give_answer", "final_answer": "42"}, "42"),
        (TEXT, {"*": ["42"]}, "42"),
        (TEXT, {"*": ["give_answer", "42"]}, "42"),
        (TEXT, '{"final_answer": "say "hi""}', 'say "hi"'),
        (ACTS, {}, ""),
        (ACTS, {"final_answer": None}, ""),
        (ACTS, {"final_answer": "Done."}, "Done."),
        (ACTS, {"return_type": "give_answer", "final_answer": "Done."}, "Done."),
        (ACTS, {"*": ["Done."]}, "Done."),
        (ACTS, "", ""),
        (ORIGINAL, {"return_type": "give_answer", "final_answer": "42"}, "42"),
        (ORIGINAL, {"*": ["give_answer", "42"]}, "42"),
        (ORIGINAL, '{"return_type": "give_answer", "final_answer": "42', "42"),
    ],
)
def test_the_other_forms_take_text(taken: FinishForm, arguments: Any, said: str):
    finish = read(arguments, taken)
    assert (finish.kind, finish.final_answer, finish.answer, finish.problem) == ("answer", said, None, "")


@pytest.mark.parametrize(
    ("taken", "arguments", "problem"),
    [
        (TEXT, {}, "Finish needs final_answer"),
        (TEXT, {"answer": GIVEN}, "Finish needs final_answer"),
        (TEXT, {"return_type": "give_answer"}, "with return_type 'give_answer', Finish needs final_answer"),
        (TEXT, {"return_type": "done", "final_answer": "x"}, "return_type must be 'give_answer' or"),
        (ACTS, {"answer": {"x": 1}}, "unknown parameter 'answer'"),
        (ACTS, {"final_answer": 3}, "'final_answer' must be a string, got the number 3"),
        (ACTS, {"return_type": "done"}, "return_type must be 'give_answer' or"),
        (ORIGINAL, {}, f"return_type must be 'give_answer' or '{GIVE_UP}', got nothing"),
        (ORIGINAL, {"final_answer": "42"}, "return_type must be 'give_answer'"),
        (ORIGINAL, {"return_type": ["x"]}, 'got ["x"]'),
        (ORIGINAL, {"return_type": "give_answer"}, "Finish needs final_answer"),
    ],
)
def test_the_other_forms_say_what_they_need(taken: FinishForm, arguments: Any, problem: str):
    finish = read(arguments, taken)
    assert finish.kind == "invalid"
    assert problem in finish.problem


@pytest.mark.parametrize("taken", [UP, ACTS_UP, ACTS, TEXT, ORIGINAL, form(None, gives_up=True)])
@pytest.mark.parametrize(
    "arguments",
    [{"return_type": GIVE_UP}, {"return_type": GIVE_UP, "final_answer": "x"}, {"*": [GIVE_UP]}],
)
def test_an_attempt_is_given_up(taken: FinishForm, arguments: Any):
    assert read(arguments, taken).kind == "give_up"


@pytest.mark.parametrize("taken", [TYPED, EITHER])
def test_a_typed_finish_gives_up_only_under_a_search(taken: FinishForm):
    assert "unknown parameter 'return_type'" in read({"return_type": GIVE_UP}, taken).problem


def test_a_protocol_and_the_original_have_the_finish_of_the_original():
    task = Task("1", "How many?", ONE_TOOL, answer=ANSWER)
    for rules in (
        Rules(Notebook(), NotesJudge(), original_finish=True),
        Rules(Notebook(), NotesJudge(), compat="original"),
    ):
        assert rules.finish_form(task).kind == "original"


# -- in an episode -----------------------------------------------------------------------------------


class Count:
    """Solves where the typed answer says 2."""

    name = "count"

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        solved = case.answer is not None and case.answer["count"] == 2
        return Verdict.of("solved" if solved else "unsolved", judge=self.name)


def started(**settings: Any) -> ToolEnv:
    task = Task("1", "How many?", ONE_TOOL, answer=ANSWER, cannot=CANNOT)
    env = ToolEnv(TaskSet([task]), Notebook(), Count(), **settings)
    env.reset(seed=0)
    return env


def test_a_finish_that_does_not_fit_costs_a_turn_and_the_episode_goes_on():
    env = started()
    obs, reward, terminated, truncated, info = env.step({"name": FINISH, "arguments": changed(count="2")})
    assert (obs["status"], reward, terminated, truncated, obs["turn"]) == (2, 0.0, False, False, 1)
    assert "'answer.count' must be an integer" in json.loads(obs["result"])["error"]
    assert "answer" not in info
    _, reward, terminated, _, info = env.step({"name": FINISH, "arguments": {"answer": GIVEN}})
    assert (reward, terminated, info["answer"], info["final_answer"]) == (1.0, True, GIVEN, "")


def test_the_end_tells_answer_prose_and_why_there_is_none():
    env = started()
    *_, info = env.step(
        {"name": FINISH, "arguments": {"cannot": NOT_FOUND, "final_answer": "There is none."}}
    )
    assert (info["answer"], info["cannot"], info["final_answer"]) == (None, NOT_FOUND, "There is none.")


def test_nothing_is_coerced_inside_of_an_answer():
    obs, *_ = started().step(
        {"name": FINISH, "arguments": changed(count="2", total="9.5", titles='["Milk"]')}
    )
    error = json.loads(obs["result"])["error"]
    assert all(f"'answer.{name}'" in error for name in ("count", "total", "titles"))


def test_a_python_program_gives_an_answer_in_its_place():
    *_, info = started().step(f"Finish({GIVEN!r})")
    assert info["answer"] == GIVEN


NESTED: Any = 1
for _ in range(3_000):
    NESTED = {"count": NESTED}


@pytest.mark.parametrize(
    "action",
    [
        {"name": FINISH, "arguments": {"answer": NESTED}},
        {"name": FINISH, "arguments": changed(titles=NESTED)},
        {"name": FINISH, "arguments": changed(titles=["x" * 900_000])},
        {"name": FINISH, "arguments": changed(titles=[str(n) for n in range(50_000)])},
        {"name": FINISH, "arguments": changed(count=10**5_000)},
        {"name": FINISH, "arguments": changed(total=float("nan"))},
        {"name": FINISH, "arguments": {"answer": {str(n): n for n in range(20_000)}}},
        {"name": FINISH, "arguments": changed(**{"\ud800": "\ud800"})},
        '{"name": "Finish", "arguments": {"answer": ' + '{"count":' * 50_000,
        '{"name": "Finish", "arguments": {"answer": ' + '{"count":' * 90 + "1" + "}" * 92,
        'Finish(answer={"count": ' + "9" * 10_000 + "})",
        '{"name": "Finish", "arguments": "{\\"answer\\": {"}',
    ],
)
def test_no_finish_however_deep_or_large_breaks_an_episode(action: Any):
    env = started()
    obs, *_ = env.step(action)
    assert json.loads(obs["result"])
    assert len(obs["result"]) <= 65_536
    assert env.render_mode is None
    if not env.snapshot().over:
        *_, info = env.step({"name": FINISH, "arguments": {"answer": GIVEN}})
        assert json.loads(json.dumps(info["verdict"]))["status"] == "solved"


NAMES = ["answer", "cannot", "final_answer", "return_type", "*"]
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["answer", "cannot", "reason", "what", "final_answer", "return_type", "*", "count"]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(
    st.dictionaries(st.sampled_from(["answer", "cannot", "final_answer", "return_type", "*"]), JSON)
    | st.text()
)
def test_no_arguments_make_an_exception_in_any_form(arguments: Any):
    for taken in (TYPED, EITHER, UP, ACTS, ACTS_UP, TEXT, ORIGINAL):
        finish = read(arguments, taken)
        assert (finish.kind == "invalid") is bool(finish.problem)
        assert isinstance(finish.text, str)
