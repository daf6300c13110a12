"""Quality metrics: the cost of a node, and a lower bound of it that needs no scan."""
