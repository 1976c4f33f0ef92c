"""A list of sources is read strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from stb_env.errors import ConfigError
from stb_env.fetch import read_sources

HEAD = "[[set.parts]]\nname = 'a'\n"
PLAIN = HEAD + "target = 'a'\nurl = 'https://x.org/a'\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "is not TOML"),
        ("[set]\ntitle = 'x'", r"parts of \[set\] in .*: expected a list of tables, got None"),
        ("[set]\ntitel = 'x'", r"\[set\] in .* has no setting 'titel'; it takes .* Did you mean 'title'"),
        ("[endpoints]\ngithub = 'x'", r"\[endpoints\] in .* has no setting 'github'"),
        ("[endpoints]\ngithub_api = 'ftp://x'", r"expected an http\(s\) URL, got 'ftp://x'"),
        (PLAIN.replace("https", "file"), r"url of part 'a' .*: expected an http\(s\) URL"),
        (PLAIN + "github = 'a/b'", "expected exactly one of url, huggingface, github"),
        (PLAIN.replace("target = 'a'", "target = '../a'"), "target of part 'a' .* a safe path"),
        (PLAIN + "sha256 = 'abc'", "sha256 of part 'a' .*: expected 64 digits, got 'abc'"),
        (PLAIN + "size = '5'", "size of part 'a' .*: expected int, got '5'"),
        (PLAIN + PLAIN, "expected different names"),
        (HEAD + "target = 'a'\ngithub = 'a/b'", "expected a commit or a branch, got ''"),
        (HEAD + "target = 'a'\ngithub = 'a'\nrevision = 'x'", "expected OWNER/NAME, got 'a'"),
    ],
)
def test_a_wrong_list_is_explained(tmp_path: Path, text: str, message: str):
    file = tmp_path / "sources.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_sources(file)


def test_a_missing_list_is_explained(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"cannot read .*none.toml: No such file"):
        read_sources(tmp_path / "none.toml")


def test_the_package_names_homepage_licence_and_revision_for_everything():
    for dataset in read_sources().datasets.values():
        assert dataset.licence
        assert dataset.homepage.startswith("https://")
        assert all(part.url or part.revision for part in dataset.parts.values())


def test_a_list_of_ones_own_keeps_the_endpoints_that_it_does_not_name(tmp_path: Path):
    file = tmp_path / "sources.toml"
    file.write_text("[endpoints]\nhuggingface = 'https://mirror.org'\n" + PLAIN, encoding="utf-8")
    read = read_sources(file)
    assert read.endpoints == {**read_sources().endpoints, "huggingface": "https://mirror.org"}
    assert list(read.datasets) == ["set"]
