"""
The elbow of the validation error
=================================

Fifty rows to fit polynomials of degree 1 to 8, fifty others to judge them. The training error goes on falling; the
validation error falls to the elbow and then stays about where the noise is. Chosen is the simplest degree whose error
is within one standard error of the smallest.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import PolynomialRegressor
from assay.stats import validation_elbow

random = np.random.default_rng(3)
x, v = random.uniform(0, 5, (2, 50, 1))
r, s = (2 * np.sin(1.5 * part[:, 0]) + random.normal(size=50) for part in (x, v))
degrees = np.arange(1, 9)
models = [PolynomialRegressor(int(k)).fit(x, r) for k in degrees]
training = np.array([np.mean((r - model.predict(x)) ** 2) for model in models])
found = validation_elbow([(s - model.predict(v)) ** 2 for model in models])
grid = np.linspace(0, 5, 300)[:, None]

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.3), layout="constrained")
left.plot(x, r, "o", ms=4, color="#b7bec7")
for k, colour in zip((1, int(degrees[found.chosen]), 8), map(class_colour, range(3))):
    left.plot(grid, models[k - 1].predict(grid), color=colour, lw=1.8, label=f"degree {k}")
left.set(xlabel="x", ylabel="r", ylim=(-5, 5), title="fits")
left.legend(frameon=False)
right.plot(degrees, training, "o-", color=class_colour(0), label="training")
right.errorbar(
    degrees,
    found.mean,
    found.standard_error,
    fmt="o-",
    color=class_colour(1),
    capsize=3,
    label="validation, ± 1 se",
)
right.axhline(found.threshold, color="#8a94a0", lw=1, ls=":")
right.plot(
    degrees[found.chosen], found.mean[found.chosen], "o", ms=14, mfc="none", mec="#1f2933", label="elbow"
)
right.set(xticks=degrees, xlabel="degree", ylabel="mean squared error", ylim=(0, None), title="errors")
right.legend(frameon=False)
plt.show()
