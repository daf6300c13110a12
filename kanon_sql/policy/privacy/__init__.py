"""Privacy models: the numbers that each model counts of a class, and the bounds at which a class fits."""
