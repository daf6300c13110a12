"""The plan: what will be done, as plain data that is read in a pull request."""
