"""Families of distributions: fitting, densities, tail probabilities, sampling."""
