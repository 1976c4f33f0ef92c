"""The sandbox: our own tools, content, tasks and exact verifiers; needs no data, key or network."""
