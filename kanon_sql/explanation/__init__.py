"""Why a plan recodes as it does: scenarios, the frontier, pictures of the lattice, comparisons."""
