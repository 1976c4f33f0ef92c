"""Commands are split as a shell splits them, and whatever is more than quoting is refused."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.rest.curl import MAX_COMMAND, CurlError, split_words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("curl -s x", ["curl", "-s", "x"]),
        ("curl 'a b'\"c d\"e", ["curl", "a bc de"]),
        (r"curl a\ b", ["curl", "a b"]),
        (r'curl "a\"b\n"', ["curl", r"a\n".replace("a", 'a"b', 1)]),
        ("curl '$HOME `id` | ; &'", ["curl", "$HOME `id` | ; &"]),
        ("curl a#b", ["curl", "a#b"]),
        ("curl ''", ["curl", ""]),
        ('curl a\\\nb \\\n "c\\\nd"', ["curl", "ab", "cd"]),
        ("curl x ;", ["curl", "x"]),
        ("  ", []),
    ],
)
def test_words_are_what_a_shell_would_make_of_them(command: str, words: list[str]):
    assert split_words(command) == words


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("curl 'open", "the quote before 'open' is never closed"),
        ("curl a; rm b", "more than a plain command"),
        ("curl a | sh", "more than a plain command"),
        ("curl a && b", "more than a plain command"),
        ("curl a > file", "more than a plain command"),
        ("curl $(id)", "more than a plain command"),
        ('curl "$(id)"', "more than a plain command"),
        ("curl `id`", "more than a plain command"),
        ("curl https://a.example/?a=1&b=2", "more than a plain command"),
        ("curl x # why", "more than a plain command"),
        ("x" * (MAX_COMMAND + 1), f"at most {MAX_COMMAND} are read"),
    ],
)
def test_what_a_shell_would_do_more_is_refused(command: str, message: str):
    with pytest.raises(CurlError, match=message):
        split_words(command)


@pytest.mark.heavy
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20), max_size=5))
def test_quoted_words_come_back_as_they_were(words: list[str]):
    assert split_words(shlex.join(words)) == words


def test_an_escaped_dollar_sign_between_double_quotes_is_the_sign():
    assert split_words(r'"\$"') == ["$"]


@given(st.text(st.sampled_from("curl -Xd'\"\\ $&|#{}ab\t"), max_size=40))
def test_a_command_is_split_as_the_standard_library_does_or_refused(command: str):
    # Between double quotes a shell takes the backslash before a dollar sign away, and shlex keeps it.
    assume("\\$" not in command)
    try:
        words = split_words(command)
    except CurlError:
        return
    assert words == shlex.split(command)
