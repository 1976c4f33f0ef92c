"""A model that knows, as a server of chat completions in a process of its own.

``python -m stb_env.experiments.bench.integrations.model_server TASKS`` writes its port to standard output.
It ends with its input.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from stb_env.experiments.bench.integrations.loop import Script
from stb_env.experiments.bench.processes import ends_with_input


def main() -> None:
    """Serve until the other end of standard input is closed."""
    script = Script(int(sys.argv[1]))

    class Completions(BaseHTTPRequestHandler):
        """Answers every conversation with its next turn."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps(_completion(script, asked)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Completions) as server:
        sys.stdout.write(f"{server.server_address[1]}\n")
        sys.stdout.flush()
        ends_with_input()
        server.serve_forever()


def _completion(script: Script, asked: dict[str, object]) -> dict[str, object]:
    messages = asked["messages"]
    assert isinstance(messages, list)  # noqa: S101 (narrows the type)
    message = {"role": "assistant", **script.next_turn(messages)}
    return {
        "id": "knowing",
        "object": "chat.completion",
        "created": 0,
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


if __name__ == "__main__":
    main()
