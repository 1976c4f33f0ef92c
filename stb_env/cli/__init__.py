"""The command line: ``stb-env``."""

from stb_env.cli.main import app, main

__all__ = ["app", "main"]
