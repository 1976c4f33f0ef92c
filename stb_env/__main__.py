"""``python -m stb_env`` is ``stb-env``."""

from stb_env.show.cli import main

main()
