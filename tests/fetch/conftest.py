"""Fixtures of the tests of fetching."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.file_server import FileServer


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer().running() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"
