"""``python -m stb_env`` is ``stb-env``."""

from stb_env.cli import main

main()
