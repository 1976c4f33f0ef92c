"""What every command shares: options, output, progress."""
