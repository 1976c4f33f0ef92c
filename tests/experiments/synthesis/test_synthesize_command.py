"""``stb-env synthesize`` from end to end."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.experiments.synthesis.tool_api import read_apis
from stb_env.show.cli.main import app
from stb_env.suites.api_bank.formats.training import read_training
from stb_env.suites.stabletoolbench.queries import load
from tests.experiments.synthesis.replies import FERRY, TIDES, Cast
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion
from tests.shared import queries

ROLES = ("domain", "api", "query", "caller", "tester")


def run(*arguments: object):
    return CliRunner().invoke(app, ["synthesize", *map(str, arguments)])


def report(*arguments: object) -> dict:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def serve(server: OpenAIServer, *roles: str, dialogues: int, path: str | None = None) -> None:
    """Let a server play roles, each at its own path or all at one."""
    cast = Cast()

    def played(role: str):
        def answer(received: Received) -> Answer:
            asked = received.body["messages"][0]["content"]
            return Answer(completion(json.dumps(getattr(cast, role)(asked))))

        return answer

    for _ in range(dialogues):
        for role in roles:
            server.script(played(role), role=path or role)


def models_file(folder: Path, server: OpenAIServer, role: str, price: bool = True) -> Path:
    file = folder / f"{role}.toml"
    lines = ["[models.agent]", 'model = "tiny"', f'base_url = "{server.url(role)}"', "retries = 0"]
    if price:
        # What is written costs, and how much that is at most is known: five tokens.
        lines += ["price = { prompt = 0.0, completion = 300.0 }", "max_tokens = 5"]
    file.write_text("\n".join(lines))
    return file


def test_it_runs_without_a_model(tmp_path: Path):
    found = report("--out", tmp_path / "out", "--dialogues", 6, "--seed", 0)
    assert found["samples"] == 6
    assert found["kept"] == found["table2"]["dialogues"] > 0
    assert found["usage"]["calls"] == 0
    again = report("--out", tmp_path / "out", "--dialogues", 6, "--seed", 0)
    assert again == found


def test_it_prints_a_table_beside_the_figures_of_the_paper(tmp_path: Path):
    done = run("--out", tmp_path / "out", "--dialogues", 2)
    assert done.exit_code == 0
    assert "2,138" in done.stdout
    assert "dropped by the tester" in done.stdout


@pytest.mark.parametrize("ability", ["call", "retrieve", "plan"])
def test_one_ability_can_be_asked_for(tmp_path: Path, ability: str):
    found = report("--out", tmp_path / "out", "--dialogues", 3, "--ability", ability)
    assert found["table2"][ability] == found["kept"] > 0


def test_the_baseline_runs_without_a_model(tmp_path: Path):
    found = report("--out", tmp_path / "out", "--dialogues", 2, "--method", "single")
    assert (found["method"], found["kept"]) == ("single", 2)


def test_any_endpoint_can_play_all_roles(tmp_path: Path):
    apis = tmp_path / "apis.json"
    apis.write_text(json.dumps([TIDES, FERRY]))
    with OpenAIServer().running() as server:
        serve(server, *ROLES, dialogues=2, path="agent")
        models = models_file(tmp_path, server, "agent")
        options = ("--models", models, "--per-domain", 1, "--apis", apis, "--budget", 1)
        found = report("--out", tmp_path / "out", "--dialogues", 2, *options)
    assert found["kept"] == 2
    assert found["usage"]["calls"] == 10
    assert found["cost_per_kept_dialogue"] == pytest.approx(5 * 15 * 100 / 1e6)
    assert "BookFerry" in server.requests[1].body["messages"][0]["content"]


def test_roles_can_be_cast_with_endpoints_of_their_own(tmp_path: Path):
    with OpenAIServer().running() as server:
        serve(server, *ROLES, dialogues=1)
        cast = [
            part for role in ROLES for part in ("--cast", f"{role}={models_file(tmp_path, server, role)}")
        ]
        assert report("--out", tmp_path / "out", "--dialogues", 1, *cast)["kept"] == 1
    assert [request.path.split("/")[1] for request in server.requests] == list(ROLES)


def test_a_model_that_is_gone_is_one_line_before_the_work(tmp_path: Path):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{one.getsockname()[1]}/v1"
    models = tmp_path / "models.toml"
    models.write_text(f'[models.agent]\nmodel = "tiny"\nbase_url = "{url}"\n')
    done = run("--out", tmp_path / "out", "--models", models)
    assert (done.exit_code, done.stdout) == (1, "")
    line = rf"error: agent model 'tiny' at {url} cannot be reached: the connection failed: [^\n]*\n"
    assert re.fullmatch(line, done.stderr)
    assert not (tmp_path / "out").exists()


MADE_UP = {"name": "get_book", "arguments": {"number": 7}, "result": {"result": "x"}}


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (['{"utterances": ["{"]}'] * 3, "an utterance needs words"),
        (['{"utterances": ["Is it lent?", "And now?"]}'] * 3, "at most 1 utterances are wanted, got 2"),
        (['{"utterances": ["Is it lent?"], "time": "25:00"}'] * 3, "time must be YYYY-MM-DD HH:MM:SS"),
        (["I am a helpful assistant."] * 3, "expected one JSON object, found none"),
        (
            [
                '{"utterances": ["Is book 5 lent?"]}',
                json.dumps({"turns": [{"calls": [MADE_UP], "reply": "No."}]}),
                '{"keep": true, "reasons": []}',
            ],
            "7 for number of get_book is said by no user, no earlier result and no default",
        ),
    ],
)
def test_a_weak_model_makes_no_query_of_its_slips_and_is_told_why(
    tmp_path: Path, written: list[str], why: str
):
    number = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
    (tmp_path / "f.json").write_text(json.dumps([{"name": "get_book", "parameters": number}]))
    catalog, out = tmp_path / "c.json", tmp_path / "q.jsonl"
    CliRunner().invoke(app, ["tools", "import", str(tmp_path / "f.json"), "--out", str(catalog)])
    with OpenAIServer().running() as server:
        for text in written:
            server.script(Answer(completion(text)), role="agent")
        models = models_file(tmp_path, server, "agent")
        done = run("--tools", catalog, "--out", out, "--dialogues", 1, "--models", models)
    kept = tmp_path / "q.dialogues" / "dialogues.jsonl"
    assert (done.exit_code, done.stdout, out.exists()) == (2, "", False)
    assert done.stderr == (
        f"error: no dialogue of 1 was kept; {kept} says of each why not. "
        "Ask for more with --dialogues, or let another model write\n"
    )
    assert why in kept.read_text()


def test_a_used_up_budget_is_a_failed_run_that_can_go_on(tmp_path: Path):
    with OpenAIServer().running() as server:
        serve(server, *ROLES, dialogues=1, path="agent")
        models = models_file(tmp_path, server, "agent")
        options = ("--out", tmp_path / "out", "--dialogues", 3, "--models", models, "--per-domain", 1)
        done = run(*options, "--budget", 0.0075)
        assert done.exit_code == 1
        assert "the budget of $0.0075 is used up" in done.output
        serve(server, *ROLES, dialogues=2, path="agent")
        assert report(*options, "--budget", 1)["samples"] == 3
    assert len(server.requests) == 15


def test_the_words_of_another_training_file_can_be_used(tmp_path: Path):
    official = tmp_path / "official.json"
    record = {
        "instruction": "Call!",
        "input": "User: a\nGenerate API Request: ",
        "output": "API-Request: [A()]",
    }
    official.write_text(json.dumps([record]))
    report("--out", tmp_path / "out", "--dialogues", 1, "--like", official)
    samples = read_training(tmp_path / "out" / "kept.api_bank.json")
    assert {sample.instruction for sample in samples if sample.wants_call} == {"Call!"}


def test_labels_are_read_back(tmp_path: Path):
    sheet = tmp_path / "review.csv"
    sheet.write_text("index,usable\n0,yes\n1,no\n2,yes\n3,yes\n")
    found = report("--review", sheet)
    assert (found["labelled"], found["usable"], found["share"]) == (4, 3, 0.75)
    assert "75.0%" in run("--review", sheet).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a folder to write to with --out DIR, or a sheet to read with --review FILE"),
        (
            ("--out", "o", "--ability", "planning"),
            "no ability 'planning'; there is call, retrieve, plan.",
        ),
        (("--out", "o", "--method", "solo"), "no method 'solo'; there is multi, single."),
        (("--out", "o", "--budget", "1"), "--budget is for models; give a models file with --models"),
        (("--out", "o", "--turns", "99"), "most_turns must be from 1 to 8, got 99"),
        (("--out", "o", "--cast", "tester"), "--cast takes ROLE=FILE, got 'tester'"),
        (("--out", "o", "--cast", "testr=x"), "method multi has no role 'testr'"),
    ],
)
def test_bad_use_is_named(tmp_path: Path, monkeypatch, arguments, message: str):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.output


def test_a_budget_needs_prices(tmp_path: Path):
    with OpenAIServer().running() as server:
        models = models_file(tmp_path, server, "agent", price=False)
        done = run("--out", tmp_path / "out", "--models", models, "--budget", 1)
    assert done.exit_code == 2
    assert "--budget needs the price of tiny, which plays domain; add one under [prices]" in done.output


# -- real API descriptions ------------------------------------------------------------------------------


def test_a_list_of_apis_is_read(tmp_path: Path):
    file = tmp_path / "apis.json"
    file.write_text(json.dumps([TIDES, FERRY]))
    assert [api.name for api in read_apis(file)] == ["TideTable", "BookFerry"]


def test_query_files_give_their_apis(shared_data: Path):
    folder = queries(shared_data)
    apis = read_apis(folder)
    assert {api.name for api in apis} == {tool.name for tool in load(folder).tasks.catalog}
    assert len({api.name for api in apis}) == len(apis)
    assert all(
        kind["type"] in ("str", "int", "float", "bool", "list", "dict")
        for a in apis
        for kind in a.inputs.values()
    )


def test_a_broken_list_of_apis_is_named(tmp_path: Path):
    file = tmp_path / "apis.json"
    file.write_text(json.dumps([{"name": "TideTable"}]))
    done = run("--out", tmp_path / "out", "--apis", file, "--cast", f"domain={file}")
    assert done.exit_code == 2
    assert "apis.json" in done.output
