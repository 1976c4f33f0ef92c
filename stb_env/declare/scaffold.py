"""A small installable package with an environment, for people to begin with."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from stb_env.errors import ConfigError

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A package to be written.

    Attributes:
        name: Its name, as pip has it.

    Raises:
        ConfigError: No package can have that name.

    Examples:
        >>> todo = Scaffold("shopping-list")
        >>> todo.module, todo.env_id
        ('shopping_list', 'my/ShoppingList-v0')
        >>> Scaffold("json")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: 'json' is a module of Python itself; take another name
    """

    name: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ConfigError(
                f"a package is named by letters, digits and single dashes, such as my-todo, got {self.name!r}"
            )
        if self.module in sys.stdlib_module_names or self.module == "stb_env":
            owner = "of stb-env" if self.module == "stb_env" else "of Python itself"
            raise ConfigError(f"{self.name!r} is a module {owner}; take another name")

    @property
    def module(self) -> str:
        """Name of its module."""
        return self.name.replace("-", "_").lower()

    @property
    def title(self) -> str:
        """Its name in words without blanks."""
        return "".join(word[:1].upper() + word[1:] for word in re.split("[-_]", self.name))

    @property
    def env_id(self) -> str:
        """Id of its environment."""
        return f"my/{self.title}-v0"

    @property
    def files(self) -> dict[str, str]:
        """Text of each of its files, by path."""
        sources = {
            "pyproject.toml": "pyproject.toml",
            "README.md": "README.md",
            f"src/{self.module}/__init__.py": "__init__.py",
            f"src/{self.module}/environment.py": "environment.py",
            "tests/test_environment.py": "test_environment.py",
        }
        words = {"name": self.name, "module": self.module, "title": self.title, "id": self.env_id}
        folder = files("stb_env.declare") / "package"
        return {
            path: Template((folder / f"{source}.txt").read_text(encoding="utf-8")).substitute(words)
            for path, source in sources.items()
        }

    def write(self, folder: Path) -> list[Path]:
        """Write the package, and return its files.

        Args:
            folder: Made where it does not exist.

        Raises:
            ConfigError: The folder holds something already, or cannot be written.
        """
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigError(f"{folder} is there already and not empty; name another folder with --out")
        written = []
        try:
            for path, text in self.files.items():
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
                written.append(file)
        except OSError as error:
            raise ConfigError(f"cannot write {folder}: {error.strerror}; name another folder") from error
        return written
