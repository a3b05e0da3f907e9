"""
Which pixels speak for a digit
==============================

A convolutional network learns digits. Below each digit what its pixels add to the score of the answer, by integrated
gradients: red for it, blue against it. They add up to the score of the answer less that of the mean picture.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from assay.neural import Convolution, Dense, Flatten, MaxPooling, NetworkClassifier
from assay.plots import SaliencyDisplay

X, y = load_digits(return_X_y=True)
X = X / 16
layers = [Convolution(8, 3, "relu"), MaxPooling(2), Flatten(), Dense(32, "relu")]
model = NetworkClassifier(layers, (8, 8, 1), learning_rate_init=0.005, max_iter=6, random_state=0)
model.fit(X[200:], y[200:])
SaliencyDisplay.from_estimator(model, X[:8])
plt.show()
