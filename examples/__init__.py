"""Training and collecting with this package, each a program of its own: ``python -m examples.grpo``."""
