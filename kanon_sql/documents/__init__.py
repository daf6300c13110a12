"""YAML and JSON documents: read within bounds, with the line of each value."""
