"""Linear classifiers without probabilities: perceptrons, least squares, ridge."""
