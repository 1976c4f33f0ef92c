"""Formulas: read into a tree, and evaluated by walking it."""
