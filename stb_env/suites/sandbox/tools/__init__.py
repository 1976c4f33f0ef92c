"""Tools of the sandbox: one file each, documentation and code together; every file here is loaded."""
