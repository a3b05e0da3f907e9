"""Linear models with a posterior: Bayesian regression, logistic regression, generalised models, averages of them."""
