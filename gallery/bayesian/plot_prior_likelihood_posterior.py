"""
Prior, likelihood, posterior
============================

Twenty numbers from a Gaussian with mean 6 and known standard deviation 1.5, and the belief N(4, 0.8²) about the mean
before them. The posterior lies between prior and likelihood, and is narrower than both. With one number it stays near
the prior, with a hundred it is nearly the likelihood.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.plots import BeliefDisplay
from assay.stats import NormalMean

prior = NormalMean(4, 0.8**2, noise_var=1.5**2)
drawn = np.random.default_rng(3).standard_normal(100)
drawn = 1.5 * drawn  # around the mean 6 of each sample, exactly
samples = {n: 6 + drawn[:n] - drawn[:n].mean() for n in (1, 20, 100)}
posteriors = {n: prior.update(x) for n, x in samples.items()}

figure, panels = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained")
for ax, (n, x) in zip(panels, samples.items()):
    display = BeliefDisplay.from_update(prior, x, limits=(1.5, 8.5), parameter="mean", ax=ax)
    belief = posteriors[n]
    ax.set_title(f"{n} number{'s' * (n > 1)}: N({belief.mean:.2f}, {belief.var**0.5:.2f}²)")
plt.show()
