"""Official evaluator folders: read as they are, rendered without surprises, asked with a forced function."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.core.request import drive
from stb_env.errors import ConfigError, DataError
from stb_env.formats.evaluator_template import fill, read_evaluator, read_template
from stb_env.judges.evaluator import Evaluator, answer_record
from stb_env.judges.judge import Case
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.registry import load_judge
from stb_env.models import ScriptedModel
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, ToolResult
from stb_env.trajectory import CallRecord
from tests.fakes.tools import ONE_TOOL

TEMPLATE = """
<function>
<name>check_answer_status</name>
<description>
Query: {query}
Answer: {answer}
As JSON: {{"a": 1}}
</description>
</function>
<function><name>parse_answer_status</name><description>{query} | {answer}</description></function>
<message><role>system</role><content>Choose for {task_description}</content></message>
<message><role>user</role><content>{answers}</content></message>
"""
STATUS = {"type": "string", "enum": ["Unsure", "Unsolved", "Solved"]}
PREFERENCE = {"type": "object", "properties": {"preference": {"type": "number"}}, "required": ["preference"]}
FUNCTIONS = [
    {
        "name": name,
        "description": "Says how it is.",
        "parameters": {
            "type": "object",
            "properties": {"answer_status": STATUS},
            "required": ["answer_status"],
        },
    }
    for name in ("check_answer_status", "parse_answer_status")
] + [{"name": "choose_preference", "parameters": PREFERENCE}]
CONFIG = {
    "evaluator_name": "my_default",
    "prompt_template": "template.txt",
    "completions_kwargs": {
        "model": "an-old-one",
        "max_tokens": 1000,
        "temperature": 0.2,
        "timeout": 10,
        "functions": FUNCTIONS,
    },
}
FINISH_CALL = CallRecord(
    "f",
    FINISH,
    {"return_type": "give_answer", "final_answer": "Sunny {x}."},
    ToolResult.of("answer given", source="env", status=Status.FINISHED),
)
CALL = CallRecord("c", "forecast", {"city": "Oslo"}, ToolResult.of("sunny", source="cache"))
CASE = Case(Task("1", "Weather {here}?", ONE_TOOL), "Sunny {x}.", (CALL, FINISH_CALL))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.yaml").write_text(json.dumps(CONFIG))
    (tmp_path / "template.txt").write_text(TEMPLATE)
    return tmp_path


def change(folder, **changes):
    (folder / "config.yaml").write_text(json.dumps(CONFIG | changes))
    return folder


def test_a_folder_gives_name_settings_functions_and_prompts(folder):
    files = read_evaluator(folder)
    assert (files.name, files.settings["max_tokens"]) == ("my_default", 1000)
    assert list(files.functions) == ["check_answer_status", "parse_answer_status", "choose_preference"]
    assert files.template.prompts["parse_answer_status"] == "{query} | {answer}"
    assert [role for role, _ in files.template.messages] == ["system", "user"]


def test_a_folder_in_yaml_reads_the_same(folder):
    yaml = pytest.importorskip("yaml")
    expected = read_evaluator(folder)
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    assert read_evaluator(folder) == expected


def test_yaml_without_its_package_names_the_extra(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (folder / "config.yaml").write_text("evaluator_name: x\n")
    with pytest.raises(ConfigError, match=r"^reading .* needs PyYAML; .*'stb-env\[evaluators\]'$"):
        read_evaluator(folder)


def test_prompts_keep_their_line_breaks_and_lose_doubled_braces(folder):
    messages = Evaluator.load(folder).render("check_answer_status", query="q", answer="a")
    assert messages == [{"role": "user", "content": '\nQuery: q\nAnswer: a\nAs JSON: {"a": 1}\n'}]


def test_a_function_without_a_prompt_uses_the_chat_template(folder):
    messages = Evaluator.load(folder).render("choose_preference", task_description="t", answers="[1, 2]")
    assert messages == [
        {"role": "system", "content": "Choose for t"},
        {"role": "user", "content": "[1, 2]"},
    ]


def test_the_one_function_is_forced_and_has_to_give_a_reason(folder):
    request = Evaluator.load(folder).request("check_answer_status", query="q", answer="a")
    (tool,) = request.tools
    parameters = tool["function"]["parameters"]
    assert request.tool_choice == {"type": "function", "function": {"name": "check_answer_status"}}
    assert parameters["properties"]["answer_status"] == STATUS
    assert parameters["required"] == ["answer_status", "reason"]
    assert request.sampling.to_dict() == {"temperature": 0.2, "max_tokens": 1000}


def test_the_pass_judge_asks_in_the_evaluators_words(folder):
    model = ScriptedModel(["Unsure", "Solved"], name="m")
    judge = PassJudge(model, evaluator=Evaluator.load(folder))
    assert drive(judge.judge(CASE)).judge == "pass:m:my_default"
    first, second = (request.messages[0]["content"] for request in model.requests)
    finish = '{"return_type": "give_answer", "final_answer": "Sunny {x}."}'
    assert f"\nQuery: Weather {{here}}?\nAnswer: {finish}\n" in first
    assert json.loads(second.partition(" | ")[2]) == answer_record(CASE)


def test_the_record_of_an_answer_is_one_branch_with_every_call():
    record = answer_record(CASE)
    user = record["answer_details"][0]["next"][0]
    step = user["next"][0]
    assert (user["role"], user["message"], record["total_steps"]) == ("user", "", 4)
    assert step["message"] == {
        "name": "forecast",
        "arguments": '{"city": "Oslo"}',
        "response": '{"error": "", "response": "sunny"}',
    }
    assert step["next"][0]["message"]["name"] == FINISH
    assert step["next"][0]["message"]["response"] == ""


def test_an_episode_of_a_thousand_calls_can_be_put_to_an_evaluator(folder):
    case = Case(CASE.task, CASE.final_answer, (CALL,) * 1_000 + (FINISH_CALL,))
    text = Evaluator.load(folder).details(case).messages[0]["content"]
    assert json.loads(text.partition(" | ")[2])["total_steps"] == 1_003


def test_of_too_many_calls_the_first_and_the_last_are_shown():
    calls = tuple(CALL._replace(name=f"call_{number}") for number in range(200))
    step = answer_record(Case(CASE.task, CASE.final_answer, calls))["answer_details"][0]["next"][0]
    names = []
    while step["next"]:
        (step,) = step["next"]
        names.append(step["message"]["name"])
    assert names == [f"call_{number}" for number in (*range(75), *range(125, 200))]


def test_the_fingerprint_follows_the_prompts(folder):
    before = Evaluator.load(folder).fingerprint
    assert Evaluator.load(folder).fingerprint == before
    (folder / "template.txt").write_text(TEMPLATE.replace("Query", "Question"))
    assert Evaluator.load(folder).fingerprint != before


def test_a_folder_is_a_judge_by_its_path(folder):
    env = {"STB_JUDGE_BASE_URL": "http://127.0.0.1:1/v1", "STB_JUDGE_MODEL": "tiny"}
    assert load_judge(str(folder), env=env).name == "pass:tiny:my_default"


def test_an_evaluator_without_the_two_questions_is_no_pass_judge(folder):
    kept = {"completions_kwargs": {"functions": FUNCTIONS[2:]}}
    with pytest.raises(
        ConfigError, match=r"^evaluator 'my_default' has no function 'check_answer_status', only choose"
    ):
        PassJudge(ScriptedModel([]), evaluator=Evaluator.load(change(folder, **kept)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"completions_kwargs": None}, r"^completions_kwargs of .* must be a mapping, got NoneType$"),
        ({"completions_kwargs": {}}, r"config\.yaml lists no functions under completions_kwargs$"),
        ({"completions_kwargs": {"functions": ["x"]}}, r"^a function of .* must be a mapping, got str$"),
        ({"prompt_template": "../secret.txt"}, r"^prompt_template must be a file name in .*secret\.txt'$"),
    ],
)
def test_a_broken_configuration_says_what_is_wrong(folder, changes, message):
    with pytest.raises(DataError, match=message):
        read_evaluator(change(folder, **changes))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing", r"^the template holds neither <function> nor <message> blocks$"),
        (
            "<function><name>x</name></function>",
            r"^a <function> block of the template has no <description>: ",
        ),
    ],
)
def test_a_broken_template_says_what_is_wrong(text, message):
    with pytest.raises(DataError, match=message):
        read_template(text)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{answr}", r"^\{answr\} is no field .*it takes query, answer\. Did you mean 'answer'\?$"),
        ("{query[0]}", r"^\{query\[0\]\} is no field that this template can have"),
        ("{query.__class__}", r"^\{query\.__class__\} is no field"),
        ("{query!r}", r"^\{query\} is no field"),
        ("{query:>99999999}", r"^\{query\} is no field"),
        ("{}", r"^\{\} is no field"),
        ("}", r"^the template has an unpaired brace \(.*\); double literal ones$"),
    ],
)
def test_only_plain_fields_are_filled(template, message):
    with pytest.raises(DataError, match=message):
        fill(template, {"query": "q", "answer": "a"})


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"^cannot read .*config\.yaml .*give an evaluator folder with"):
        read_evaluator(tmp_path / "none")


@given(st.text(), st.text())
def test_values_go_in_as_they_are(query, answer):
    assert fill("<{query}|{answer}|{{}}>", {"query": query, "answer": answer}) == f"<{query}|{answer}|{{}}>"
