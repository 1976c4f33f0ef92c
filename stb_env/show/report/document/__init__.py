"""What came of runs, written down: a page, tables and pictures from the same figures."""
