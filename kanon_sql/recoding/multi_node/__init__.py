"""Local recoding: several nodes of the lattice in one release."""
