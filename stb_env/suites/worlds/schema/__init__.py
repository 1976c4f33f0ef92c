"""Kits as declared data, and the words of a world that follow from them."""
