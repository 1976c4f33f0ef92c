"""The viewer in a real Chromium: each view, the keys, two widths, light and dark, hostile text, long runs.

Screenshots of real runs are written with ``--screenshots DIR``.
"""

from __future__ import annotations

import functools
import json
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from stb_env.runs import Run
from stb_env.show.report.view.export import export_view
from stb_env.show.report.view.run_index import RunIndex
from tests.command import stb
from tests.processes import interruptible
from tests.saved import unsum
from tests.shared import found
from tests.show.report.browser import NARROW, WIDE, opened, served, until
from tests.show.report.played_runs import notes_run

GOLD, KEYWORD, SEARCH, SHEETS, TABLETOP = range(5)
VIEWS = ("conversation", "tree", "world", "compare", "record")
SMALL = ("list", "conversation", "tree")
EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def url(runs: Path) -> Iterator[str]:
    with served(*(runs / name for name in ("gold", "keyword", "search", "sheets", "tabletop"))) as url:
        yield url


@pytest.fixture
def page(browser: Any, url: str) -> Iterator[Any]:
    with opened(browser, url, WIDE) as page:
        yield page


def go(page: Any, address: str, selector: str) -> None:
    page.evaluate("address => { location.hash = address; }", address)
    page.wait_for_selector(selector)


def titles(page: Any) -> list[str]:
    return [each.inner_text() for each in page.query_selector_all(".option .title")]


# -- the list ----------------------------------------------------------------------------------------


def test_the_list_is_filtered_by_outcome_tool_length_and_text(page: Any):
    go(page, f"#{KEYWORD}", "text=40 episodes")
    told = page.locator(".told")
    solved, unsolved = (
        int(page.locator(f'[data-status="{name}"] b').inner_text()) for name in ("solved", "unsolved")
    )
    page.click('[data-status="unsolved"]')
    assert told.inner_text().startswith("40 episodes" if unsolved == 40 else f"{unsolved} of 40 episodes")
    page.click('[data-status="unsolved"]')
    page.click('[data-status="solved"]')
    assert told.inner_text().startswith(f"{solved} of 40 episodes")
    page.click('[data-status="solved"]')
    page.select_option('[aria-label="Tool that was called"]', index=1)
    assert 1 <= int(told.inner_text().split()[0]) < 40
    page.select_option('[aria-label="Tool that was called"]', index=0)
    page.fill('[aria-label="At least so many steps"]', "99")
    assert titles(page) == []
    assert page.inner_text(".option.none") == "No episode is so. Take a filter away."
    page.fill('[aria-label="At least so many steps"]', "")
    # What no row says: it stands in a result alone.
    page.fill("#search", "invalid arguments")
    until(page, "/^[1-9]\\d* of 40/.test(document.querySelector('.told').textContent)")


def test_the_keys_go_through_the_list_the_views_and_back(page: Any):
    page.keyboard.press("j")
    page.wait_for_selector("#panel.conversation .call")
    page.keyboard.press("j")
    page.wait_for_selector("#row-1[aria-selected=true]")
    page.keyboard.press("k")
    page.wait_for_selector("#row-0[aria-selected=true]")
    for key, view in enumerate(VIEWS, 1):
        page.keyboard.press(str(key))
        page.wait_for_selector(f"#panel.{view}")
    page.focus("#tab-record")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#tab-conversation:focus")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("Escape")
    page.wait_for_selector(".overview")
    assert page.evaluate("document.activeElement.id") == "rows"
    page.keyboard.press("End")
    page.wait_for_selector("#row-39[aria-selected=true]")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("jk")
    assert page.input_value("#search") == "jk"


HOLD = """() => {
  const fetched = window.fetch;
  window.held = [];
  window.fetch = async (path) => {
    const reply = await fetched(path);
    await new Promise((release) => window.held.push(release));
    return reply;
  };
}"""


