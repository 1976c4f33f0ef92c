"""Parts of every server: token, limits, metrics, health, log, stop."""
