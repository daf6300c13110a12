"""The search algorithms over the lattice, and the table of all algorithms."""
