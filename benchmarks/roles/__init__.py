"""Columns of public data sets of people, labelled once by hand, and the score of what `init` proposes for them."""
