"""Foreign formats, one a file: import and export."""
