"""A small, bounded Python: programs that models write are walked as syntax trees, never executed."""
