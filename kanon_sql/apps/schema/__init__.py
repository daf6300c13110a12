"""A schema of tables released together: keys that agree, people protected over the join."""
