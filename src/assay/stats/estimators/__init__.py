"""What an estimator is worth: bias, variance, squared error."""
