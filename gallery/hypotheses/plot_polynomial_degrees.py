"""
A line, a parabola, and a curve through every point
===================================================

Seven points and polynomials of degree 1, 2 and 6. The last has no training error at all, and a shape that nobody
believes between the points, let alone beyond them; the parabola follows the trend better than the line.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import PolynomialRegressor

x = np.array([1.0, 1.6, 2.5, 3.1, 4.2, 4.8, 5.9])
r = np.array([1.4, 2.7, 3.4, 4.6, 4.9, 5.6, 5.4])
models = {k: PolynomialRegressor(k, extrapolation="silent").fit(x[:, None], r) for k in (1, 2, 6)}
errors = {k: np.mean((r - model.predict(x[:, None])) ** 2) for k, model in models.items()}
grid = np.linspace(0.6, 6.3, 400)

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.axvspan(x.min(), x.max(), color="#f1f3f5", label="range of the training rows")
for i, (k, model) in enumerate(models.items()):
    ax.plot(
        grid,
        model.predict(grid[:, None]),
        color=class_colour(i),
        lw=1.8,
        label=f"degree {k}, error {errors[k]:.3f}",
    )
ax.plot(x, r, "o", color="#1f2933", zorder=3)
ax.set(xlim=(0.6, 6.3), ylim=(-1, 9), xlabel="x", ylabel="r")
ax.legend(frameon=False, loc="upper left")
plt.show()
