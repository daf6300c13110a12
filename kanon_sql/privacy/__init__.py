"""Privacy models: what each needs counted, and when a class fits."""
