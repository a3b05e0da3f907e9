"""Regressors with a linear prediction: least squares, ridge, lasso, robust losses, polynomials."""
