"""A real Chromium for tests of pages, and a server of runs beside it."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stb_env.show.report.view.run_index import RunIndex
from stb_env.show.report.view.server import ViewServer

WIDE, NARROW = {"width": 1280, "height": 860}, {"width": 400, "height": 800}

FIRST_ROW = """
new MutationObserver((_, observer) => {
  if (!document.querySelector('.rows .option[id]')) return;
  window.firstRow = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });
"""
"""Notes when the list shows its first row, in milliseconds since the page was asked for."""


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser, or a skip that says what is not there."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed; see .ci/browser"
    )
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium on the path; see .ci/browser")
    with sync_api.sync_playwright() as playwright:
        # The sandbox needs rights that a container's root has not.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def until(page: Any, expression: str, seconds: float = 10) -> None:
    """Wait until an expression holds: playwright's own way needs ``eval``, which the page forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"never came true: {expression}"
        page.wait_for_timeout(20)


@contextmanager
def served(*folders: Path) -> Iterator[str]:
    """The address at which some runs are shown."""
    with ViewServer(RunIndex(folders)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.url
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def opened(browser: Any, url: str, size: dict[str, int], **options: Any) -> Iterator[Any]:
    """A page that must not complain, open a dialog, or ask another host for anything."""
    context = browser.new_context(viewport=size, **options)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type != "log" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: request.url.startswith(url) or complaints.append(request.url))
    page.add_init_script(FIRST_ROW)
    page.goto(url)
    page.wait_for_selector(".rows .option")
    yield page
    context.close()
    assert complaints == []
