"""The source, read and counted: mapping tables, encoding, the lattice and its checks, plans."""
