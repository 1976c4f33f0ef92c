"""A server of sessions in a process of its own, for measurements.

``python -m stb_env.experiments.bench.session_server ID`` writes its port to standard output.
"""

from __future__ import annotations

import sys
from contextlib import closing

from stb_env.experiments.bench.processes import ends_with_input
from stb_env.serve.server import listen, work
from stb_env.serve.settings import Limits, ServeSettings


def main() -> None:
    """Serve an id until the other end of standard input is closed."""
    with closing(listen("127.0.0.1", 0)) as listener:
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        ends_with_input()
        limits = Limits(sessions=20_000, concurrency=4_096)
        work(ServeSettings(ids=(sys.argv[1],), limits=limits, log_level="error"), listener)


if __name__ == "__main__":
    main()
