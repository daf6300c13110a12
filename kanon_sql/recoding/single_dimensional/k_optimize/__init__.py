"""K-Optimize: heads, their costs in the database, and a search that can be stopped and resumed."""
