"""The generalization lattice: nodes, frequency sets, and the checker that every search asks."""
