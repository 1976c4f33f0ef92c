"""The viewer: a local page for browsing runs, and the same as files to be put on any web server."""
