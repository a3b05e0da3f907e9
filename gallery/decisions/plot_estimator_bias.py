"""
Bias and spread of an estimator
===============================

The variance of a normal population, estimated from ten samples of five numbers: each cross is the estimate of one
sample. They scatter (the spread of the estimator), and the middle around which they do lies below the truth when the
squares are divided by n (the bias). Dividing by n - 1 moves the middle to the truth and spreads the estimates a little
more. The middle and the spread that are marked are those of 20 000 samples.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.stats import Gaussian, study_estimator

n, truth = 5, 1.0
source = Gaussian(0.0, truth)
estimators = {"divided by n": lambda x: x.var(), "divided by n - 1": lambda x: x.var(ddof=1)}
studies = {
    name: study_estimator(estimator, source, truth, n=n, repetitions=20_000, random_state=2)
    for name, estimator in estimators.items()
}

figure, axes = plt.subplots(2, 1, figsize=(8, 4), sharex=True, layout="constrained")
for ax, (name, study) in zip(axes, studies.items()):
    middle, spread = float(study.mean), float(np.sqrt(study.variance))
    ax.axhline(0, color="#8a94a0", lw=1)
    ax.plot(
        study.estimates[:10], np.zeros(10), "x", ms=9, mew=2, color=class_colour(0), label="estimates $d_i$"
    )
    ax.plot([truth], [0], "o", ms=8, color="black", label=r"truth $\theta$")
    ax.plot([middle], [0], "D", ms=7, color=class_colour(1), label="mean of the estimates, E[d]")
    ax.annotate("", (middle - spread, 0.55), (middle + spread, 0.55), arrowprops={"arrowstyle": "<->"})
    ax.text(middle, 0.68, f"standard deviation {spread:.2f}", ha="center")
    if abs(middle - truth) > 0.05:
        ax.annotate("", (middle, -0.45), (truth, -0.45), arrowprops={"arrowstyle": "<->"})
    ax.text((middle + truth) / 2, -0.85, f"bias {round(middle - truth, 2) + 0.0:.2f}", ha="center")
    ax.set(ylim=(-1.1, 1.1), yticks=[], title=f"squares {name}: mean squared error {float(study.mse):.2f}")
    ax.spines[["left", "right", "top"]].set_visible(False)
axes[0].legend(frameon=False, loc="upper right", fontsize=8)
axes[1].set(xlabel="estimate of the variance", xlim=(-0.1, 3))
plt.show()
