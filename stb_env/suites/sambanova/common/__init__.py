"""Parts that tasks of the suite share: labels, verdicts, seeded tasks and official files."""
