"""
Why evidence prefers the simpler model
======================================

Each model gives a probability to every data set that could come, and these add up to 1. Here data sets of five numbers
are laid out by their mean, and models differ by how far they allow the true mean to lie from 0. A simple model expects
few data sets and expects these firmly; a flexible one spreads itself over many. Of data near 0 the simple model has the
larger evidence, although the others can explain them too.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.stats import NormalMean, model_probabilities

spreads = {"simple": 0.2, "medium": 1.5, "flexible": 6.0}
models = {name: NormalMean(0, spread**2, noise_var=1.0) for name, spread in spreads.items()}
deviations = np.array([-1.2, -0.4, 0.1, 0.4, 1.1])  # of five numbers from their mean
means = np.linspace(-12, 12, 961)
log_evidence = np.array([[m.log_evidence(mean + deviations) for mean in means] for m in models.values()])
evidence = np.exp(log_evidence)
evidence /= np.trapezoid(evidence, means, axis=1)[:, None]  # all data sets of this shape
best = [model_probabilities(column).best for column in log_evidence.T]

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for k, (name, curve) in enumerate(zip(models, evidence)):
    ax.plot(means, curve, color=class_colour(k), lw=1.8, label=name)
    ax.fill_between(means, 0, -0.02, where=np.array(best) == k, color=class_colour(k), lw=0)
ax.annotate(
    "most probable model", (0, -0.02), (4.5, 0.3), arrowprops={"arrowstyle": "->", "color": "#5f6975"}
)
ax.set(xlabel="all data sets of five numbers, by their mean", ylabel="evidence", xlim=(-12, 12))
ax.legend(frameon=False)
plt.show()
