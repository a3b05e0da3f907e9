"""
Digits by their components
==========================

The 64 pixels of handwritten digits vary together. The scree graph shows how much variance each principal component
holds, and how many hold nine tenths of it. In the first two, some digits stand apart already; a few labels say which.
The components are pictures themselves, and a digit is a sum of them: few give a blur, thirty the digit. Nonnegative
parts add up without taking away, and look like strokes.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from assay.plots import BiplotDisplay, ComponentPicturesDisplay, ScreeDisplay
from assay.reduce import NMF, PCA

digits = load_digits()
pca = PCA().fit(digits.data)
scree = ScreeDisplay.from_estimator(pca)
plt.show()

# %%
# One hundred digits, printed at their place in the first two components.
scatter = BiplotDisplay.from_estimator(
    pca, digits.data, digits.target, arrows=False, printed=100, points=False
)
plt.show()

# %%
# Eigendigits: red pixels add ink, blue ones take it away.
eigendigits = ComponentPicturesDisplay.from_estimator(pca, n_components=10)
plt.show()

# %%
# A three from 2, 5, 10, 20 and 30 components.
few = [PCA(k).fit(digits.data) for k in (2, 5, 10, 20, 30)]
ComponentPicturesDisplay.from_reconstruction(few, digits.data[3:4])
plt.show()

# %%
# Nonnegative parts.
parts = NMF(10, init="nndsvd", max_iter=1000, tol=1e-3).fit(digits.data)
ComponentPicturesDisplay.from_estimator(parts)
plt.show()
