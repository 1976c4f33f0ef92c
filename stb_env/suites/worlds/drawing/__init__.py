"""Draws goals toward a level: clauses, shapes, their costs, pairs and details that are left open."""
