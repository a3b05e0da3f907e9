"""Linear learners by stochastic gradient descent."""
