"""Explains why a plan recodes as it does, and compares what several algorithms find. Reads only."""
