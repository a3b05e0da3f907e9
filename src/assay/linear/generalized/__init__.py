"""Generalised linear models: a family of distributions, a link, and a linear predictor."""
