"""What every server needs, whatever it serves: token, limits, metrics, health, log, stop."""
