"""A person plays in the terminal: every key, headless, at 80 columns and 24 rows."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from stb_env import load_agent, make, play
from stb_env.backend.world import World
from stb_env.core.answers import object_schema
from stb_env.core.request import Slow
from stb_env.judges.judge import Case
from stb_env.runs.driven import DrivenEpisode
from stb_env.tasks import TaskSet
from stb_env.testing import notes as notebook
from stb_env.testing.notes import notes
from stb_env.tools import ToolResult
from stb_env.trajectory import Trajectory
from stb_env.verdict import Verdict
from tests.conftest import ROOT

pytest.importorskip("textual", reason="playing in the terminal needs the extra play")

from textual.pilot import Pilot
from textual.widgets import Button, Input, Select, Static, Switch, TextArea

from stb_env.show.terminal.apps.play_app import PlayApp
from stb_env.show.terminal.apps.tool_form import ToolForm
from stb_env.show.terminal.playthrough import Attempt

Test = Callable[[PlayApp, Pilot[None]], Awaitable[None]]
SCREENSHOT = ROOT / "docs" / "screenshots" / "play.svg"


def played(
    test: Test, env: Any = None, task_id: str = "day", env_id: str = "test/Notes-v0"
) -> list[Trajectory]:
    """Run a test in the app; returns the episodes that came to their end."""
    episode = DrivenEpisode(env or notes())
    episode.start(task_id=task_id, seed=0)
    kept: list[Trajectory] = []
    app = PlayApp(Attempt(episode), env_id, kept.append)

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await test(app, pilot)

    asyncio.run(run())
    return kept


async def type_in(pilot: Pilot[None], text: str, *keys: str) -> None:
    # Letter by letter takes ten times as long.
    field = pilot.app.focused
    assert isinstance(field, Input)
    field.insert_text_at_cursor(text)
    await pilot.press(*keys)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def story(app: PlayApp) -> str:
    """Return every line of the tree, folded ones too."""

    def lines(node: Any) -> list[str]:
        return [str(node.label), *(line for child in node.children for line in lines(child))]

    return "\n".join(lines(app.story.root))


def where(app: PlayApp) -> str:
    return str(app.query_one("#where", Static).render())


async def find_dentist(pilot: Pilot[None]) -> None:
    await type_in(pilot, "find_notes", "enter")
    await type_in(pilot, "dentist", "enter")


async def answer(pilot: Pilot[None], text: str) -> None:
    await pilot.press("f2")
    await type_in(pilot, text, "enter")


def test_a_tool_an_answer_and_the_verdict_with_its_reasons():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await find_dentist(pilot)
        assert "note-001: Dentist on Tuesday" in story(app)
        assert "turn 1 of 24" in where(app)
        await answer(pilot, "Tuesday")
        assert "verdict: solved, score 1, by exact" in story(app)
        assert "over" in where(app)

    (episode,) = played(test)
    assert episode.solved
    assert episode.final_answer == "Tuesday"
    assert [call["name"] for step in episode.steps for call in step["calls"]] == ["find_notes", "Finish"]


def test_who_types_what_gold_calls_solves_the_task():
    env = make("stb/Sandbox-v1")
    env.reset(seed=0)
    gold = play(env, load_agent("gold")(), task_id=env.task.id, seed=0)
    calls = [call for step in gold.steps for call in step["calls"]]

    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        for call in calls:
            await type_in(pilot, json.dumps({"name": call["name"], "arguments": call["arguments"]}), "enter")
        assert "verdict: solved, score 1, by exact" in story(app)
        if os.environ.get("STB_SCREENSHOTS"):
            SCREENSHOT.parent.mkdir(parents=True, exist_ok=True)
            SCREENSHOT.write_text(
                app.export_screenshot(title="stb-env play stb/Sandbox-v1"), encoding="utf-8"
            )

    (episode,) = played(test, env, gold.task_id, "stb/Sandbox-v1")
    assert episode.messages == gold.messages


def typed_notes(**answer: Any) -> Any:
    """Return the notes with a task whose answer is typed."""
    task = replace(
        notebook.TASKS.get("day"),
        answer=object_schema(answer),
        cannot={"not_found": ("note", "person"), "no_tool": ("send",)},
    )
    return notebook.ToolEnv(TaskSet([task]), notebook.Notebook(), TypedJudge())


class TypedJudge:
    """Solves an episode whose typed answer says Tuesday."""

    name = "exact"
    exact = True

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        solved = (case.answer or {}).get("day") == "Tuesday"
        return Verdict.of("solved" if solved else "unsolved", judge="exact")


def test_the_form_of_a_typed_answer_has_a_widget_for_each_value():
    env = typed_notes(
        day={"type": "string", "enum": ["Monday", "Tuesday"]},
        date={"type": "string", "format": "date"},
        open={"type": "boolean"},
        titles={"type": "array", "items": {"type": "string"}},
    )

    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("f2")
        await pilot.pause()
        app.screen.query_one("#field-0", Select).value = "Tuesday"
        app.screen.query_one("#field-1", Input).value = "next week"
        app.screen.query_one("#field-2", Switch).toggle()
        app.screen.query_one("#field-3", TextArea).text = "Dentist\nBank"
        await pilot.pause()
        app.screen.query_one("#call", Button).press()
        await pilot.pause()
        problem = str(app.screen.query_one("#problem", Static).render())
        assert problem == "'answer.date' must be a date as YYYY-MM-DD, got the text 'next week'"
        assert app.attempt.turn == 0
        app.screen.query_one("#field-1", Input).value = "2026-03-10"
        app.screen.query_one("#call", Button).press()
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "verdict: solved" in story(app)

    (episode,) = played(test, env)
    answer = {"day": "Tuesday", "date": "2026-03-10", "open": True, "titles": ["Dentist", "Bank"]}
    assert (episode.answer, episode.final_answer, episode.cannot) == (answer, "", None)


def test_the_form_says_why_a_request_cannot_be_met_where_that_is_offered():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("f2")
        await pilot.pause()
        assert not app.screen.query_one("#group-cannot").display
        app.screen.query_one("#group", Select).value = "cannot"
        await pilot.pause()
        assert app.screen.query_one("#group-cannot").display
        assert not app.screen.query_one("#group-answer").display
        app.screen.query_one("#field-1", Select).value = "not_found"
        app.screen.query_one("#field-2", TextArea).text = "send"
        app.screen.query_one("#call", Button).press()
        await pilot.pause()
        problem = str(app.screen.query_one("#problem", Static).render())
        assert problem.startswith("'cannot.what' with reason 'not_found' must be one of note, person")
        app.screen.query_one("#field-2", TextArea).text = "note"
        app.screen.query_one("#call", Button).press()
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "verdict: unsolved" in story(app)

    (episode,) = played(test, typed_notes(day={"type": "string"}))
    assert (episode.answer, episode.cannot) == (None, {"reason": "not_found", "what": ["note"]})


def test_a_wrong_answer_is_unsolved_and_kept_too():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await answer(pilot, "Monday")
        assert "verdict: unsolved, score 0, by exact" in story(app)
        assert "answer: false" in story(app)

    (episode,) = played(test)
    assert not episode.solved


def test_a_step_that_is_taken_back_has_not_happened():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await type_in(pilot, '{"name": "delete_note", "arguments": {"id": "note-001"}}', "enter")
        assert "deleted: note-001" in story(app)
        await pilot.press("f3")
        assert "delete_note" not in story(app)
        await find_dentist(pilot)
        assert "Dentist on Tuesday" in story(app)
        await answer(pilot, "Tuesday")

    (episode,) = played(test)
    assert episode.solved
    assert "delete_note" not in episode.to_json().split('"messages"')[1]


def test_nothing_is_taken_back_at_the_beginning():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("f3")
        assert "turn 0 of 24" in where(app)

    assert played(test) == []


def test_branches_go_their_own_ways():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await find_dentist(pilot)
        await pilot.press("f4")
        assert "branch 2 of 2" in where(app)
        await answer(pilot, "Monday")
        await pilot.press("f5")
        assert "branch 1 of 2" in where(app)
        assert "verdict" not in story(app)
        await answer(pilot, "Tuesday")

    assert [episode.solved for episode in played(test)] == [False, True]


def test_the_line_completes_the_name_of_a_tool():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("d", "e", "l", "right")
        assert app.query_one("#line", Input).value == "delete_note"

    played(test)


def test_a_form_is_left_without_a_call():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await type_in(pilot, "add_note", "enter")
        assert isinstance(app.screen, ToolForm)
        await pilot.press("escape")
        assert "turn 0 of 24" in where(app)

    played(test)


def test_what_is_no_call_costs_no_turn():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await type_in(pilot, "just chatting", "enter")
        assert "turn 0 of 24" in where(app)
        assert app.query_one("#line", Input).value == "just chatting"

    assert played(test) == []


class Markup(notebook.Notebook):
    """A world whose answers look like the terminal's markup."""

    def call(self, state: Any, tool: Any, arguments: Any) -> Any:
        return ToolResult.of({"[red]key": "[bold]loud[/bold]", "[/b]": "[link=x"}, source="world"), state


def test_what_a_tool_answers_is_shown_as_it_is_and_never_read_as_markup():
    world: World[Any] = Markup()
    env = notebook.ToolEnv(notebook.TASKS, world, notebook.NotesJudge())

    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await find_dentist(pilot)
        assert "[red]key: [bold]loud[/bold]" in story(app)
        assert "[/b]: [link=x" in story(app)

    played(test, env)


def test_a_tool_of_the_list_is_chosen_with_the_arrows():
    async def test(app: PlayApp, pilot: Pilot[None]) -> None:
        await pilot.press("shift+tab", "shift+tab", "down", "enter")
        await pilot.pause()
        assert isinstance(app.screen, ToolForm)

    played(test)


def test_what_the_disk_refuses_ends_it_with_the_error():
    episode = DrivenEpisode(notes())
    episode.start(task_id="day", seed=0)

    def refuse(_: Trajectory) -> None:
        raise OSError("no space left on device")

    app = PlayApp(Attempt(episode), "test/Notes-v0", refuse)

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await answer(pilot, "Tuesday")

    asyncio.run(run())
    assert str(app.failed) == "no space left on device"
