"""`stb-env lab forms`: whether a model keeps to the form of each role."""

import json

import pytest
from typer.testing import CliRunner

from stb_env.errors import JudgeError
from stb_env.experiments.lab.forms import ROLES, Tally, tally
from stb_env.experiments.lab.judge_cases import draw_tasks
from stb_env.models import ChatReply, ModelError, ScriptedModel
from stb_env.show.cli.main import app
from tests.fakes.openai_server import Answer, OpenAIServer, completion

TASKS = draw_tasks(2, seed=0)
REFUSAL = '{"cannot": {"reason": "missing_detail", "what": ["date"]}}'
FINISH = {"name": "Finish", "arguments": REFUSAL}
CALL = {"tool_calls": [{"id": "c", "type": "function", "function": FINISH}]}
API = '{"error": "", "response": {"ms": 4}}'
DOMAINS = '{"domains": ["Tides"]}'
STATUS = '{"answer_status": "Solved", "reason": "It is."}'

IN_FORM = {
    "agent": (CALL, 1),
    "finish": (CALL, 1),
    "simulator": (API, 1),
    "pass": (STATUS, 1),
    "preference": ('{"better": "first", "reason": "It says more."}', 1),
    "final_answer": (STATUS, 1),
    "solvability": ("Solvable", 1),
    "user": ('{"say": "Tomorrow."}', 1),
}


@pytest.mark.parametrize("role", sorted(set(IN_FORM) - {"preference"}))
def test_a_reply_in_its_form_is_read_at_once(role):
    said = tally(ROLES[role][1], ScriptedModel([IN_FORM[role][0]] * 2), TASKS)
    assert said == Tally(questions=2, replies=2, retries=0, read=2, invalid=0)


@pytest.mark.parametrize("role", sorted(set(ROLES) - {"agent", "finish"}))
def test_words_instead_of_the_form_are_asked_again_and_then_given_up_on(role):
    said = tally(ROLES[role][1], ScriptedModel(["I would rather talk of the sea."] * 20), TASKS)
    assert (said.read, said.invalid) == (0, 2)
    assert said.retries == said.replies - 2 > 0


def test_a_finish_that_does_not_fit_the_task_is_not_accepted():
    prose = {"name": "Finish", "arguments": '{"final_answer": "It is 12."}'}
    call = {"tool_calls": [{"id": "c", "type": "function", "function": prose}]}
    said = tally(ROLES["finish"][1], ScriptedModel([call, "It is 12."]), TASKS)
    assert said == Tally(questions=2, replies=2, retries=0, read=0, invalid=0)


def test_words_of_an_agent_cost_a_turn_and_no_episode():
    said = tally(ROLES["agent"][1], ScriptedModel(["Let me see.", CALL, CALL]), TASKS)
    assert said == Tally(questions=3, replies=3, retries=0, read=2, invalid=0)


def test_a_domain_maker_is_read_where_a_dialogue_is_not():
    said = tally(ROLES["synthesis"][1], ScriptedModel([DOMAINS] * 4), TASKS)
    assert said == Tally(questions=2, replies=4, retries=2, read=1, invalid=1)


def test_an_endpoint_that_is_down_says_nothing_of_a_form():
    down = ScriptedModel([ModelError("no answer", kind="transport", stage="judge")])
    with pytest.raises(JudgeError, match=r"gave no status of task .*: no answer$"):
        tally(ROLES["solvability"][1], down, TASKS)


def test_a_reply_that_was_cut_is_asked_again_with_more_chance_and_little_of_it_quoted():
    model = ScriptedModel([ChatReply({"content": '{"error": "' + "no, " * 500}, "length"), API])
    said = tally(ROLES["simulator"][1], model, TASKS[:1])
    again = model.requests[1]
    assert (said.read, said.retries) == (1, 1)
    assert (again.sampling.temperature, again.sampling.frequency_penalty) == (0.7, 0.5)
    assert len(again.messages[2]["content"]) == 200


def test_the_command_prints_a_row_for_each_role_and_way(tmp_path):
    with OpenAIServer().running() as server:
        server.script(*[Answer(completion("Solvable"))] * 6, role="judge")
        models = tmp_path / "models.toml"
        models.write_text(f'[models.judge]\nmodel = "m"\nbase_url = "{server.url("judge")}"\n')
        given = [f"models={models}", "roles=solvability", 'ways=["text","tools"]']
        options = [part for one in given for part in ("--set", one)]
        done = CliRunner().invoke(app, ["lab", "forms", "--episodes", "3", "--json", *options])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["rows"]
    asked = [(row["asked as"], row["questions"], row["read"]) for row in rows]
    assert asked == [("text", 3, 3), ("tools", 3, 3)]
