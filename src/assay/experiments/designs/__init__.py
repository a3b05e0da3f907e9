"""Designs of experiments: factorial, fractional, response surfaces, and the order of runs."""
