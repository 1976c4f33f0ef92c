"""CI's locked versions fit what the package asks for, and say nothing of the machine that wrote them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCKS = sorted((ROOT / ".ci/locks").glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# A framework has a lock of its own, since their pins exclude one another; PyTorch is fetched by name alone.
APART = {"verifiers", "inspect", "openenv", "skyrl", "nemo-gym", "trl", "train", "sb3", "maps"}


def locked(file: Path) -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            pin = Requirement(line.removesuffix("\\"))
            found.setdefault(canonicalize_name(pin.name), []).append(pin)
    return found


PIN = re.compile(r"[a-z0-9.-]+==[^ /]+( ; [^/]+)?( \\)?|    --hash=sha256:[0-9a-f]{64}( \\)?")


@pytest.mark.parametrize("file", LOCKS, ids=lambda file: file.stem)
def test_a_lock_has_names_versions_and_hashes_alone(file: Path):
    for line in file.read_text(encoding="utf-8").splitlines():
        assert PIN.fullmatch(line)


def test_every_requirement_of_the_package_is_locked_in_a_version_that_fits():
    pins = locked(ROOT / ".ci/locks/common.txt")
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *(text for name in extras.keys() - APART for text in extras[name])]
    for requirement in map(Requirement, asked):
        if requirement.name == "stb-env":
            continue
        versions = [pin.specifier for pin in pins.get(canonicalize_name(requirement.name), [])]
        assert versions, f"{requirement} is not locked; renew with .ci/lock common"
        for version in versions:
            assert requirement.specifier.contains(str(version).removeprefix("=="), prereleases=True), (
                f"{requirement} is locked as {version}; renew with .ci/lock common"
            )
