"""The declaration of environments that a server plays."""

from __future__ import annotations

from stb_env.suite import Suite

SUITE = Suite(
    name="remote",
    description="any environment that `stb-env serve` offers, played there and used as if it were here",
    environments={"stb/Remote-v0": "stb_env.serve.remote.env:make"},
    splits=(),
    required=("url", "id"),
    needs={"": "a server: --set url=http://HOST:PORT --set id=ID"},
)
