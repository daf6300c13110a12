"""One run: its session, its inputs, and the key that plans are hashed with."""
