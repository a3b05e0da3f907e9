"""Searches for a good subset of columns, over any criterion."""
