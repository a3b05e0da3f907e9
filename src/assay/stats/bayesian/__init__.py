"""Bayes' rule, conjugate priors, and Bayesian comparisons of learners."""
