"""The databases: one base class, and a folder for each engine."""
