"""Later rows, recoded by a plan that exists."""
