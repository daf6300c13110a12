"""The search algorithms over the lattice, one module each, and the table of all algorithms."""
