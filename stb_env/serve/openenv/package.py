"""The folder that OpenEnv's own commands validate, build and publish."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from string import Template

from stb_env import __version__
from stb_env.errors import ConfigError
from stb_env.suite import find_env

FILES = {
    "openenv.yaml": "openenv.yaml.txt",
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    "server/app.py": "app.py.txt",
    "server/Dockerfile": "Dockerfile.txt",
}


def write_package(env_id: str, folder: Path) -> list[Path]:
    """Write the folder of an environment, and return its files.

    Args:
        env_id: A registered id.
        folder: Where to write; it must be empty, or not be there.

    Raises:
        ConfigError: The id is unknown, or the folder has something in it.
    """
    found = find_env(env_id)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is there already; give a folder that is empty or new")
    values = {"id": found, "name": re.sub(r"[^a-z0-9]+", "_", found.lower()), "version": __version__}
    written = []
    for name, template in FILES.items():
        text = resources.files("stb_env.serve.openenv").joinpath("package", template).read_text("utf-8")
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(Template(text).substitute(values), encoding="utf-8")
        written.append(file)
    (folder / "server" / "__init__.py").touch()
    return written
