"""What is wrong with a declaration is said when it is made: what was got, what was expected, what to do."""

from __future__ import annotations

from typing import Any

import pytest

import stb_env
from stb_env.errors import ConfigError
from stb_env.tools import ToolCall

pytestmark = pytest.mark.usefixtures("forgotten")


def add(todo: dict, title: str, n: int = 1) -> str:
    """Put an item on the list."""
    return todo.setdefault(title, title * n)


def declare(**changed: Any) -> stb_env.Suite:
    whole: dict[str, Any] = {
        "env_id": "t/List-v0",
        "tools": [add],
        "state": dict,
        "tasks": [stb_env.task("Add milk.", gold="add('milk')", check=lambda _, todo: "milk" in todo)],
    }
    return stb_env.environment(**(whole | changed))


def renamed(name: str) -> Any:
    def tool(title: str) -> str:
        """Do it."""
        return title

    tool.__name__ = name
    return tool


NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def query(**changed: Any) -> Any:
    return stb_env.task(**({"query": "Add milk.", "answer": "x"} | changed))


class Broken:
    def __init__(self) -> None:
        raise RuntimeError("no disk")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"env_id": "Todo-v0"},
            r"^an id has the form my/Todo-v0, with a namespace and a version, got 'Todo-v0'$",
        ),
        ({"env_id": "my/Todo"}, r"^an id has the form my/Todo-v0, .* got 'my/Todo'$"),
        (
            {"env_id": "stb/Sandbox-v1"},
            r"^stb/Sandbox-v1 belongs to the suite 'sandbox'; give yours another id$",
        ),
        (
            {"env_id": "api/Bank-v0"},
            r"^the suite 'api_bank' exists already; give api/Bank-v0 a suite='...' of",
        ),
        (
            {"suite": "no identifier"},
            r"^a suite is named by an identifier, such as my_suite, got 'no identifier'$",
        ),
        ({"tools": []}, r"^t/List-v0 cannot offer these tools: there are no tools; rename or remove them$"),
        ({"tools": [add, add]}, r"^t/List-v0 cannot offer these tools: two tools are named 'add';"),
        (
            {"tools": [renamed("get_it"), renamed("get__it")]},
            r"^t/List-v0 cannot offer these tools: 'get_it' and 'get__it' share a cache key;",
        ),
        ({"tasks": []}, r"^t/List-v0 has no tasks; give tasks=\[stb_env.task\(...\), ...\]$"),
        ({"tasks": ["Add milk."]}, r"^task 1 of t/List-v0 is a str; make it by stb_env.task\(...\)$"),
        (
            {"tasks": [query(id="1"), query()] * 2},
            r"^two tasks of t/List-v0 have the id '1'; give each an id",
        ),
        (
            {"tasks": [stb_env.task("Add milk.", gold="add('milk')")]},
            r"^nothing decides on task '1' of t/List-v0; give it check= or answer=, or the envir",
        ),
        (
            {"tasks": [query(gold="ad('milk')")]},
            r"^gold of task '1' calls 'ad', .* \(add\)\. Did you mean 'add'\?$",
        ),
        (
            {"tasks": [query(gold="add(titel='milk')")]},
            r"^gold of task '1' calls 'add' with wrong arguments: unknown parameter 'titel'. Did you",
        ),
        (
            {"tasks": [query(gold="put milk")]},
            r"^gold of task '1' holds no call: 'put milk'; write calls as name\(",
        ),
        (
            {"state": Broken},
            r"^the state of t/List-v0 cannot be made: RuntimeError: no disk; give a class or",
        ),
        (
            {"state": (x for x in "x")},
            r"^the state of t/List-v0 cannot be made: TypeError: cannot pickle 'gene",
        ),
        (
            {"tasks": [query(answer={"n": "two"}, schema=NUMBER)]},
            r"^the answer of task '1' is none that its Finish takes: 'answer.n' must be an integer, got",
        ),
        (
            {"tasks": [query(answer={"m": 2}, schema=NUMBER)]},
            r"^the answer of task '1' is none that its Finish takes: missing required parameter 'answer.n'",
        ),
        (
            {"tasks": [query(answer={"n": 2}, schema={"type": "whatever", "properties": {}})]},
            r"^the schema of task '1' is broken: tool 'Finish' has a broken schema",
        ),
        (
            {"tasks": [query(gold="Finish(answer={'n': 'x'})", answer={"n": 2})]},
            r"^the answer of task '1' is none that its Finish takes: 'answer.n' must be an integer",
        ),
        (
            {"tasks": [query(answer=None, cannot=("not_found", ["order"]))]},
            r"^cannot of task '1' says that 'order' is 'not_found', which cannot= of t/List-v0 does not",
        ),
        (
            {"tasks": [query(answer=None, cannot=("lost", ["order"]))], "cannot": {"not_found": ["order"]}},
            r"^cannot of task '1' says that 'order' is 'lost', which cannot= of t/List-v0 does not list",
        ),
        (
            {"tasks": [query(state=[])]},
            r"^the state of task '1' is a list, and that of t/List-v0 a dict; give one of the same type$",
        ),
        (
            {"cannot": {"not_found": "order"}},
            r"^cannot of t/List-v0 lists 'order' for the reason 'not_found'; give what may be lacking",
        ),
        (
            {"tasks": [query(answer={})]},
            r"^nothing decides on task '1' of t/List-v0; give it check= or answer=",
        ),
        ({"policy": 3}, r"^policy must be text, got 3$"),
        ({"tools": "add"}, r"^tools must be a list, got 'add'$"),
        ({"user": lambda task: "x"}, r"^a user is a function of task, state and text .*: too many"),
        ({"judge": lambda answer, state: True}, r"^a judge is a function of a Case .*'state'$"),
        ({"max_turns": 0}, r"^max_turns must be at least 1, got 0$"),
        (
            {"tasks": [query(answer={"m": 2}, schema={"properties": {"n": {}}})]},
            r"^the answer of task '1' has 'm', and its schema has n\.",
        ),
        ({"judge": 3}, r"^judge must be None, a Judge, a function or text, got 3$"),
    ],
)
def test_what_is_wrong_is_said(changed: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        declare(**changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": " "}, r"^a task needs a query, got ' '; say what the user asks$"),
        (
            {"check": "x"},
            r"^check must be None or a function, one of stb_env.checks or a list of them, got 'x'$",
        ),
        ({"check": lambda todo: True}, r"^check of the .* of case, got <lambda>\(todo\): too many"),
        ({"check": lambda a, b, c: True}, r"^check of the task 'Add milk.' .*\(a, b, c\): missing"),
        ({"check": dict}, r"^check of the .* function of answer and state, .* got <class 'dict'>$"),
        ({"check": lambda state, answer: True}, r"^check of the task .*; the answer comes first$"),
        ({"events": {1: lambda: None}}, r"^the event before call 1 .* is a function of the state, got"),
        ({"events": {0: lambda todo: None}}, r"^events of the task 'Add milk.' have 0; give each by"),
        ({"facts": ["a"]}, r"^facts must be None or a table, got \['a'\]$"),
        ({"tools": "add"}, r"^tools must be None or a list, got 'add'$"),
        ({"id": "a\n"}, r"^id of the task 'Add milk.' is 'a\\n'; give a name in one line$"),
        ({"split": ""}, r"^split of the task 'Add milk.' is ''; give a name in one line$"),
        ({"sate": {}}, r"^task has no setting 'sate'; .* Did you mean 'state'\?$"),
        ({"facts": {"a": object()}}, r"^facts of the task 'Add milk.' are .*; give JSON values by what"),
        ({"policy": 3}, r"^policy must be text, got 3$"),
        ({"answer": {"n": None}}, r"^the answer's 'n' is None, which tells no type; give text, a number"),
        ({"answer": {"n": []}}, r"^the answer's 'n' is \[\], which tells no type"),
        ({"answer": {"n": float("nan")}}, r"^the answer's 'n' is nan, which tells no type"),
        (
            {"schema": {"n": {"type": "integer"}}},
            r"^schema of the task 'Add milk.' is .*, without properties; give",
        ),
        (
            {"schema": {"properties": {"n": {"tolerance": -1}}}},
            r"^tolerance of 'n' in the task 'Add milk.' is -1; give",
        ),
        (
            {"schema": {"properties": {"n": {"tolerance": "1"}}}},
            r"^tolerance of 'n' in the task 'Add milk.' is '1'",
        ),
        (
            {"cannot": ("not_found", ["order"])},
            r"^the task 'Add milk.' has answer= and cannot=; give",
        ),
        (
            {"answer": None, "cannot": "not_found"},
            r"^cannot must be None or a reason and what is lacking, such as .*, got 'not_found'$",
        ),
        (
            {"answer": None, "cannot": ("not_found", [])},
            r"^cannot of the task 'Add milk.' is \('not_found'",
        ),
    ],
)
def test_what_is_wrong_with_a_task_is_said(changed: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        query(**changed)


@pytest.mark.parametrize(
    ("gold", "calls"),
    [
        ("add('milk', 2)", [("add", {"title": "milk", "n": 2})]),
        ("add(title='milk')\nadd('tea')", [("add", {"title": "milk"}), ("add", {"title": "tea"})]),
        (
            ["add('a')", {"name": "add", "arguments": {"title": "b"}}],
            [("add", {"title": "a"}), ("add", {"title": "b"})],
        ),
        ('{"name": "add", "arguments": {"title": "milk", "n": "3"}}', [("add", {"title": "milk", "n": 3})]),
        ('Action: add\nAction Input: {"title": "milk"}', [("add", {"title": "milk"})]),
        (ToolCall("add", {"title": "milk"}), [("add", {"title": "milk"})]),
        ((), []),
        ("", []),
    ],
)
def test_gold_is_read_in_any_form_of_an_action(gold: Any, calls: list[Any]):
    declare(tasks=[query(gold=gold, answer=None, check=lambda answer, todo: True)])
    (task,) = stb_env.make("t/List-v0").tasks
    assert [(call.name, call.arguments) for call in task.gold] == calls


def test_the_answer_ends_the_gold_calls():
    declare(tasks=[query(answer=3)])
    (task,) = stb_env.make("t/List-v0").tasks
    assert [(call.name, call.arguments) for call in task.gold] == [("Finish", {"answer": {"answer": 3}})]


def test_values_make_schema_and_gold():
    declare(tasks=[query(answer={"count": 2, "due": "2026-03-09", "titles": ["Milk"]})])
    (task,) = stb_env.make("t/List-v0").tasks
    assert list(task.answer["properties"]) == task.answer["required"] == ["count", "due", "titles"]
    assert task.gold[-1].arguments == {"answer": {"count": 2, "due": "2026-03-09", "titles": ["Milk"]}}
    assert task.cannot is None


def test_a_schema_may_stand_beside_the_values():
    day = {"type": "string", "enum": ["Monday", "Tuesday"], "description": "of delivery"}
    schema = {"type": "object", "properties": {"day": day}, "required": ["day"]}
    declare(tasks=[query(answer={"day": "monday"}, schema=schema)])
    (task,) = stb_env.make("t/List-v0").tasks
    assert (task.answer, task.gold[-1].arguments) == (schema, {"answer": {"day": "Monday"}})


def test_every_task_with_a_typed_answer_offers_the_reasons():
    reasons = {"not_found": ["order", "person"]}
    declare(tasks=[query(), query(answer=None, cannot=("not_found", ["order"]))], cannot=reasons)
    met, unmet = stb_env.make("t/List-v0").tasks
    assert met.cannot == unmet.cannot == reasons
    assert unmet.gold[-1].arguments == {"cannot": {"reason": "not_found", "what": ["order"]}}


def test_a_finish_in_gold_gives_the_answer():
    gold = "add('milk')\nFinish(final_answer='It is there.')"

    def both(answer: str, todo: dict) -> bool:
        return answer == "It is there." and "milk" in todo

    declare(tasks=[query(gold=gold, answer=None, check=both)])
    from stb_env.testing import check

    assert check("t/List-v0").counts["scores"]["gold"] == 1.0


@pytest.mark.parametrize(
    ("env_id", "suite"),
    [("my/Todo-v0", "my_todo"), ("my/TodoList-v0", "my_todo_list"), ("a-b/X-v2", "a_b_x_v2")],
)
def test_a_suite_is_named_after_its_environment(env_id: str, suite: str):
    assert declare(env_id=env_id).name == suite


def test_declaring_again_replaces():
    declare()
    declare(tasks=[query(query="Another.")])
    assert [task.query for task in stb_env.make("t/List-v0").tasks] == ["Another."]


def test_a_changed_check_makes_other_tasks():
    def strict(answer: str, todo: dict) -> bool:
        return False

    declare()
    before = stb_env.make("t/List-v0").tasks.hash
    declare(tasks=[query(answer=None, check=strict)])
    assert stb_env.make("t/List-v0").tasks.hash != before


def test_it_is_found_without_its_module():
    declare()
    assert stb_env.make("t/List-v0").spec.id == "t/List-v0"
