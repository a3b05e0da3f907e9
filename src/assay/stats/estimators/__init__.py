"""Quality of estimators: bias, variance, squared error."""
