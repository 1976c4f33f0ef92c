"""A report in a real Chromium, opened as a file: it searches, prints, is readable by all, and asks no one.

Screenshots are written with ``--screenshots DIR``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stb_env.runs import Curve
from tests.command import stb
from tests.show.report.browser import NARROW, WIDE
from tests.show.report.mixed_run import EVIL, mixed_run
from tests.show.report.played_runs import played

EPISODES = 12
WINS = (True, False, True, True, False, None, True, True, False, True, True, False)
SHOWN = "#task-table tbody tr:not([hidden])"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Path:
    folder = tmp_path_factory.mktemp("report")
    played(folder / "gold", "stb/Sandbox-v1", episodes=EPISODES)
    played(folder / "noop", "stb/Sandbox-v1", "noop", episodes=EPISODES)
    played(folder / "dialogues", "stb/APIBankCall-v1", episodes=4)
    mixed_run(folder / "mixed", folder / "gold", folder / "noop", WINS)
    mixed_run(folder / "turned", folder / "gold", folder / "noop", WINS[::-1])
    with Curve(folder / "training/curve.jsonl", mirrors=False) as curve:
        for step, success in enumerate((0.1, 0.35, 0.5, 0.55, 0.7)):
            curve.add(100 * step, success=success)
    names = ("mixed", "turned", "gold", "dialogues", "training")
    out = folder / "report.html"
    assert stb("report", *(folder / name for name in names), "--out", out).exit_code == 0
    return out


@contextmanager
def opened(browser: Any, file: Path, size: dict[str, int] = WIDE, **options: Any) -> Iterator[Any]:
    """The report, which must not complain, open a dialog, or ask for anything but itself."""
    context = browser.new_context(viewport=size, **options)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: request.url == file.as_uri() or complaints.append(request.url))
    page.goto(file.as_uri())
    yield page
    context.close()
    assert [each for each in complaints if not each.startswith("data:")] == []


def test_the_tasks_are_searched_and_counted(browser: Any, report: Path):
    with opened(browser, report) as page:
        rows = page.locator(SHOWN)
        every = rows.count()
        assert page.inner_text("#told") == f"{every} tasks"
        task = page.locator("#task-table tbody code").first.inner_text()
        page.fill("#search", task)
        assert rows.count() == 1
        assert page.inner_text("#told") == f"1 of {every} tasks"
        page.fill("#search", "no task says so")
        assert rows.count() == 0
        page.fill("#search", "")
        page.select_option("#outcome", "invalid")
        assert rows.count() == 2
        page.select_option("#outcome", "")
        page.check("#differ")
        assert 0 < rows.count() < every


def test_what_a_model_says_is_shown_and_not_run(browser: Any, report: Path):
    with opened(browser, report) as page:
        assert page.title().startswith("stb/Sandbox-v1")
        assert page.locator("img").count() == 0
        assert EVIL in page.inner_text("#task-table")


def test_without_scripts_every_task_stands_there(browser: Any, report: Path):
    with opened(browser, report, java_script_enabled=False) as page:
        assert page.locator("#task-table tbody tr").first.is_visible()
        assert not page.locator("#filters").is_visible()


def test_a_text_that_was_put_in_later_is_not_run(browser: Any, report: Path, tmp_path: Path):
    """The page's policy holds where escaping should ever fail."""
    spoiled = tmp_path / "spoiled.html"
    text = report.read_text(encoding="utf-8")
    spoiled.write_text(
        text.replace("<main>", "<main><script>document.title = 'taken'</script>"), encoding="utf-8"
    )
    page = browser.new_page()
    page.goto(spoiled.as_uri())
    assert page.title() != "taken"
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_by_all(browser: Any, report: Path, scheme: str):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="axe-playwright-python is not installed; see .ci/browser",
    )
    # What axe puts into a page, the page's policy forbids.
    with opened(browser, report, color_scheme=scheme, bypass_csp=True) as page:
        found = axe.Axe().run(page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


def test_a_narrow_window_scrolls_down_alone(browser: Any, report: Path):
    with opened(browser, report, NARROW) as page:
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= NARROW["width"]


def test_on_paper_what_is_folded_is_open(browser: Any, report: Path):
    with opened(browser, report) as page:
        folded = page.evaluate(
            "[...document.querySelectorAll('details')].filter((each) => !each.open).length"
        )
        assert folded > 0
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("[...document.querySelectorAll('details')].every((each) => each.open)")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.emulate_media(media="print")
        assert not page.locator("#filters").is_visible()


def test_screenshots(browser: Any, report: Path, request: pytest.FixtureRequest, tmp_path: Path):
    folder = Path(request.config.getoption("--screenshots", None) or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    for name, size, scheme in (
        ("report", WIDE, "light"),
        ("report-dark", WIDE, "dark"),
        ("report-narrow", NARROW, "light"),
    ):
        with opened(browser, report, size, color_scheme=scheme) as page:
            picture = page.screenshot(path=folder / f"{name}.png")
            assert len(picture) > 20_000


def test_a_page_of_a_world_is_read_in_a_narrow_window(browser: Any, tmp_path: Path):
    file = tmp_path / "world.html"
    assert stb("worlds", "show", "17", "--dials", "h1", "--html", file).exit_code == 0
    with opened(browser, file, NARROW) as page:
        assert page.locator("h2").all_inner_texts() == ["Records", "Tools", "Rules", "Task"]
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        page.locator("#tools summary").first.click()
        assert page.locator("#tools table").first.is_visible()
