"""Multivariate trees: nodes that look at several columns at once."""
