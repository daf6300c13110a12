"""A series of releases over time whose differences expose nobody: its ledger, its steps, and their recount."""
