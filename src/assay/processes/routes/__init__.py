"""Ways to compute a Gaussian process regression: exactly, or by an approximation that is announced."""
