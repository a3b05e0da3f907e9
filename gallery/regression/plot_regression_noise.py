"""
What a regression line says about a new number
==============================================

The line is the mean of r for each x; around it, new numbers scatter as a Gaussian of the same width everywhere. Its
density stands upright at one x. The band holds 95 % of new numbers, and widens where the rows say less about the line.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import PolynomialRegressor
from assay.stats import Gaussian

random = np.random.default_rng(4)
x = random.uniform(0, 10, 25)
r = 2 + 0.8 * x + random.normal(0, 1, 25)
model = PolynomialRegressor(1).fit(x[:, None], r)
grid = np.linspace(-1, 11, 200)[:, None]
at = 6.0
middle = model.predict([[at]])[0]
density = Gaussian(middle, model.sigma_**2)
height = np.linspace(middle - 3.5 * model.sigma_, middle + 3.5 * model.sigma_, 200)
low, high = model.predict_band(grid).T

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.fill_between(grid[:, 0], low, high, color="#eef1f4", label="95 % of new numbers")
ax.plot(
    grid,
    model.predict(grid),
    color=class_colour(0),
    lw=1.8,
    label=f"g(x) = {model.formula(2).replace('x0', 'x')}",
)
ax.plot(x, r, "o", ms=5, color="#5f6975")
bell = at + 3.5 * density.pdf(height)
ax.fill_betweenx(height, at, bell, color=class_colour(1), alpha=0.25)
ax.plot(bell, height, color=class_colour(1), lw=1.8, label=f"p(r | x = {at:g})")
ax.plot([at, at], height[[0, -1]], color="#8a94a0", lw=1)
ax.plot(at, middle, "o", color=class_colour(1))
ax.set(xlim=(-1, 11), xlabel="x", ylabel="r")
ax.legend(frameon=False, loc="upper left")
plt.show()
