"""
Bias falls, variance rises
==========================

A hundred samples of 20 rows from 2 sin(1.5 x) with unit noise, the inputs drawn anew each time, and polynomials of
degree 1 to 5. The squared bias falls with the degree and the variance rises; their sum is smallest at degree 3. Shown
are the medians of fifteen such studies, since the variance of high degrees has a heavy tail.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.stats import bias_variance, polynomial_model

degrees = np.arange(1, 6)
studies = [
    bias_variance(
        lambda x: 2 * np.sin(1.5 * x),
        1.0,
        lambda random, n: random.uniform(0, 5, n),
        20,
        100,
        {k: polynomial_model(k) for k in degrees.tolist()},
        np.linspace(0, 5, 20),
        seed,
    )
    for seed in range(15)
]
curves = {
    "bias squared": np.median([s.bias_squared for s in studies], axis=0),
    "variance": np.median([s.variance for s in studies], axis=0),
    "bias squared + variance": np.median([s.error for s in studies], axis=0),
}
best = int(degrees[np.argmin(curves["bias squared + variance"])])

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
for i, (name, curve) in enumerate(curves.items()):
    ax.plot(degrees, curve, "o-", color=class_colour(i), lw=1.8, label=name)
ax.axvline(best, color="#8a94a0", lw=1, ls=":")
ax.annotate(f"smallest at degree {best}", (best, 3.4), (best + 0.08, 3.4), color="#5f6975")
ax.set(xticks=degrees, xlabel="degree of the polynomial", ylabel="squared error", ylim=(0, None))
ax.legend(frameon=False, loc="upper left")
plt.show()
