"""What several tasks of the suite share: labels, verdicts, seeded tasks and official files."""
