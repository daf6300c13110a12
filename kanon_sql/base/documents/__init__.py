"""YAML and JSON documents: parsed within bounds, with the line of each value."""
