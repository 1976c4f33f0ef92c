"""The client of environment sessions: environments of a server, with the whole contract of local ones."""
