"""The viewer in a real Chromium on runs that are long, or go on; ``--screenshots DIR`` keeps the figures."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

from stb_env.show.report.view.page_files import page_files
from tests.show.report.browser import WIDE, opened, served, until
from tests.show.report.played_runs import long_run, notes_run

JUMP = """async () => {
    const begun = performance.now();
    document.querySelector('#rows').scrollTop = 300_000;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - begun;
}"""


def first_row(browser: Any, folder: Path) -> float:
    """Seconds from asking for the page to its first row, by a server that has seen nothing of the run yet."""
    with served(folder) as url, opened(browser, url, WIDE) as page:
        page.wait_for_selector(".option[id]")
        return float(page.evaluate("window.firstRow")) / 1000


def test_10_000_episodes_are_open_within_a_second_and_scroll_at_once(
    browser: Any, runs: Path, tmp_path: Path, pictures: Path | None
):
    folder = long_run(tmp_path / "long", runs / "gold", 10_000, statuses=("solved", "unsolved", "unsure"))
    short = min(first_row(browser, runs / "gold") for _ in range(3))
    long = min(first_row(browser, folder) for _ in range(3))
    with served(folder) as url:
        begun = time.perf_counter()
        with opened(browser, url, WIDE) as page:
            paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
            page.wait_for_selector("text=/^10,000 episodes/")
            everything = time.perf_counter() - begun
            page.focus("#rows")
            page.keyboard.press("End")
            page.wait_for_selector("#row-9999[aria-selected=true]")
            assert page.locator(".option").count() < 60
            jump = page.evaluate(JUMP)
    weight = sum(map(len, page_files().values()))
    figures = {
        "megabytes of episodes": round((folder / "trajectories.jsonl").stat().st_size / 1e6, 1),
        "list shown, s": round(long, 3),
        "list of 40 episodes shown, s": round(short, 3),
        "every row read, s": round(everything, 3),
        "first contentful paint, s": round(paint / 1000, 3),
        "jump in the list, ms": round(jump, 1),
        "page weight, bytes": weight,
    }
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        (pictures / "view-figures.json").write_text(json.dumps(figures, indent=2) + "\n")
    # On a machine that is busy with other things, even a short run takes its time.
    assert long < max(1, 1.5 * short), figures
    assert weight < 100_000, figures


def test_a_run_of_600_episodes_is_followed_to_the_last_while_it_goes_on(browser: Any, tmp_path: Path):
    source = notes_run(tmp_path / "source")
    folder = tmp_path / "live"
    lines = (
        (long_run(tmp_path / "done", source, 600) / "trajectories.jsonl")
        .read_bytes()
        .splitlines(keepends=True)
    )
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"env": "stb/Sandbox-v1", "episodes": 600, "trials": 1}))
    (folder / "trajectories.jsonl").write_bytes(lines[0])
    followed = threading.Event()

    def write() -> None:
        with (folder / "trajectories.jsonl").open("ab", buffering=0) as out:
            for number, line in enumerate(lines[1:], 1):
                out.write(line[:20])
                out.write(line[20:])
                if number % 150 == 0:
                    # The page has to see the run at several lengths.
                    followed.wait(1.2)
        (folder / "summary.json").write_text("{}")

    with served(folder) as url, opened(browser, url, WIDE) as page:
        assert "playing, 600 planned" in page.inner_text(".told")
        writer = threading.Thread(target=write)
        writer.start()
        until(page, "document.querySelector('.told').textContent === '600 episodes'", seconds=30)
        writer.join()
        shown: set[str] = set()
        for at in range(0, 600 * 66, 600):
            page.evaluate("at => { document.querySelector('#rows').scrollTop = at; }", at)
            page.evaluate(
                "() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))"
            )
            shown |= set(
                page.evaluate("[...document.querySelectorAll('.option .id')].map(each => each.textContent)")
            )
        assert shown == {f"task-{number}" for number in range(600)}
