"""The rows of a world, drawn from a kit and a seed."""
