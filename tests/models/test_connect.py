"""Models out of a models file: cached, recorded, replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from stb_env.errors import ConfigError
from stb_env.models import ChatRequest, ModelError, available, connect, load_models

QUESTION = ChatRequest.of("Is it?")


def configured(folder: Path, text: str):
    file = folder / "models.toml"
    file.write_text(f'[models.agent]\nmodel = "m"\n{text}\n', encoding="utf-8")
    return load_models(file, {})["agent"]


def test_what_was_recorded_is_replayed_without_an_endpoint(server, tmp_path: Path):
    recorded = connect(
        configured(tmp_path, f'base_url = "{server.url()}"\nrecord = "{tmp_path}/talk.jsonl"'), env={}
    )
    said = recorded.complete(QUESTION)
    replayed = configured(tmp_path, f'replay = "{tmp_path}/talk.jsonl"')
    assert available(replayed, {})
    assert connect(replayed, env={}).complete(QUESTION).text == said.text
    assert len(server.requests) == 1


def test_a_question_that_was_not_recorded_is_a_typed_failure(tmp_path: Path):
    (tmp_path / "talk.jsonl").write_text("")
    model = connect(configured(tmp_path, f'replay = "{tmp_path}/talk.jsonl"'), env={})
    with pytest.raises(
        ModelError, match=r"^no recorded reply to this request in talk.jsonl: it is not in there"
    ):
        model.complete(QUESTION)


def test_a_cached_question_is_put_once(server, tmp_path: Path):
    config = configured(tmp_path, f'base_url = "{server.url()}"\ncache = "{tmp_path}/known"')
    assert connect(config, env={}).complete(QUESTION) == connect(config, env={}).complete(QUESTION)
    assert len(server.requests) == 1


def test_a_replayed_model_is_neither_cached_nor_recorded(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"^the agent model is replayed; leave out cache and record$"):
        configured(tmp_path, 'replay = "a"\nrecord = "b"')