def test_a_view_that_is_drawn_late_leaves_the_focus_to_the_next_one(page: Any):
    go(page, f"#{SHEETS}/0", "#panel.conversation .call")
    page.evaluate(HOLD)
    page.keyboard.press("3")
    until(page, "window.held.length === 1")
    page.evaluate("window.held.shift()()")
    page.wait_for_selector("#panel.world")
    until(page, "window.held.length === 1")
    page.focus("#tab-world")
    page.keyboard.press("ArrowRight")
    until(page, "window.held.length === 2")
    for _ in range(2):  # The world comes, then the episode of the next view.
        page.evaluate("window.held.shift()()")
        page.evaluate("new Promise((drawn) => setTimeout(drawn))")
    page.wait_for_selector("#tab-compare:focus")


def test_light_and_dark_follow_the_system_and_the_key(browser: Any, url: str):
    for scheme, other in (("light", "dark"), ("dark", "light")):
        with opened(browser, url, WIDE, color_scheme=scheme) as page:
            before = page.evaluate("getComputedStyle(document.body).backgroundColor")
            page.keyboard.press("t")
            assert page.evaluate("document.documentElement.dataset.theme") == other
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


# -- an episode --------------------------------------------------------------------------------------


def test_a_conversation_shows_calls_their_sources_notes_and_the_verdict_with_its_reasons(
    page: Any, runs: Path
):
    lines = [json.loads(line) for line in (runs / "keyword" / "trajectories.jsonl").read_text().splitlines()]
    number, line = next((n, e) for n, e in enumerate(lines) if e["steps"][0]["calls"][0]["violations"])
    go(page, f"#{KEYWORD}/{number}", "#panel.conversation .call")
    call = line["steps"][0]["calls"][0]
    text = page.inner_text("#panel")
    assert all(said in text for said in (call["name"], call["source"], call["violations"][0]["message"]))
    assert page.inner_text("h2") == line["query"]
    assert line["verdict"]["votes"][0]["reason"] in page.inner_text(".votes")
    assert str(line["seed"]) in page.inner_text(".head")


def test_json_folds_and_a_long_text_is_cut_and_told(page: Any):
    go(page, f"#{GOLD}/0/record", "#panel.record .json")
    closed = page.locator(".json details:not([open])").first
    assert closed.locator(".members > *").count() == 0
    closed.locator("summary").first.click()
    until(page, "document.querySelector('.json details[open] .members > *')")


def test_a_search_tree_is_walked_by_keys_along_branches_and_visits(page: Any):
    go(page, f"#{SEARCH}/1/tree", ".mark.here")
    assert page.locator(".canvas .mark").count() == 25
    page.focus(".mark.here")
    here = "document.querySelector('.mark.here').dataset.node"
    best = page.evaluate(here)
    page.keyboard.press("ArrowLeft")
    parent = page.evaluate(here)
    assert parent != best
    assert page.inner_text(".node h3") in (f"Node {parent}", "Start")
    page.keyboard.press("ArrowRight")
    page.keyboard.press(",")
    before = int(page.evaluate("document.querySelector('.mark.here .order').textContent"))
    page.keyboard.press(".")
    assert int(page.evaluate("document.querySelector('.mark.here .order').textContent")) == before + 1
    page.fill('[aria-label="Visits shown"]', "3")
    assert page.locator(".canvas .mark:not(.later)").count() == 4


def test_two_runs_of_a_task_stand_side_by_side_with_what_differs(page: Any):
    go(page, f"#{GOLD}/1/compare", ".pairs .pair.answers")
    assert page.inner_text(".pair.heads").count("test-add_contact-0") == 2
    assert page.locator(".pair.alone, .pair.other").count() > 0
    assert page.locator(".pair").count() == 2 + int(page.inner_text("#panel .quiet >> nth=0").split()[2])
    page.keyboard.press("m")
    page.keyboard.press("j")
    until(page, "/^#run=gold&task=[\\w-]+&view=compare$/.test(location.hash)")
    page.wait_for_selector("text=These are episodes of different tasks.")


