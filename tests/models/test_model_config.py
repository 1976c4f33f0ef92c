"""Which model each role uses, from the packaged file, a file of the user's and the environment."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from stb_env.errors import ConfigError
from stb_env.models import ROLES, ModelConfig, Price, available, load_models


@pytest.fixture
def models_file(tmp_path):
    def write(text: str):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return path

    return write


def test_every_role_has_a_default_model_with_a_price():
    models = load_models(env={})
    assert tuple(models) == ROLES
    assert all(config.model and config.price for config in models.values())
    assert all(config.key_variable == "OPENAI_API_KEY" for config in models.values())


def test_no_code_names_a_default_model():
    root = resources.files("stb_env")
    names = {re.escape(config.model) for config in load_models(env={}).values()}
    code = "".join(path.read_text() for path in (root / "models").iterdir() if path.name.endswith(".py"))
    assert not re.search("|".join(names), code)


def test_the_environment_beats_the_file_and_the_file_beats_the_package(models_file):
    path = models_file('[models.judge]\nmodel = "from-file"\nretries = 9\n[models.user]\nmodel = "from-file"')
    models = load_models(path, env={"STB_JUDGE_MODEL": "from-env", "STB_JUDGE_TIMEOUT": "2.5", "OTHER": "x"})
    assert (models["judge"].model, models["judge"].retries, models["judge"].timeout) == ("from-env", 9, 2.5)
    assert models["user"].model == "from-file"
    assert models["agent"] == load_models(env={})["agent"]


def test_an_empty_variable_counts_as_unset():
    assert load_models(env={"STB_AGENT_MODEL": ""}) == load_models(env={})


def test_a_price_belongs_to_a_model_name_and_not_to_a_role(models_file):
    path = models_file('[prices]\n"mine" = { prompt = 1, completion = 2.0 }')
    models = load_models(path, env={"STB_AGENT_MODEL": "mine", "STB_JUDGE_MODEL": "unknown"})
    assert models["agent"].price == Price(1.0, 2.0)
    assert models["judge"].price is None


def test_a_role_with_a_price_of_its_own_ignores_the_table(models_file):
    path = models_file("[models.agent]\nprice = { prompt = 0, completion = 0 }")
    assert load_models(path, env={})["agent"].price == Price(0.0, 0.0)


@pytest.mark.parametrize(
    ("config", "env", "expected"),
    [
        (ModelConfig("agent", "m"), {}, False),
        (ModelConfig("agent", "m"), {"OPENAI_API_KEY": "k"}, True),
        (ModelConfig("agent", "m", base_url="https://api.openai.com/v1/"), {}, False),
        (ModelConfig("agent", "m", api_key_env="MINE"), {"OPENAI_API_KEY": "k"}, False),
        (ModelConfig("agent", "m", base_url="http://127.0.0.1:1/v1", api_key_env="MINE"), {}, True),
    ],
)
def test_a_role_is_available_with_its_key_or_at_another_endpoint(config, env, expected):
    assert available(config, env) is expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[models.agnet]\nmodel = "m"',
            r"\[models\] in .* has no setting 'agnet'; .* Did you mean 'agent'\?",
        ),
        (
            "[models.agent]\ntemprature = 1",
            r"\[models.agent\] in .*'temprature'; .* Did you mean 'temperature'\?",
        ),
        ('[modles]\nagent = "m"', r"mine.toml has no setting 'modles'; it takes models, prices"),
        ("models = 3", r"\[models\] in .* must be a table, got a whole number"),
        ("[models]\nagent = 3", r"\[models.agent\] in .* must be a table, got a whole number"),
        ("prices = 3", r"\[prices\] in .* must be a table, got a whole number"),
        ("[models.agent", "is not TOML"),
        ('[models.agent]\nmodel = ""', "the agent model needs a name, got ''"),
        ('[models.agent]\nmodel = "m"\nprice = 3', "the price of the agent model must be .* got 3"),
        ("[models.agent]\nprice = { prompt = 1 }", "in dollars per million tokens, got {'prompt': 1}"),
        ("[models.agent]\nprice = { prompt = -1, completion = true }", "must be { prompt = "),
        (
            "[models.agent]\nretries = 1.5",
            r"^retries of \[models\.agent\] in the models file .* must be a whole number, got 1\.5$",
        ),
        ("[models.agent]\nretries = true", r"retries of \[models\.agent\] .* a whole number, got True$"),
        ('[models.agent]\ntimeout = "long"', r"timeout of \[models\.agent\] .* a number, got 'long'$"),
        ("[models.agent]\nretries = -1", "^retries of the agent model must be a whole number of at least 0"),
        ("[models.agent]\ndeadline = inf", "deadline of the agent model must be .* got inf"),
        ("[models.agent]\ntemperature = nan", "temperature of the agent model must be .* got nan"),
        ("[models.agent]\nextra = 3", r"\[models\.agent\.extra\] .* a table, got a whole number$"),
        ("[models.agent]\napi_key_env = 3", r"api_key_env of \[models\.agent\] .* be text, got 3$"),
        ('[models.agent]\napi_key_env = "sk-1"', "api_key_env of the agent model must be the name"),
        (
            '[models.agent]\nbase_url = "127.0.0.1:8000"',
            "base_url of the agent model must be a URL such as http",
        ),
        ("[models.agent]\nbase_url = 3", r"base_url of \[models\.agent\] in .* must be text, got 3$"),
        ('[models.agent]\nbase_url = "http://a b/v1"', "names no valid host"),
        (
            '[models.agent]\nbase_url = "http://me:pass@127.0.0.1:1/v1"',
            r"base_url of \[models.agent\] in .* holds a user name or password; .* STB_AGENT_BASE_URL",
        ),
        ('[models.agent]\ndrop = ["temprature"]', "drop of the agent .* Did you mean 'temperature'"),
        ('[models.agent]\ndrop = ["messages"]', "drop of the agent model has 'messages', and can have temp"),
        ('[prices]\n"other" = { promt = 1 }', "the price of the other model must be"),
        ('[models.agent]\nbase_url = "http:///v1"', "names no valid host"),
    ],
)
def test_a_wrong_models_file_is_refused_with_the_place_and_the_remedy(models_file, text, message):
    with pytest.raises(ConfigError, match=message):
        load_models(models_file(text), env={})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"retries": 1.5}, "retries of the agent model must be a whole number of at least 0, got 1.5"),
        ({"retries": True}, "retries of the agent model must be a whole number of at least 0, got True"),
        ({"timeout": "long"}, "timeout of the agent model must be a number of at least 0.001, got 'long'"),
        ({"extra": 3}, "extra of the agent model must be a table, got int"),
        ({"provider": "anthropic", "local": "m.gguf"}, "has provider = 'anthropic' and local; leave one"),
        ({"provider": "anthropic", "client": "lean"}, "has provider = 'anthropic' and client; leave one"),
        ({"cache": 3}, "cache of the agent model must be a path"),
        ({"api_key_env": 3}, "api_key_env of the agent model must be the name of an environment variable"),
        ({"base_url": 3}, "base_url of the agent model must be a URL such as http://127.0.0.1:8000/v1"),
        (
            {"provider": "anthropic", "base_url": "https://gate.example/v1"},
            "is https://gate.example/v1, and each request to anthropic adds its version by itself; give ",
        ),
        (
            {"provider": "google", "base_url": "https://gate.example/v1beta/"},
            "adds its version by itself; give https://gate.example",
        ),
    ],
)
def test_a_configuration_made_in_code_is_checked_as_well(settings, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        ModelConfig("agent", "m", **settings)


@pytest.mark.parametrize("table", ["extra", "headers", "query"])
@pytest.mark.parametrize(
    "name",
    [
        "key",
        "subscription-key",
        "Ocp-Apim-Subscription-Key",
        "Cookie",
        "accessToken",
        "X-Auth",
        "sig",
        "api-key",
    ],
)
def test_a_name_of_a_secret_is_refused_in_every_table(table, name):
    with pytest.raises(
        ConfigError, match=f"{table} of the agent model has '{name}', .* api_key_env"
    ) as caught:
        ModelConfig("agent", "m", **{table: {name: "abc-123"}})
    assert "abc-123" not in str(caught.value)


def test_a_key_is_refused_whatever_it_is_called_and_however_deep_it_stands():
    for extra in ({"who": "sk-1234567890"}, {"tools": [{"headers": {"Cookie": "a"}}]}):
        with pytest.raises(ConfigError, match="put the key into an environment variable"):
            ModelConfig("agent", "m", extra=extra)
    plain = {"prompt_cache_key": "a", "max_tokens": 3, "keyword": "b", "author": "c", "code_style": "d"}
    assert ModelConfig("agent", "m", extra=plain).extra == plain


def test_the_advice_on_a_query_in_base_url_sends_no_key_into_a_file():
    with pytest.raises(
        ConfigError, match="a key that stands behind it goes into the variable that api_key_env"
    ):
        ModelConfig("agent", "m", base_url="http://127.0.0.1:1/v1?key=abc")


def test_a_price_of_a_misspelt_model_is_said(models_file, caplog):
    path = models_file(
        '[models.agent]\nmodel = "gpt-4.1"\n[prices]\n"gpt-4.l" = { prompt = 1, completion = 2 }\n'
        '"quite-another" = { prompt = 1, completion = 2 }'
    )
    load_models(path, env={})
    load_models(path, env={})
    [said] = caplog.messages
    assert said.endswith("has 'gpt-4.l', and no role has that model. Did you mean 'gpt-4.1'?")


def test_a_models_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read the models file .*absent.toml: No such file"):
        load_models(tmp_path / "absent.toml", env={})


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"STB_AGENT_MODLE": "m"}, "no setting 'STB_AGENT_MODLE'. Did you mean 'STB_AGENT_MODEL'?"),
        ({"STB_AGENT_RETRIES": "many"}, "STB_AGENT_RETRIES must be a whole number, got 'many'"),
        ({"STB_AGENT_TIMEOUT": "long"}, "STB_AGENT_TIMEOUT must be a number, got 'long'"),
        ({"STB_USER_API_KEY": "k"}, "no setting 'STB_USER_API_KEY'; a key belongs in the environment"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(env, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_models(env=env)
