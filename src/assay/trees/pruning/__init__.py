"""Pruning: which parts of a grown tree are worth keeping."""