def test_an_address_names_run_task_and_trial_and_the_filters(browser: Any, url: str):
    address = "#run=keyword&task=test-add_contact-0&view=record&status=solved,unsolved&least=1"
    with opened(browser, url, WIDE) as page:
        go(page, address, "#panel.record")
        assert page.title().endswith("· keyword")
        assert page.locator('.chip[aria-pressed="true"]').count() == 2
        assert page.input_value('[aria-label="At least so many steps"]') == "1"
        page.fill("#search", "contact")
        until(page, "location.hash.endsWith('&text=contact')")
        page.reload()
        page.wait_for_selector("#panel.record")
        assert page.input_value("#search") == "contact"


def test_a_run_that_begins_in_a_watched_folder_is_offered(browser: Any, runs: Path, tmp_path: Path):
    shutil.copytree(runs / "gold", tmp_path / "b")
    with served(tmp_path) as url, opened(browser, url, WIDE) as page:
        shutil.copytree(runs / "keyword", tmp_path / "a")
        until(page, "document.querySelector('[aria-label=Run]').length === 2")
        assert page.inner_text('[aria-label="Run"] option >> nth=1') == "a"
        page.select_option('[aria-label="Run"]', label="a")
        until(page, "location.hash === '#run=a'")
        page.wait_for_selector(".option[id]")


def test_a_world_shows_the_changed_cells_before_and_after(page: Any):
    go(page, f"#{GOLD}/1/world", "tr.added")
    assert "contacts" in page.inner_text(".table h3")
    page.select_option('[aria-label="Which change to show"]', index=1)
    page.wait_for_selector("text=This step changed nothing.")


def test_a_spreadsheet_and_a_table_with_blocks_are_drawn(page: Any):
    go(page, f"#{SHEETS}/1/world", ".picture.sheets td.differs")
    go(page, f"#{TABLETOP}/4/world", ".picture.scene rect.moved")
    assert page.locator(".picture.scene svg").count() == 2


def test_official_answers_of_others_are_browsed_with_their_trees(
    browser: Any, shared_data: Path, tmp_path: Path
):
    folders = sorted({file.parent for file in found(shared_data, "stabletoolbench/golden/convert/*/*.json")})
    for folder in folders:
        # Each method's answers are a run of their own.
        stb("data", "import", folder, "--kind", "answers", "--out", tmp_path / folder.name)
    runs = RunIndex([tmp_path])
    with served(tmp_path) as url, opened(browser, url, WIDE) as page:
        for run in range(len(runs.runs)):
            for row in runs.rows(run, 0)["rows"]:
                go(page, f"#{run}/{row['n']}/conversation", f"#row-{row['n']}[aria-selected=true]")
                page.wait_for_selector("#panel.conversation .talk")
                assert page.inner_text("#panel .said >> nth=0")[:50] == row["query"][:50]
                if row.get("tree"):
                    go(page, f"#{run}/{row['n']}/tree", ".mark.here")
                    nodes = runs.runs[run].episode(row["n"])["episode"]["tree"]["nodes"]
                    assert page.locator(".canvas .mark").count() == len(nodes)


# -- whatever stands in a run ---------------------------------------------------------------------------


def test_text_of_a_run_is_text_wherever_it_stands(browser: Any, runs: Path, tmp_path: Path):
    def poisoned(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {(k if k in KEPT else k + EVIL): poisoned(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [poisoned(part) for part in value]
        return value + EVIL if isinstance(value, str) and key not in ("role", "task_id") else value

    line = json.loads((runs / "search" / "trajectories.jsonl").read_text().splitlines()[0])
    # The second version had neither checksum nor reward mode, by which what is poisoned would be refused.
    line |= {"version": 2, "answer": line.pop("final_answer")}
    del line["sha256"], line["reward_mode"], line["run"]
    keep(line)
    folder = tmp_path / f"run{EVIL}".replace("/", "_")
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"env": f"stb/Sandbox-v1{EVIL}", "agent": EVIL}))
    (folder / "trajectories.jsonl").write_text(json.dumps(poisoned(line)) + "\n" + EVIL + "\n")
    with served(folder) as url, opened(browser, url, WIDE) as page:
        for view in VIEWS:
            go(page, f"#0/0/{view}", f"#panel.{view}")
            until(page, "!document.querySelector('#panel').textContent.includes('Reading…')")
            assert "<img src=x" in page.inner_text("body")
        assert page.evaluate("document.querySelectorAll('#app img, #app script').length") == 0


