"""Families of distributions: fitted, asked for densities and tails, drawn from."""
