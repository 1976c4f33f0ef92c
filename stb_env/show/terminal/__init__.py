"""Episodes in the terminal: a person plays one, or watches an agent."""
