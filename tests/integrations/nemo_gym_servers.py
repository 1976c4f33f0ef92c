"""NeMo Gym's own servers, started and asked by its own commands."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from tests.conftest import ROOT

GYM = f"{sys.prefix}/bin/gym"
# It starts a Ray whatever happens: a new one, which may take its time on a busy machine.
RAY = {
    "RAY_ADDRESS": "local",
    "RAY_AUTH_MODE": "disabled",
    "RAY_raylet_start_wait_time_s": "300",
    "RAY_agent_register_timeout_ms": "300000",
}
ENVIRONMENT = {**os.environ, **RAY, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": str(ROOT)}
APPS = {
    ("resources_servers", "stb"): "from stb_env.integrations.nemo_gym import EpisodesServer as Server",
    (
        "responses_api_agents",
        "stb",
    ): "from stb_env.integrations.nemo_gym.agent import ConversationAgent as Server",
}
"""What a user writes: the folders that a configuration names, of our servers and of nobody else's."""
KINDS = (
    *APPS,
    ("responses_api_agents", "simple_agent"),
    ("environment_servers", "legacy_agent"),
    ("responses_api_models", "vllm_model"),
)


@dataclass(frozen=True)
class Played:
    """An environment that a configuration serves.

    Attributes:
        name: What its agent is called.
        env_id: The environment.
        agent: The kind of agent: ``simple_agent``, or ``stb`` for ours.
    """

    name: str
    env_id: str
    agent: str = "simple_agent"

    @property
    def config(self) -> dict[str, Any]:
        """Return what a configuration says of its three servers."""
        plain = {"entrypoint": "app.py"}
        resources = {"type": "resources_servers", "name": f"{self.name}_resources"}
        model = {"type": "responses_api_models", "name": "policy_model"}
        agent = {**plain, "max_steps": 24, "resources_server": resources, "model_server": model}
        named = {**plain, "agent_server": {"type": "responses_api_agents", "name": self.name}}
        return {
            resources["name"]: {
                "resources_servers": {"stb": {**plain, "domain": "agent", "env_id": self.env_id}}
            },
            self.name: {"responses_api_agents": {self.agent: agent}},
            f"{self.name}_environment": {"environment_servers": {"legacy_agent": named}},
        }


@dataclass(frozen=True)
class Servers:
    """What runs in a folder, while `serving`.

    Attributes:
        folder: Where it runs.
        head: The port by which its commands find each other.
    """

    folder: Path
    head: int

    def command(self, *words: str) -> list[str]:
        return [GYM, *words, f"++head_server.port={self.head}"]

    def write(self, *played: Played) -> None:
        """Write what a user writes, and say that all that is needed is installed here."""
        for kind, name in KINDS:
            venv = self.folder / "venvs" / kind / name / ".venv"
            venv.parent.mkdir(parents=True)
            venv.symlink_to(sys.prefix)
        for (kind, name), code in APPS.items():
            place = self.folder / kind / name
            place.mkdir(parents=True)
            (place / "app.py").write_text(
                f'{code}\n\nif __name__ == "__main__":\n    Server.run_webserver()\n'
            )
            (place / "requirements.txt").write_text("stb-env\n")
        # JSON is YAML, too.
        config = {name: server for each in played for name, server in each.config.items()}
        (self.folder / "stb.yaml").write_text(json.dumps(config))

    def start(self, model: str) -> list[str]:
        """Return the command that starts them all."""
        words = self.command("env", "start", "--config", "stb.yaml", "--model-type", "vllm_model")
        words += ["--model", "scripted", "--model-url", model, "--model-api-key", "none"]
        return [*words, "++skip_venv_if_present=true", f"++uv_venv_dir={self.folder / 'venvs'}"]

    def collect(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Play rows by NeMo Gym's own command, each by the agent that it names, and return what it wrote."""
        asked, written = self.folder / "rows.jsonl", self.folder / "rollouts.jsonl"
        asked.write_text("".join(json.dumps(row) + "\n" for row in rows))
        words = ["eval", "run", "--no-serve", "--input", str(asked), "--output", str(written)]
        done = subprocess.run(
            self.command(*words, "--num-repeats", "1", "--concurrency", "4", "--no-health-check"),
            cwd=self.folder, env=ENVIRONMENT, text=True, capture_output=True, timeout=200,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return [json.loads(line) for line in written.read_text("utf-8").splitlines()]


@contextmanager
def running(command: list[str], ready: str, folder: Path) -> Iterator[None]:
    """Run a command, and whatever it starts, from when it says that it is ready until the block ends."""
    with (
        # Paths of Ray's sockets have to be short.
        TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as ray,
        subprocess.Popen(
            command, cwd=folder, env={**ENVIRONMENT, "RAY_TMPDIR": ray}, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process,
    ):  # fmt: skip
        assert process.stdout is not None
        said: deque[str] = deque(maxlen=40)
        try:
            for line in process.stdout:
                said.append(line)
                if ready in line:
                    break
            else:
                raise AssertionError(f"{command[:3]} did not start:\n{''.join(said)}")
            # What it says later must not fill the pipe.
            Thread(target=said.extend, args=(process.stdout,), daemon=True).start()
            yield
            process.send_signal(signal.SIGINT)
            process.wait(60)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def serving(folder: Path, *played: Played, model: str) -> Iterator[Servers]:
    """Serve environments by NeMo Gym's servers until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        servers = Servers(folder, probe.getsockname()[1])
    servers.write(*played)
    with running(servers.start(model), "servers ready!", folder):
        yield servers
