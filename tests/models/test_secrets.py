"""The key is in no message, no representation, no log and no file."""

from __future__ import annotations

import logging
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError
from stb_env.models import (
    CachedModel,
    ChatRequest,
    ModelConfig,
    ModelError,
    OpenAIModel,
    RecordingModel,
    load_models,
)
from tests.fakes.openai_server import Answer, completion
from tests.models.conftest import ENV, KEY

QUESTION = ChatRequest.of("Is it?")
# Out of the tests' own lines, because tracebacks quote those.
LOWER_KEY = "gsk_abcdef0123456789"
PATH_KEY = "q7Rz2kLm9XwT4vNb8sHd"
PASSWORD, QUOTED, BASIC = "open-sesame", "open%2Dsesame", "bWU6b3Blbi1zZXNhbWU="


@pytest.fixture(params=["lean", "openai"])
def client(request) -> str:
    """Both clients, so that each answer and each failure is the same with either."""
    return request.param


def _everything_said(error: BaseException) -> str:
    chain, current = [], error
    while current is not None:
        chain.append(current)
        current = current.__cause__ or current.__context__
    parts = [f"{e} {e!r} {vars(e)}" for e in chain]
    return "".join(traceback.format_exception(error)) + " ".join(parts)


def echo(status: int):
    """Send back every header, as careless servers do."""
    return lambda received: Answer({"error": {"message": str(dict(received.headers))}}, status)


@pytest.mark.parametrize(
    "answer",
    [
        echo(401),
        echo(400),
        echo(500),
        echo(200),
        Answer(f"<p>{KEY}</p>", 403),
        Answer({"error": {"message": "x" * 290 + KEY}}, 401),
        Answer(completion(message={"refusal": f"no {KEY}"})),
        Answer('{"error": {"message": "' + "".join(f"\\u{ord(c):04x}" for c in KEY) + '"}}', 401),
        Answer({"cut": KEY}, cut=20),
    ],
    ids=["401", "400", "500", "200", "text", "at the end of the quote", "refusal", "escaped", "cut"],
)
def test_a_failure_never_shows_the_key_that_a_server_echoes(server, connected, complete, answer):
    server.script(*[answer] * 3, role="judge")
    with pytest.raises(ModelError) as caught:
        complete(connected("judge"), QUESTION)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in _everything_said(caught.value)
    assert KEY[:12] not in str(caught.value)


def test_no_log_shows_the_key_or_the_password(server, connected, client, caplog):
    url = server.url().replace("://", f"://me:{PASSWORD}@")
    with caplog.at_level(logging.DEBUG):
        server.script(echo(401))
        with pytest.raises(ModelError):
            connected().complete(QUESTION)
        connected(base_url=url).complete(QUESTION)
    # The lean client logs nothing at all.
    assert caplog.records or client == "lean"
    assert not any(secret in caplog.text for secret in (KEY, PASSWORD, BASIC))


def test_files_hold_no_key_even_where_the_model_writes_it(server, connected, tmp_path):
    server.script(Answer(completion(f"Your key is {KEY}.", token_ids=[KEY])))
    model = RecordingModel(CachedModel(connected(), tmp_path / "cache"), tmp_path / "talk.jsonl")
    reply = model.complete(QUESTION)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert reply.text == "Your key is [key]."
    assert len(files) == 2
    assert not any(KEY in path.read_text() for path in files)


def test_representations_show_no_secret(server, connected):
    model = connected(base_url=f"http://me:{PASSWORD}@127.0.0.1:1/v1")
    shown = f"{model!r} {model.config!r} {model._credentials!r} {model.fingerprint} {model._transport!r}"
    assert "127.0.0.1:1/v1" in shown
    assert not any(secret in shown for secret in (KEY, PASSWORD))


