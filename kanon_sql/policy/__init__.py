"""The policy: its model, how it is read, and its JSON Schema."""
