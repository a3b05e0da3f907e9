"""Confidence intervals of means, variances and shares."""
