"""Two tables of the same rows, or several: what they have in common."""
