"""Reports of runs: a page, tables and pictures from the same figures."""
