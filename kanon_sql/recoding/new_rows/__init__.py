"""Recode later rows by a plan that exists."""
