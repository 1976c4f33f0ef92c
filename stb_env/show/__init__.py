"""User interfaces: the command line, reports, the viewer and the terminal."""
