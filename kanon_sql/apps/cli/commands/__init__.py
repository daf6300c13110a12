"""The commands: a module for each, called as the command is."""
