"""Factors: few hidden columns from which the observed ones follow, with noise of their own."""
