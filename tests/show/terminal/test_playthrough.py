"""What a person plays can be taken back, forked, and kept."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from stb_env import make
from stb_env.core.answers import object_schema
from stb_env.envs.finish import finish_form
from stb_env.errors import ConfigError, DataError
from stb_env.runs.driven import DrivenEpisode
from stb_env.saved_episodes import read_trajectories
from stb_env.show.terminal.form import Field, arguments_of, fields_of, groups_of
from stb_env.show.terminal.played_folder import PlayedFolder
from stb_env.show.terminal.playthrough import Attempt
from stb_env.testing.notes import notes

MANIFEST = {"env": "test/Notes-v0", "agent": "person"}


def begun(task_id: str = "day", seed: int = 0) -> Attempt:
    episode = DrivenEpisode(notes())
    episode.start(task_id=task_id, seed=seed)
    return Attempt(episode)


def test_after_an_undo_the_world_is_what_it_was():
    attempt = begun()
    before = attempt.episode.trajectory()
    asyncio.run(attempt.call("delete_note", {"id": "note-001"}))
    assert attempt.undo()
    assert attempt.episode.trajectory() == before
    reply = asyncio.run(attempt.call("find_notes", {"word": "dentist"}))
    assert "Tuesday" in reply.text


def test_a_branch_does_not_reach_into_another():
    attempt = begun()
    attempt.fork()
    asyncio.run(attempt.call("delete_note", {"id": "note-001"}))
    attempt.next_branch()
    assert (attempt.branch, attempt.turn) == (0, 0)
    assert "Tuesday" in asyncio.run(attempt.call("find_notes", {"word": "dentist"})).text


def test_a_line_without_a_call_costs_no_turn():
    attempt = begun()
    with pytest.raises(DataError, match=r"^no tool call found, and nobody listens here; choose a tool, or "):
        asyncio.run(attempt.type("hello"))
    assert attempt.turn == 0


def test_each_end_is_a_trial_of_its_own(tmp_path: Path):
    folder = PlayedFolder(tmp_path / "mine", MANIFEST, seed=0)
    job = folder.job("day")
    attempt = begun(seed=job.seed)
    for answer in ("Monday", "Tuesday"):
        asyncio.run(attempt.call("Finish", {"return_type": "give_answer", "final_answer": answer}))
        folder.keep(attempt.episode.trajectory())
        attempt.undo()
    folder.close()
    saved = read_trajectories(tmp_path / "mine")
    assert [(episode.trial, episode.solved) for episode in saved] == [(0, False), (1, True)]
    again = PlayedFolder(tmp_path / "mine", MANIFEST, seed=0)
    assert again.job("day").trial == 2
    again.close()


def test_the_folder_of_another_run_is_refused(tmp_path: Path):
    PlayedFolder(tmp_path / "mine", MANIFEST, seed=0).close()
    with pytest.raises(ConfigError, match="agent"):
        PlayedFolder(tmp_path / "mine", {**MANIFEST, "agent": "gold"}, seed=0)


@pytest.mark.parametrize(
    ("field", "typed", "message"),
    [
        (Field("n", "integer"), "1.5", r"^n: expected a whole number, got '1.5'$"),
        (Field("n", "integer"), "true", r"^n: expected a whole number, got 'true'$"),
        (Field("n", "number"), "much", r"^n: expected a number, got 'much'$"),
        (Field("n", "json"), "[1,", r"^n: expected JSON, got '\[1,'$"),
        (
            Field("n", "list", item=Field("n", "integer")),
            "1\ntwo",
            r"^n: expected a whole number, got 'two'$",
        ),
        (Field("n", "integer", group="answer"), "two", r"^answer.n: expected a whole number, got 'two'$"),
        (Field("n", "integer", required=True), "", r"^n must be given: a whole number$"),
    ],
)
def test_what_does_not_fit_its_field_is_refused(field: Field, typed: str, message: str):
    with pytest.raises(DataError, match=message):
        arguments_of([field], {field.path: typed}, field.group)


def test_every_kind_of_parameter_gets_a_field():
    properties = {
        "text": {"type": "string"},
        "much": {"type": "number"},
        "sure": {"type": "boolean"},
        "unit": {"type": "string", "enum": ["km", "mi"], "default": "mi"},
        "list": {"type": "array", "items": {"type": "integer"}},
    }
    fields = fields_of({"function": {"parameters": {"properties": properties, "required": ["sure"]}}})
    assert [(field.name, field.kind, field.start) for field in fields] == [
        ("sure", "switch", "false"),
        ("text", "text", ""),
        ("much", "number", ""),
        ("unit", "choice", "mi"),
        ("list", "list", ""),
    ]
    typed = {"sure": "false", "much": "2", "unit": "", "list": "1\n\n2\n"}
    assert arguments_of(fields, typed) == {"sure": False, "much": 2, "list": [1, 2]}


def test_the_members_of_a_typed_answer_are_fields_of_their_own():
    env = make("stb/Sandbox-v1")
    env.reset(seed=0)
    answer = {
        "due": {"type": "string", "format": "date"},
        "titles": {"type": "array", "items": {"type": "string"}},
        "paid": {"type": "boolean"},
    }
    task = replace(env.task, answer=object_schema(answer), cannot={"not_found": ("city",)})
    finish = json.loads(finish_form(task).tool.spec)
    fields = fields_of(finish)
    assert groups_of(finish) == ["answer", "cannot"]
    assert [(field.path, field.kind, field.hint) for field in fields] == [
        ("answer.due", "text", "YYYY-MM-DD"),
        ("answer.titles", "list", "one a line"),
        ("answer.paid", "switch", ""),
        ("cannot.reason", "choice", ""),
        ("cannot.what", "list", "one a line"),
        ("final_answer", "text", ""),
    ]
    typed = {"answer.due": "2026-03-09", "answer.titles": "Milk\nBread", "answer.paid": "true"}
    assert arguments_of(fields, typed, "answer") == {
        "answer": {"due": "2026-03-09", "titles": ["Milk", "Bread"], "paid": True}
    }


def test_a_task_of_acts_alone_has_an_answer_without_members():
    env = make("stb/Sandbox-v1")
    env.reset(seed=0)
    finish = json.loads(finish_form(replace(env.task, answer=object_schema({}), cannot=None)).tool.spec)
    assert [field.path for field in fields_of(finish)] == ["final_answer"]
    assert arguments_of(fields_of(finish), {}, "answer") == {"answer": {}}
