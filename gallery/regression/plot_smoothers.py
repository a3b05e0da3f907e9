"""
Five smoothers, three widths each
=================================

The same noisy sample, smoothed by bins (a mean or a line in each), by a running mean, by a kernel and by a running
line. At the top of each column much smoothing, which misses what is there (bias); at the bottom little, which follows
the noise (variance).
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.plots import SmootherDisplay
from assay.smoothers import KernelSmoother, Regressogram, RunningLine, RunningMean

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0, 8, 60))
r = np.sin(1.2 * x) * 1.6 + 0.25 * x + rng.normal(0, 0.4, 60)

smoothers = {
    "regressogram": (Regressogram(origin=0.0), [6, 3, 1]),
    "lines in bins": (Regressogram(origin=0.0, degree=1), [6, 3, 1]),
    "running mean": (RunningMean(), [6, 3, 1]),
    "kernel smoother": (KernelSmoother(), [1, 0.5, 0.25]),
    "running line": (RunningLine(), [6, 3, 1]),
}

figure, axes = plt.subplots(3, 5, figsize=(17, 8), sharex=True, sharey=True, layout="constrained")
for column, (name, (smoother, values)) in zip(axes.T, smoothers.items()):
    SmootherDisplay.from_values(smoother, x[:, None], r, values, axes=column)
    column[0].set_title(f"{name}\n{column[0].get_title(loc='left')}", loc="left", fontsize=10)
plt.show()
