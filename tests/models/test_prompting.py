"""Versioned prompts and the wrapping of untrusted texts."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError
from stb_env.models.prompting import Prompt, delimited, latest, prompt, read_prompt


@pytest.fixture
def folder(tmp_path):
    for version, text in (("v1", "Old ${query}"), ("v2", "Newer ${query}"), ("v10", "Newest ${query}\n")):
        (tmp_path / "pass_judge").mkdir(exist_ok=True)
        (tmp_path / "pass_judge" / f"{version}.txt").write_text(text)
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_a_prompt_knows_its_name_version_text_and_hash(folder):
    got = prompt("pass_judge", "v10", folder)
    assert (got.name, got.version, got.text) == ("pass_judge", "v10", "Newest ${query}")
    assert got.hash == hashlib.sha256(b"Newest ${query}").hexdigest()


def test_the_latest_version_is_found_by_number(folder):
    assert latest("pass_judge", folder).version == "v10"


def test_a_prompt_is_read_once(folder):
    assert prompt("pass_judge", "v1", folder) is prompt("pass_judge", "v1", folder)


@pytest.mark.parametrize(
    ("name", "version", "message"),
    [
        (
            "pas_judge",
            "v1",
            r"no prompt 'pas_judge'; there is empty, pass_judge. Did you mean 'pass_judge'\?",
        ),
        ("pass_judge", "v3", r"prompt 'pass_judge' has no version 'v3', only v1, v2, v10\."),
        ("../pass_judge", "v1", r"no prompt '../pass_judge'"),
        ("pass_judge", "../pass_judge/v1", r"has no version '../pass_judge/v1'"),
        ("empty", "v1", r"prompt 'empty' has no versions; add empty/v1.txt"),
    ],
)
def test_an_unknown_prompt_is_refused_with_the_nearest(folder, name, version, message):
    with pytest.raises(ConfigError, match=message):
        prompt(name, version, folder)


def test_the_package_refuses_a_prompt_that_it_does_not_have():
    with pytest.raises(ConfigError, match="no prompt 'surely_not_there'"):
        latest("surely_not_there")


def test_a_prompt_of_the_users_is_read_from_a_file(tmp_path):
    (tmp_path / "strict.txt").write_text("Be strict about ${answer}.\n")
    got = read_prompt(tmp_path / "strict.txt")
    assert (got.name, got.version, got.render(answer="it")) == ("strict", "file", "Be strict about it.")


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot read the prompt .*: No such file"), (b"\xff", "is not UTF-8 text")],
)
def test_a_prompt_file_that_cannot_be_read_is_refused(tmp_path, content, message):
    if content is not None:
        (tmp_path / "mine.txt").write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        read_prompt(tmp_path / "mine.txt")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "prompt p/v1 needs query, answer to be rendered"),
        ({"query": "q"}, "prompt p/v1 needs answer to be rendered"),
        ({"query": "q", "answr": "a"}, "prompt p/v1 has no field 'answr'. Did you mean 'answer'?"),
    ],
)
def test_fields_must_match_exactly(fields, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        Prompt("p", "v1", "${query} ${answer} ${query}").render(**fields)


def test_a_misspelt_place_is_found_when_the_prompt_is_read():
    with pytest.raises(ConfigError, match=r"prompt p/v1, line 2: '\${' begins no field; write \${name}"):
        Prompt("p", "v1", "fine ${query}\nbroken ${Query}")


def test_dollars_and_braces_of_the_text_stay_as_they_are():
    text = 'costs $5, {"a": {}} $name $$ $${literal} ${x}'
    assert Prompt("p", "v1", text).render(x="!") == 'costs $5, {"a": {}} $name $$ ${literal} !'


@given(st.text(), st.text())
def test_values_are_inserted_as_they_are(first, second):
    assert Prompt("p", "v1", "a${x}b${y}c${x}").render(x=first, y=second) == f"a{first}b{second}c{first}"


@given(st.text() | st.lists(st.sampled_from(["<<<", ">>>", "${x}", "\n", "answer "])).map("".join))
def test_a_text_cannot_close_its_own_delimiters(text):
    first, _, rest = delimited(text, "answer").partition("\n")
    closing = rest.rsplit("\n", 1)[1]
    assert rest == f"{text}\n{closing}"
    assert first.removeprefix("<<<") == closing.removesuffix(">>>")
    assert closing not in text


def test_a_text_that_holds_its_own_boundary_gets_another(monkeypatch):
    boundary = hashlib.sha256(b"").hexdigest()[:16]

    class Constant:
        """A digest that an attacker foresaw."""

        def __init__(self, data: bytes) -> None:
            self.updates = 0

        def update(self, data: bytes) -> None:
            self.updates += 1

        def hexdigest(self) -> str:
            return boundary if self.updates < 3 else "f" * 16

    monkeypatch.setattr(hashlib, "sha256", Constant)
    assert delimited(boundary, "answer").startswith("<<<answer ffffffffffffffff\n")


@pytest.mark.parametrize("label", ["", "Answer", "a>>>", "a\n", "1"])
def test_a_label_that_could_be_taken_for_something_else_is_refused(label):
    with pytest.raises(ConfigError, match="label must be made of lower-case letters, digits and blanks, got"):
        delimited("text", label)
