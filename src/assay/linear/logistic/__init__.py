"""Logistic and softmax regression, and the solvers behind it."""
