"""Reports on runs: what a person looks at after, or while, episodes are played."""
