"""
Discriminants against principal components
==========================================

Two long clouds side by side: the first principal component runs along both of them and mixes the classes, Fisher's
direction runs across. Below, handwritten digits along the first two of nine discriminants and along the first two
principal components; and the tumours of a clinic along the one discriminant that two classes have.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from assay.bayes import LinearDiscriminantAnalysis
from assay.plots import DirectionsDisplay, DiscriminantDisplay
from assay.reduce import PCA

rng = np.random.default_rng(3)
turn = np.array([[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]])
X = np.vstack([rng.normal(size=(80, 2)) * [3.0, 0.5] + [0, shift] for shift in (-1.0, 1.0)]) @ turn.T
y = np.repeat(["first", "second"], 80)
directions = DirectionsDisplay.from_rows(X, y)

digits, labels = load_digits(return_X_y=True)
lda = LinearDiscriminantAnalysis().fit(digits, labels)
figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
DiscriminantDisplay.from_estimator(lda, digits, labels, ax=axes[0], labels=True)
DiscriminantDisplay(PCA(n_components=2).fit_transform(digits), labels, "component").plot(axes[1], labels=True)

tumours, kinds = load_breast_cancer(return_X_y=True)
model = LinearDiscriminantAnalysis(n_components=1).fit(tumours, kinds)
tumour_display = DiscriminantDisplay.from_estimator(model, tumours, kinds)
plt.show()
