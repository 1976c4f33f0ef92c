"""Kits that a model writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from stb_env.errors import ConfigError, InfrastructureError
from stb_env.models import ChatReply, ModelError, ScriptedModel
from stb_env.show.cli import app
from stb_env.suites.worlds.authoring.check_kit import check_kit
from stb_env.suites.worlds.authoring.kit_author import (
    MOST_FAULTS,
    author_file,
    author_kit,
    drafts_of,
    example,
    told,
)
from stb_env.suites.worlds.authoring.kit_trial import faults_of
from stb_env.suites.worlds.schema.kit import read_kit
from tests.fakes.openai_server import Answer, OpenAIServer, completion, error

GOOD = example().replace('name = "tool_library"', 'name = "tool_shed"')
BAD = GOOD.replace('label = "number"', 'label = "nothing"').replace("after {v}", "behind {w}")
ABOUT = "a shed of tools for lending"


def fenced(text: str) -> str:
    return f"Here is the kit, with `name` set:\n\n```toml\n{text}```\n\nShall I go on?"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "tool_shed.toml"


def test_a_second_try_passes_that_was_told_all_faults(out: Path) -> None:
    model = ScriptedModel([fenced(BAD), fenced(GOOD)])
    draft = author_file(model, ABOUT, out)
    assert (draft.attempt, draft.faults, draft.usage.calls) == (2, (), 2)
    assert out.read_text("utf-8") == GOOD
    assert check_kit(read_kit(out)) == []
    assert list(out.parent.iterdir()) == [out]
    first, second = (request.messages for request in model.requests)
    assert ABOUT in first[0]["content"]
    assert "spread: " in first[0]["content"]
    assert "tool_library" in first[0]["content"]
    assert [message["role"] for message in second] == ["user", "assistant", "user"]
    faults = second[2]["content"]
    assert "entities.loan.label: 'nothing' is no person, title or code of it" in faults
    assert "entities.member.attributes.joined.after_say" in faults


def test_a_model_that_never_writes_a_right_kit_is_given_up(out: Path) -> None:
    draft = author_file(ScriptedModel(["I cannot do that.", fenced(BAD)]), ABOUT, out, attempts=2)
    assert draft.faults
    assert not out.exists()
    kept, faults = drafts_of(out)
    assert kept.read_text("utf-8") == BAD
    assert faults.read_text("utf-8").splitlines() == list(draft.faults)


def test_a_reply_without_a_file_and_a_cut_one_are_told_so(out: Path) -> None:
    cut = ChatReply({"role": "assistant", "content": fenced(GOOD)[:500]}, "length")
    model = ScriptedModel(["Gladly!", cut, fenced(GOOD)])
    assert author_kit(model, ABOUT, out).attempt == 3
    assert "the reply has no file" in model.requests[1].messages[2]["content"]
    assert "shorter kit" in model.requests[2].messages[2]["content"]


def test_a_draft_is_gone_on_from(out: Path) -> None:
    author_file(ScriptedModel([fenced(BAD)]), ABOUT, out, attempts=1)
    model = ScriptedModel([fenced(GOOD)])
    assert author_file(model, ABOUT, out).faults == ()
    assert BAD in model.requests[0].messages[1]["content"]
    assert "'nothing' is no person" in model.requests[0].messages[2]["content"]


def test_no_try_is_lost_where_the_model_fails(out: Path) -> None:
    model = ScriptedModel([fenced(BAD), ModelError("it is gone", kind="transport")])
    with pytest.raises(InfrastructureError, match="it is gone") as failed:
        author_file(model, ABOUT, out)
    assert failed.value.stage == "author"
    assert drafts_of(out)[0].read_text("utf-8") == BAD


@pytest.mark.parametrize("name", ["Tool Shed.toml", "tool_shed", "shed.json"])
def test_a_file_must_be_able_to_hold_a_kit(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="a kit's file is named"):
        author_file(ScriptedModel([]), ABOUT, tmp_path / name)


def test_a_folder_that_cannot_be_made_costs_no_try(tmp_path: Path) -> None:
    assert author_file(ScriptedModel([fenced(GOOD)]), ABOUT, tmp_path / "new" / "tool_shed.toml").faults == ()
    (tmp_path / "file").write_text("mine", "utf-8")
    model = ScriptedModel([fenced(GOOD)])
    with pytest.raises(ConfigError, match="cannot be a folder: a file stands in its place"):
        author_file(model, ABOUT, tmp_path / "file" / "tool_shed.toml")
    assert not model.requests


def test_a_file_that_is_there_is_kept(out: Path) -> None:
    out.write_text("mine", "utf-8")
    with pytest.raises(ConfigError, match="is there already"):
        author_file(ScriptedModel([]), ABOUT, out)
    assert out.read_text("utf-8") == "mine"


def test_many_faults_are_told_in_part() -> None:
    lines = told([f"fault {number}\n" + "x" * 1_000 for number in range(80)]).splitlines()
    assert len(lines) == MOST_FAULTS + 1
    assert max(map(len, lines)) <= 300


def changed(old: str, new: str) -> Callable[[], str]:
    assert old in GOOD
    return lambda: GOOD.replace(old, new)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (lambda: "", "Field required"),
        (lambda: "a = " + "[" * 5_000, "kit tool_shed.toml"),
        (lambda: "#" * 300_000, "300,000 characters"),
        (changed('name = "tool_shed"', 'name = "other"'), "must be that of the file"),
        (changed("{loan.plural}", "{loan.__class__}"), "no slot: '{loan.__class__}'"),
        (changed("more than {n} days", "more than {n:99999999} days"), "no slot"),
        (changed("due before {v}", "due before {v"), "expected '}'"),
        (changed("rows = [140, 200]", "rows = [140, 2000000]"), "must be 1,000 or fewer"),
        (changed("between = [-2000, -30]", "between = [-2000000, -30]"), "must be between"),
        (changed("low = 10, high = 200", "low = 10, high = " + "9" * 4_000), "must be between"),
        (changed("weights = [4, 3, 3]", "weights = [0, 0, 0]"), "weights"),
        (changed("2026-03-01", "2028-03-01"), "today"),
        (changed("between = [-120, -1]", 'between = [-120, -1], after = "due"'), "go in a circle"),
        (changed('"days(taken, today)"', '"days(taken"'), "operand"),
        (changed("weights = [4, 3, 3]", "weights = [500, 500, 1]"), "less than 2%"),
    ],
)
def test_what_is_wrong_is_said(text: Callable[[], str], fault: str) -> None:
    faults = faults_of(text(), Path("tool_shed.toml"))
    assert fault in "\n".join(faults)


def test_a_kit_without_tasks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stb_env.suites.worlds.authoring.kit_trial._DRAWS", 0)
    (first, *_) = faults_of(GOOD, Path("tool_shed.toml"))
    assert first.startswith("entities: no task of level 1")


# -- the command ------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer().running() as running:
        yield running


def authored(server: OpenAIServer, out: Path, *options: str) -> Result:
    models = out.parent / "models.toml"
    models.write_text(f'[models.agent]\nmodel = "tiny"\nbase_url = "{server.url()}"\nretries = 1\n', "utf-8")
    arguments = ["worlds", "author", ABOUT, "--models", str(models), "--out", str(out), *options]
    return CliRunner().invoke(app, arguments)


def test_the_command_writes_a_kit(server: OpenAIServer, out: Path) -> None:
    server.script(Answer(completion(fenced(BAD))), Answer(completion(fenced(GOOD))))
    result = authored(server, out, "--json")
    assert result.exit_code == 0, result.output
    told_of = json.loads(result.stdout)
    assert (told_of["kit"], told_of["attempts"], told_of["faults"]) == (str(out), 2, [])
    assert (told_of["usage"]["calls"], told_of["usage"]["cost"]) == (2, None)
    assert out.read_text("utf-8") == GOOD


def test_the_command_says_that_no_try_passed(server: OpenAIServer, out: Path) -> None:
    server.script(Answer(completion(fenced(BAD))))
    result = authored(server, out, "--attempts", "1")
    assert result.exit_code == 1
    assert "no try passed" in result.stdout
    assert drafts_of(out)[0].exists()
    server.script(Answer(completion(fenced(GOOD))))
    assert authored(server, out).exit_code == 0
    assert not drafts_of(out)[0].exists()


def test_the_command_asks_a_busy_server_again_and_keeps_what_it_has(server: OpenAIServer, out: Path) -> None:
    busy = error("busy", 503, retry_after="0")
    server.script(Answer(completion(fenced(BAD))), busy, busy)
    result = authored(server, out)
    assert result.exit_code == 1
    assert "busy" in result.stderr
    assert len(server.requests) == 3
    assert drafts_of(out)[0].read_text("utf-8") == BAD


def test_a_budget_needs_a_price(server: OpenAIServer, out: Path) -> None:
    assert authored(server, out, "--budget", "1").exit_code == 2
