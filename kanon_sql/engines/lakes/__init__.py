"""Tables of Delta Lake and Iceberg, by their own libraries: read at one version, written in one commit."""
