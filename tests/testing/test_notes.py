"""The notebook that doctests play in is a sound environment."""

from __future__ import annotations

import pickle

import pytest

from stb_env.runs.make import make_env
from stb_env.suite import register
from stb_env.testing.conformance import validate
from stb_env.testing.notes import ADD, DELETE, FIND, START, SUITE, Notebook, notes


def answered(text: str) -> dict:
    return {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": text}}


@pytest.mark.usefixtures("forgotten")
def test_the_notebook_passes_the_conformance_kit():
    register(SUITE)
    assert validate("test/Notes-v0", make_env("test/Notes-v0", {}), seeds=3).failed == []


def test_a_note_is_added_found_and_deleted_and_the_old_state_stays():
    added, state = Notebook().call(START, ADD, {"text": "Call the bank"})
    assert added.response == {"id": "note-003"}
    found, _ = Notebook().call(state, FIND, {"word": "BANK"})
    assert found.response == {"notes": {"note-003": "Call the bank"}}
    _, state = Notebook().call(state, DELETE, {"id": "note-003"})
    assert state.tables == START.tables


def test_a_note_that_is_not_there_cannot_be_deleted():
    result, state = Notebook().call(START, DELETE, {"id": "note-009"})
    assert (result.error, state) == ("there is no note 'note-009'", START)


def test_an_answer_that_holds_more_than_the_day_is_unsolved():
    env = notes()
    env.reset(options={"task_id": "day"})
    rewards = [env.fork().step(answered(text))[1] for text in ("tuesday.", "Monday or Tuesday", "Friday")]
    assert rewards == [1.0, 0.0, 0.0]


def test_a_solution_that_also_changes_another_note_is_unsolved():
    env = notes()
    env.reset(options={"task_id": "day"})
    env.step({"name": "delete_note", "arguments": {"id": "note-002"}})
    _, reward, _, _, info = env.step(answered("Tuesday"))
    assert (reward, info["verdict"]["parts"]) == (0.0, {"notes": False, "answer": True})


def test_an_episode_goes_on_in_a_copy_from_another_process():
    env = notes()
    env.reset(seed=0, options={"task_id": "write"})
    copy = pickle.loads(pickle.dumps(env))
    copy.restore(pickle.loads(pickle.dumps(env.snapshot())))
    write = {"name": "add_note", "arguments": {"text": "Call the bank"}}
    assert copy.step(write) == env.step(write)
    assert copy.step(answered("Done."))[1] == 1.0
