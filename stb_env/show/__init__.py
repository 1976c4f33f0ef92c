"""What people look at: the command line, reports, the viewer and the terminal."""
