"""Linear rankers that learn from pairs of rows."""