def test_a_key_in_the_path_of_the_url_is_cut_from_messages(server, connected):
    server.script(*[Answer({"error": {"message": f"no path /{PATH_KEY}/chat"}}, 401)] * 3)
    model = connected(base_url=f"{server.url()}/{PATH_KEY}")
    with pytest.raises(ModelError) as caught:
        model.complete(QUESTION)
    assert PATH_KEY in server.requests[0].path
    assert str(caught.value).count("[key]") == 2
    assert PATH_KEY not in f"{_everything_said(caught.value)} {model.config!r}"


def test_a_password_in_the_url_is_sent_as_a_header_and_cut_from_failures(server, connected):
    server.script(echo(401))
    with pytest.raises(ModelError) as caught:
        connected(base_url=server.url().replace("://", f"://me:{QUOTED}@")).complete(QUESTION)
    assert server.requests[0].headers["authorization"] == f"Basic {BASIC}"
    said = _everything_said(caught.value)
    assert not any(secret in said for secret in (PASSWORD, QUOTED, BASIC))


def test_the_usual_openai_key_stays_away_from_other_endpoints():
    config = ModelConfig("agent", "tiny", base_url="http://127.0.0.1:1/v1")
    assert config.credentials({"OPENAI_API_KEY": KEY}).key == ""


@pytest.mark.parametrize("key", ["sk-with blank", "sk-newline\nX-Evil: 1", "sk-ümlaut"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key):
    config = ModelConfig("agent", "tiny", api_key_env="TEST_KEY")
    with pytest.raises(ConfigError, match=r"^TEST_KEY holds characters that no key has; export it again$"):
        OpenAIModel(config, env={"TEST_KEY": key})


def test_blanks_around_a_key_are_not_part_of_it():
    config = ModelConfig("agent", "tiny", api_key_env="TEST_KEY")
    assert config.credentials({"TEST_KEY": f"{KEY}\n"}).key == KEY


@pytest.mark.parametrize(
    "build",
    [
        lambda tmp: ModelConfig("agent", "tiny", api_key_env=KEY),
        lambda tmp: ModelConfig("agent", "tiny", api_key_env=LOWER_KEY),
        lambda tmp: ModelConfig("agent", "tiny", base_url=f"http://me:{KEY}@host:99999/v1"),
        lambda tmp: ModelConfig("agent", "tiny", base_url=f"http://host/v1?key={KEY}"),
        lambda tmp: ModelConfig("agent", "tiny", base_url=f"http://host/proxy/{KEY}/v1"),
        lambda tmp: load_models(env={"STB_AGENT_API_KEY": KEY}),
        lambda tmp: load_models(_write(tmp, f'[models.agent]\napi_key = "{KEY}"'), env={}),
    ],
    ids=["key as name", "lower-case key as name", "port", "query", "path", "variable", "file"],
)
def test_a_key_in_the_wrong_place_is_refused_without_showing_it(tmp_path, build):
    with pytest.raises(ConfigError) as caught:
        build(tmp_path)
    assert not any(secret in _everything_said(caught.value) for secret in (KEY, LOWER_KEY))


def _write(folder, text):
    (folder / "models.toml").write_text(text)
    return folder / "models.toml"


json_values = st.recursive(
    st.none() | st.integers() | st.text() | st.just(f"a{KEY}b"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just(KEY), inner),
    max_leaves=10,
)


@given(json_values)
def test_scrubbing_leaves_no_key_in_any_json_value(value):
    config = ModelConfig("agent", "tiny", api_key_env="TEST_KEY")
    assert KEY not in repr(config.credentials(ENV).scrub(value))


@pytest.mark.parametrize("spelled", ["sk-a/b+c1", "sk-a\\/b+c1"])
def test_a_key_inside_json_inside_json_is_cut_however_it_is_escaped(spelled):
    config = ModelConfig("agent", "m", base_url="http://127.0.0.1:1/v1", api_key_env="MY_KEY")
    credentials = config.credentials({"MY_KEY": "sk-a/b+c1"})
    assert credentials.scrub({"arguments": f'{{"q": "{spelled}"}}'}) == {"arguments": '{"q": "[key]"}'}
