"""
How smooth? Leaving rows out, and confidence bands
==================================================

The error of predicting each row from the others needs no fitting again: for splines it has a closed form, for windows
the row in the middle is passed over. Its minimum chooses the spline's penalty; the band shows where the curve is well
known. Below, a few gross errors pull a loess curve away, and a robust one not.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.smoothers import Loess, SmoothingSpline, choose_smoothing

rng = np.random.default_rng(4)
x = np.sort(rng.uniform(0, 8, 80))
truth = np.sin(1.2 * x) * 1.6 + 0.25 * x
r = truth + rng.normal(0, 0.4, 80)
grid = np.linspace(0, 8, 401)[:, None]

figure, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
penalties = 10.0 ** np.linspace(-4, 3, 29)
found = choose_smoothing(SmoothingSpline(), x[:, None], r, penalties)
axes[0, 0].semilogx(penalties, found.errors, color=class_colour(0))
axes[0, 0].axvline(found.best, color="#5f6975", lw=0.8)
axes[0, 0].set(xlabel="λ", ylabel="squared error without the row", title="spline: choice of λ")

band = found.smoother.confidence_band(grid)
axes[0, 1].fill_between(grid[:, 0], band.low, band.high, color=class_colour(0), alpha=0.2, lw=0)
axes[0, 1].plot(x, r, "x", color="#5f6975")
axes[0, 1].plot(grid, band.estimate, color=class_colour(0), lw=1.8)
axes[0, 1].plot(x, truth, color="#15202b", lw=0.9, ls="--")
axes[0, 1].set_title(f"λ = {found.best:.2g}: 95 % band, and the truth dashed")

spoiled = r.copy()
spoiled[::9] += 6
for ax, iterations in zip(axes[1], (0, 3)):
    model = Loess(0.3, robust_iterations=iterations).fit(x[:, None], spoiled)
    ax.scatter(x, spoiled, marker="x", c=np.where(model.robustness_ < 0.01, "#d55e00", "#5f6975"))
    ax.plot(grid, model.predict(grid), color=class_colour(0), lw=1.8)
    ax.plot(x, truth, color="#15202b", lw=0.9, ls="--")
    ax.set_title(f"loess, {iterations} robust iterations")
plt.show()
