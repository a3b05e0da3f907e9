"""
Margins and support vectors
===========================

The boundary between two classes keeps the largest distance from both. With a hard margin the rows that carry it lie on
the dashed lines (rings). With a price on slack some rows may lie inside the margin or beyond it (dotted rings); their
slack leads them back to it. A quadratic kernel bends the boundary, and a Gaussian one follows the rows the more closely
the narrower it is (IML 13.2, 13.3 and 13.6; Data Classification 10.6).
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.kernels import RBF, Polynomial
from assay.plots import SupportVectorDisplay
from assay.svm import SVC

rng = np.random.default_rng(4)
apart = np.vstack([rng.normal((-1.6, -1.2), 0.7, (25, 2)), rng.normal((1.6, 1.2), 0.7, (25, 2))])
mixed = np.vstack([rng.normal((-1.0, -0.8), 0.9, (30, 2)), rng.normal((1.0, 0.8), 0.9, (30, 2))])
ring = rng.uniform(-2, 2, (70, 2))
round_or_not = np.where((ring**2).sum(axis=1) + rng.normal(0, 0.35, 70) < 1.7, "in", "out")

figure, axes = plt.subplots(2, 4, figsize=(16, 8), layout="constrained")
two = np.repeat(["left", "right"], 25)
hard = SVC(C=np.inf, kernel="linear").fit(apart, two)
SupportVectorDisplay.from_estimator(hard, apart, two, ax=axes[0, 0], title="hard margin")
more = np.repeat(["left", "right"], 30)
for ax, C in zip(axes[0, 1:3], (0.05, 10.0)):
    soft = SVC(C=C, kernel="linear").fit(mixed, more)
    SupportVectorDisplay.from_estimator(soft, mixed, more, ax=ax, title=f"soft margin, C = {C:g}")
quadratic = SVC(C=1, kernel=Polynomial(2)).fit(ring, round_or_not)
SupportVectorDisplay.from_estimator(quadratic, ring, round_or_not, ax=axes[0, 3], title="quadratic kernel")
for ax, variance in zip(axes[1], (2.0, 0.5, 0.25, 0.1)):
    machine = SVC(C=1, kernel=RBF(np.sqrt(variance))).fit(ring, round_or_not)
    title = f"Gaussian kernel, variance {variance:g}"
    SupportVectorDisplay.from_estimator(machine, ring, round_or_not, ax=ax, title=title)
plt.show()
