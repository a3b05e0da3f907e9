"""
Densities without a formula
===========================

Eight numbers, four ways to say how dense they lie, and three degrees of smoothness each. The crosses are the sample.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.densities import HistogramDensity, KernelDensity, KNeighborsDensity, NaiveDensity
from assay.plots import DensityDisplay

X = np.array([[1], [2], [2.5], [4], [6], [6.5], [7], [9]])
LIMITS = (-1, 11)


def panels(title, models, tops=(None, None, None), **options):
    """One panel below the other, from smooth to rough."""
    figure, axes = plt.subplots(3, 1, figsize=(6.5, 6), sharex=True, layout="constrained")
    shown = []
    for ax, (label, model), top in zip(axes, models.items(), tops):
        options |= {"limits": LIMITS, "grid_size": 2401, "top": top}
        shown.append(DensityDisplay.from_estimator(model.fit(X), X, ax=ax, **options))
        ax.set(title=label, xlabel="")
    figure.suptitle(title)
    plt.show()
    return shown


# %%
# A histogram counts in bins that begin at an origin, here 0. It is zero in empty bins and jumps at their ends.
histograms = panels("Histogram", {f"h = {h:g}": HistogramDensity(h) for h in (2, 1, 0.5)})

# %%
# The naive estimator centres its window at x, so there is no origin to choose; it jumps half a width from each number.
naive = panels("Naive estimator", {f"h = {h:g}": NaiveDensity(h) for h in (2, 1, 0.5)})

# %%
# A kernel puts a bump on each number (dashed), and the density is their sum: as smooth as the bumps.
kernels = panels(
    "Gaussian kernel", {f"h = {h:g}": KernelDensity(bandwidth=h) for h in (1, 0.5, 0.25)}, bumps=True
)

# %%
# The neighbour estimator asks how far the k-th nearest number is: narrow where they are many, wide elsewhere. It has
# kinks, its tails are too heavy for a density, and with k = 1 it is infinite at each number.
neighbours = panels(
    "Nearest neighbours", {f"k = {k}": KNeighborsDensity(k) for k in (5, 3, 1)}, tops=(None, None, 1.0)
)

# %%
# The first three have a total mass of one (the wide kernel has some outside of the picture). The neighbour estimate
# has none: its tails alone hold infinitely much.
for name, displays in {
    "histogram": histograms,
    "naive": naive,
    "kernel": kernels,
    "neighbours": neighbours,
}.items():
    print(name, [round(float(display.mass()), 3) for display in displays])
