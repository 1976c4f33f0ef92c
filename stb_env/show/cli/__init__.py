"""The command line: ``stb-env``."""

from stb_env.show.cli.main import app, main

__all__ = ["app", "main"]
