"""Prices of the list against bills made by hand; needs stb-env[providers]."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stb_env.models import Price, load_models
from stb_env.models.listed_price import listed_price
from stb_env.usage import Served

pytest.importorskip("genai_prices", reason="needs stb-env[providers]; .ci/providers runs it")

DAY = datetime(2026, 11, 2, 12, tzinfo=UTC)
NIGHT = DAY.replace(hour=20)


@pytest.mark.parametrize(
    ("provider", "model", "tokens", "served", "cost"),
    [
        ("anthropic", "claude-sonnet-4-5", (10_000, 1_000), Served(), 10 * 0.003 + 1 * 0.015),
        (
            "anthropic",
            "claude-sonnet-4-5",
            (10_000, 1_000),
            Served(cached=9_000),
            1 * 0.003 + 9 * 0.0003 + 0.015,
        ),
        ("anthropic", "claude-sonnet-4-5", (10_000, 0), Served(stored=9_000), 1 * 0.003 + 9 * 0.00375),
        ("anthropic", "claude-sonnet-4-5", (10_000, 1_000), Served(tier="batch"), (10 * 0.003 + 0.015) / 2),
        # Beyond 200,000 tokens all of them cost more.
        ("google", "gemini-2.5-pro", (100_000, 1_000), Served(), 100 * 0.00125 + 0.01),
        ("google", "gemini-2.5-pro", (300_000, 1_000), Served(), 300 * 0.0025 + 0.015),
        ("deepseek", "deepseek-chat", (10_000, 1_000), Served(cached=10_000), 10 * 0.00007 + 0.0011),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", (10_000, 0), Served(), 10 * 0.0033),
    ],
)
def test_a_listed_price_equals_the_bill(provider, model, tokens, served, cost):
    price = listed_price(provider, "", model)
    assert price is not None
    assert replace(price, at=DAY).cost(*tokens, served) == pytest.approx(cost)


def test_a_price_that_differs_by_the_hour_is_that_of_the_request():
    price = listed_price("deepseek", "", "deepseek-chat")
    assert price is not None
    by_day, by_night = (replace(price, at=at).cost(10_000, 1_000) for at in (DAY, NIGHT))
    assert by_day == pytest.approx(10 * 0.00027 + 0.0011)
    assert by_night == pytest.approx(by_day / 2)


@pytest.mark.parametrize(
    ("endpoint", "model"),
    [
        ("http://127.0.0.1:8000/v1", "claude-sonnet-4-5"),
        ("https://llm.example/v1", "claude-sonnet-4-5"),
        ("https://api.openai.com/v1", "my-own-model"),
    ],
)
def test_what_the_list_does_not_have_is_unknown(endpoint, model):
    assert listed_price("", endpoint, model) is None


def test_the_price_of_a_models_file_stands_above_the_list(tmp_path):
    file = tmp_path / "models.toml"
    agent = '[models.agent]\nmodel = "claude-sonnet-4-5"\nprovider = "anthropic"\n'
    file.write_text(agent)
    listed = load_models(file, env={})["agent"].price
    assert (listed.prompt, listed.completion) == (3.0, 15.0)
    file.write_text(
        agent + '[prices]\n"claude-sonnet-4-5" = { prompt = 1.0, completion = 2.0, cached = 0.5 }'
    )
    assert load_models(file, env={})["agent"].price == Price(1.0, 2.0, 0.5)
