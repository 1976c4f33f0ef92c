"""Tabletop: blocks and bowls on a table, moved by programs that ground language in positions."""
