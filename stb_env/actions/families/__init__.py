"""How families of models write calls, one file each; what marks them is theirs, the data inside is JSON."""
