"""The statements that read a source, and the formats of tables."""
