"""The policies of the folder ``agents`` in a checkout; in an installed package its files are here."""

from pathlib import Path

__path__.append(str(Path(__file__).parents[2] / "agents"))
