"""The plan: the chosen recoding as plain data, for review in a pull request; `planning` makes it."""
