"""The explorer: a page on which a policy is tried out, figure by figure, before a plan is made."""
