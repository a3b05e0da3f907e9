"""
One threshold or two: univariate Gaussian classes
=================================================

With equal spreads the posteriors of two Gaussian classes cross once, with unequal spreads twice: the narrow class
owns the interval between. Below them the risks, and what a reject cost of 0.2 leaves undecided.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.decide import BayesOptimal
from assay.stats import Gaussian

models = {
    "equal spreads": BayesOptimal([Gaussian(-2, 1), Gaussian(2, 1)], classes=["C1", "C2"]),
    "unequal spreads": BayesOptimal([Gaussian(-2, 1), Gaussian(2, 4)], classes=["C1", "C2"]),
}
x = np.linspace(-10, 10, 801)
figure, axes = plt.subplots(3, 2, figsize=(10, 7), sharex=True, layout="constrained")
for column, (name, model) in zip(axes.T, models.items()):
    posterior = model.posterior(x)
    joint = np.exp(model.log_joint(x))
    for k, colour in enumerate(["#0b5cad", "#d97706"]):
        column[0].plot(x, joint[:, k] / 0.5, color=colour, label=f"p(x | C{k + 1})")
        column[1].plot(x, posterior[:, k], color=colour)
        column[2].plot(x, 1 - posterior[:, k], color=colour)
    column[2].axhline(0.2, color="#555555", linestyle="--", label="reject")
    for place in model.boundaries(-10, 10):
        column[1].axvline(place, color="#555555", linewidth=0.8)
    column[0].set_title(name)
axes[0, 0].legend()
axes[2, 0].legend()
for axis, label in zip(axes[:, 0], ["likelihood", "posterior", "expected risk"]):
    axis.set_ylabel(label)
plt.show()

# %%
# Where C1 is accepted when a rejection costs 0.2 and an error 1:
accepted = [r for r in models["unequal spreads"].regions(-12, 12, reject=0.2) if r.action == "C1"]
print(accepted)
