"""Makes a release: builds its query, executes, recounts and publishes it, or prints it as a script."""