KEPT: set[str] = set()


def keep(value: Any) -> None:
    """Names of the format stay as they are, those inside arguments and responses do not."""
    if isinstance(value, dict):
        for key, part in value.items():
            KEPT.add(key)
            if key not in ("arguments", "response", "parts", "tools"):
                keep(part)
    if isinstance(value, list):
        for part in value:
            keep(part)


def test_a_damaged_and_an_empty_run_are_told_calmly(browser: Any, tmp_path: Path):
    damaged = notes_run(tmp_path / "damaged")
    unsum(damaged)
    with (damaged / "trajectories.jsonl").open("a") as out:
        out.write("{\n")
    Run(tmp_path / "empty", {"env": "stb/Sandbox-v1"}).close()
    with served(damaged, tmp_path / "empty") as url, opened(browser, url, WIDE) as page:
        assert page.inner_text('[data-status="damaged"] b') == "1"
        go(page, "#1", "text=No episode is saved yet. Those that come appear here by themselves.")


# -- how it is to use -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1280", "400"])
def test_nobody_is_shut_out_and_nothing_runs_over_the_edge(
    browser: Any, url: str, size: dict[str, int], scheme: str, pictures: Path | None
):
    axe_module = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="axe-playwright-python is not installed; see .ci/browser",
    )
    axe = axe_module.Axe()
    shown = {
        "list": ("#0", ".option"),
        "conversation": (f"#{KEYWORD}/2", "#panel .call"),
        "tree": (f"#{SEARCH}/1/tree", ".mark.here"),
        "compare": (f"#{GOLD}/1/compare", ".pair.answers"),
        "world": (f"#{GOLD}/1/world", "tr.added"),
        "sheets": (f"#{SHEETS}/1/world", "td.differs"),
        "tabletop": (f"#{TABLETOP}/4/world", "rect.moved"),
        "record": (f"#{GOLD}/0/record", "#panel .json"),
    }
    with opened(browser, url, size, color_scheme=scheme) as page:
        for name, (address, selector) in shown.items():
            go(page, address, selector)
            violations = [
                (violation["id"], violation["nodes"][0]["html"][:200])
                for violation in axe.run(page).response["violations"]
            ]
            assert violations == [], name
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], name
            whole = (size, scheme) == (WIDE, "light")
            if pictures is not None and (whole or ((size, scheme) == (NARROW, "dark") and name in SMALL)):
                pictures.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=pictures / f"view-{name}-{size['width']}-{scheme}.png")


def test_the_command_serves_what_it_is_given_until_it_is_stopped(runs: Path, browser: Any):
    command = [sys.executable, "-m", "stb_env", "view", str(runs / "gold"), "--no-browser"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=interruptible
    )
    assert process.stdout is not None
    url, said = process.stdout.readline().split(" ", 1)
    assert said == "(Ctrl-C ends it)\n"
    with opened(browser, url, WIDE) as page:
        page.wait_for_selector("text=40 episodes")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == ("", "\n")
    assert process.returncode == 0


def test_an_export_is_browsed_from_any_folder_of_any_server(browser: Any, runs: Path, tmp_path: Path):
    export_view(RunIndex([runs / "gold", runs / "keyword"]), tmp_path / "deep" / "site", most_states=2)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/deep/site/"
        with opened(browser, url, WIDE) as page:
            go(page, "#0/1/world", "tr.added")
            go(page, "#0/1/compare", ".pair.answers")
            assert "may go on" not in page.inner_text(".told")
        server.shutdown()
