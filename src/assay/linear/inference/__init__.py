"""Standard errors, tests and intervals of fitted coefficients."""
