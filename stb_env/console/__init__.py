"""Parts that all commands share: options, output, progress."""
