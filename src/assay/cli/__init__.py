"""The command line: describe, compare, fit, predict, explain, datasets."""
