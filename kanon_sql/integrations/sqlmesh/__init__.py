"""SQLMesh projects."""
