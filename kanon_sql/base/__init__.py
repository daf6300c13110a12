"""What every room builds on: the gate that each statement passes, documents, charts."""
