"""One run: its session, its inputs, and the key of the hashes in its plan."""
