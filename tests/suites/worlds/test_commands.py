"""``stb-env worlds``."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.show.cli import app
from stb_env.suites.worlds.stats import masked, near_duplicates

RUNNER = CliRunner()


def run(*arguments: str) -> dict[str, object]:
    result = RUNNER.invoke(app, ["worlds", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert isinstance(told, dict)
    return told


def test_a_world_is_shown_with_a_task() -> None:
    shown = run("show", "17", "--level", "1")
    assert shown["world"] == "vet_clinic-17"
    assert shown["tools"]
    assert shown["task"]


def test_a_task_is_shown_under_dials() -> None:
    shown = run("show", "17", "--level", "2", "--dials", "h2")
    assert isinstance(shown["task"], dict)
    assert shown["task"]["script"]["user"]["facts"]
    assert RUNNER.invoke(app, ["worlds", "show", "17", "--dials", "hard"]).exit_code == 2


class Page(HTMLParser):
    """Texts and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: Counter[str] = Counter()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_page_shows_a_world_with_a_task(tmp_path: Path) -> None:
    file = tmp_path / "world.html"
    told = run("show", "17", "--level", "2", "--dials", "b150h1", "--html", str(file))
    assert told == {"world": "vet_clinic-17", "task": "vet_clinic-17.2.0.b150h1", "page": str(file)}
    page = Page(file.read_text("utf-8"))
    shown = run("show", "17", "--level", "2", "--dials", "b150h1")
    task = shown["task"]
    assert isinstance(task, dict)
    assert isinstance(shown["tools"], dict)
    for text in (task["query"], task["id"], *shown["tools"], "ask_user", "Dials", "budget", "hidden"):
        assert text in page.texts
    assert any(text.startswith(f"{task['calls'][0]['name']} {{") for text in page.texts)
    assert json.dumps(task["answer"], indent=2, ensure_ascii=False) in page.texts
    assert all(link.startswith(("#", "data:")) for link in page.links)
    assert not page.tags["script"]


def test_a_page_escapes_what_a_kit_says(tmp_path: Path) -> None:
    kit, file = tmp_path / "kit.toml", tmp_path / "world.html"
    run("new", str(kit))
    text = kit.read_text("utf-8").replace('"Amber"', '"<script>alert(1)</script>"')
    kit.write_text(text.replace("Every other requested", "<img src=x> & every other requested"), "utf-8")
    run("show", "3", "--kit", str(kit), "--html", str(file))
    page = Page(file.read_text("utf-8"))
    assert not page.tags["script"] + page.tags["img"]
    assert any("<img src=x> & every other" in text for text in page.texts)


def test_a_new_kit_passes_the_check(tmp_path: Path) -> None:
    path = tmp_path / "my kit.toml"
    run("new", str(path))
    checked = run("check", str(path))
    assert (checked["kit"], checked["faults"]) == ("my_kit", [])
    assert RUNNER.invoke(app, ["worlds", "new", str(path)]).exit_code == 2


def test_a_kit_with_a_fault_fails(tmp_path: Path) -> None:
    path = tmp_path / "kit.toml"
    run("new", str(path))
    path.write_text(path.read_text("utf-8").replace('label = "number"', 'label = "nothing"'), "utf-8")
    assert RUNNER.invoke(app, ["worlds", "check", str(path)]).exit_code == 1
    assert RUNNER.invoke(app, ["worlds", "check", "nothing"]).exit_code == 2


def test_figures_of_a_world() -> None:
    figures = run("stats", "--worlds", "1")
    assert figures["tasks"] == 10
    assert figures["archetypes"]


@pytest.mark.heavy
def test_figures_of_what_requests_leave_open() -> None:
    figures = run("stats", "--worlds", "1", "--dials", "h1")
    assert figures["how users tell them"]
    guessed = figures["tasks that guessers solve who never ask"]
    assert isinstance(guessed, dict)
    assert max(guessed.values()) <= 0.01


def test_near_duplicates_do_not_see_values() -> None:
    requests = ["Deny claim CL-1 of Ada Holm.", "Deny claim CL-2 of Bo Lund.", "Which box is heaviest?"]
    words = [frozenset(masked(request).split()) for request in requests]
    assert near_duplicates(words) == round(1 / 3, 4)


def test_settings_are_read_as_people_write_them() -> None:
    wanted = ["--set", "level=1,2", "--set", "policies=True", "--set", "services=(2, 3)"]
    arguments = ["run", "stb/Worlds-v0", "--agent", "gold", "--episodes", "1", *wanted, "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["solved"] == 1
