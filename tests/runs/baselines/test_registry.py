"""Agents by name: settings in the text, models files, and files that import their neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.core.reference import read_settings
from stb_env.errors import ConfigError
from stb_env.runs.baselines import BASELINES, load_agent
from stb_env.runs.baselines.registry import AgentDescription, named_agents
from stb_env.suite import Suite

AGENTS = """
from stb_env import Agent

from .beside import VALUE

class Mine(Agent):
    name = "mine"
    def __init__(self, model=None, size=1):
        self.model, self.size, self.value = model, size, VALUE

class Plain(Agent):
    name = "plain"

def policy(observation, info):
    return "hm"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("VALUE = 42\n")
    file = tmp_path / "mine.py"
    file.write_text(AGENTS)
    return file


def test_a_file_imports_its_neighbours(file: Path):
    assert load_agent(f"{file}:Mine")().value == 42  # type: ignore[attr-defined]


def test_settings_in_the_text_reach_the_class(file: Path):
    agent = load_agent(f"{file}:Mine(size=3, model='a:b')")()
    assert (agent.size, agent.model) == (3, "a:b")  # type: ignore[attr-defined]


def test_a_models_file_goes_to_who_takes_a_model_and_was_given_none(file: Path):
    assert load_agent(f"{file}:Mine", models="m.toml")().model == "m.toml"  # type: ignore[attr-defined]
    assert load_agent(f"{file}:Mine(model='x')", models="m.toml")().model == "x"  # type: ignore[attr-defined]
    for name in ("gold", f"{file}:Plain", f"{file}:policy"):
        assert load_agent(name, models="m.toml")().name


def test_a_chat_takes_the_models_file(tmp_path: Path):
    models = tmp_path / "models.toml"
    models.write_text('[models.agent]\nmodel = "mine"\nbase_url = "http://127.0.0.1:9/v1"\n')
    for agent in (load_agent("chat", models=models), load_agent(f"chat:{models}")):
        assert agent().fingerprint["model"] == "mine"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("(3)", r"^cannot read the settings in .*; write settings as keyword arguments"),
        ("(size=size)", r"^cannot read the settings in"),
        ("(size=print('x'))", r"^cannot read the settings in"),
        ("(**{'size': 3})", r"^cannot read the settings in"),
        ("(size=3", r"^.* defines no 'Mine\(size=3'\."),
        ("(size=1)(size=2)", r"^cannot read the settings in"),
        ("(size=1, size=2)", r"^cannot read the settings in"),
        ("(sice=3)", r"has no setting 'sice'; it takes model, size\. Did you mean 'size'\?$"),
    ],
)
def test_settings_that_cannot_be_are_answered(file: Path, settings: str, message: str):
    with pytest.raises(ConfigError, match=message):
        load_agent(f"{file}:Mine{settings}")


def test_a_function_takes_no_settings(file: Path):
    with pytest.raises(ConfigError, match=r"^only classes take settings, and .*:policy is a function$"):
        load_agent(f"{file}:policy(size=3)")


def test_a_class_that_needs_a_setting_says_so(file: Path):
    file.write_text("from stb_env import Agent\n\nclass Needy(Agent):\n    def __init__(self, size): ...\n")
    with pytest.raises(ConfigError, match=r":Needy needs the setting 'size'$"):
        load_agent(f"{file}:Needy")


def test_an_agent_without_settings_takes_no_argument():
    with pytest.raises(ConfigError, match=r"^gold takes no argument, got 'x'; write --agent gold$"):
        load_agent("gold:x")


def test_every_named_agent_can_be_described():
    for name, agent in named_agents().items():
        described = AgentDescription.of(name, agent)
        assert described.description.endswith(".")
        assert ("model" in described.settings) == (described.needs == "a model")


def test_a_suites_agent_takes_no_name_of_ours(monkeypatch: pytest.MonkeyPatch):
    theirs = Suite(name="theirs", description="x", environments={}, agents={"gold": "a:B", "new": "a:B"})
    monkeypatch.setattr("stb_env.runs.baselines.registry.suites", lambda: [theirs])
    assert (named_agents()["gold"], named_agents()["new"]) == (BASELINES["gold"], "a:B")


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}_", fullmatch=True), st.integers() | st.text() | st.lists(st.booleans())
    )
)
def test_every_literal_survives(settings: dict[str, object]):
    text = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    assert read_settings(f"a.py:A({text})") == ("a.py:A", settings)


@given(st.text())
def test_any_text_is_read_or_refused(text: str):
    try:
        name, settings = read_settings(text)
    except ConfigError:
        return
    assert text.startswith(name)
    assert all(isinstance(key, str) for key in settings)
