"""Tables of Delta Lake, Iceberg and DuckLake: read at one version, written in one commit."""
