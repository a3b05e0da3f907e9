"""
A class between two others, by x and its square
===============================================

The class is x between 2 and 4. No threshold on x alone cuts it out, but with z = x² as a second column a linear
discriminant does: g = x² - 6x + 8 = (x - 3)² - 1 is negative exactly there, and its sigmoid below one half. The dashed
curve is what logistic regression learns from the points.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.pipeline import make_pipeline

from assay.core.palette import class_colour
from assay.linear import LogisticRegression, quadratic_form
from assay.prepare import BasisExpansion, StandardScaler
from assay.prepare.bases import Power

x = np.arange(0, 6.5, 0.5)
outside = ~((x > 2) & (x < 4))
steps = BasisExpansion([Power(0, 1), Power(0, 2)]), StandardScaler(), LogisticRegression(C=1000.0)
model = make_pipeline(*steps).fit(x[:, None], outside)
g = quadratic_form(coef=[-6.0, 1.0], intercept=8.0, powers=[[1], [2]])
grid = np.linspace(0, 6, 400)[:, None]

figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 6), sharex=True, layout="constrained")
top.plot(grid, g(grid), color=class_colour(0), lw=1.8, label="g = (x - 3)² - 1")
bottom.plot(grid, expit(g(grid)), color=class_colour(0), lw=1.8, label="sigmoid(g)")
bottom.plot(
    grid, model.predict_proba(grid)[:, 1], "--", color=class_colour(2), lw=1.5, label="learned P(outside | x)"
)
bottom.axhline(0.5, color="#8a94a0", lw=1, ls=":")
top.axhline(0, color="#8a94a0", lw=1, ls=":")
for ax, height in ((top, -2.2), (bottom, -0.07)):
    ax.axvspan(2, 4, color="#f1f3f5")
    for there, mark, name in ((outside, "o", "outside"), (~outside, "s", "inside")):
        colour = class_colour(0) if name == "outside" else class_colour(1)
        ax.plot(
            x[there],
            np.full(there.sum(), height),
            mark,
            ms=6,
            color=colour,
            label=name if ax is top else None,
        )
    ax.legend(frameon=False, loc="center right" if ax is bottom else "upper center")
top.set(ylim=(-3, 9), ylabel="g(x)")
bottom.set(ylim=(-0.15, 1.05), xlabel="x", ylabel="probability of outside")
plt.show()
