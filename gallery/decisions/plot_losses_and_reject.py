"""
Losses move the boundary, reject opens a gap
============================================

Two Gaussian classes of equal spread. Equal losses put the boundary where the posteriors cross; a dear error
moves it; a reject action takes the middle. Nothing is learned again: only the decision changes.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.decide import BayesOptimal
from assay.stats import Gaussian

# %%
# The classes, and three ways to decide: equal losses; saying C1 wrongly costs 10 and saying C2 wrongly 5; the
# same with a third action, to reject, that always costs 1.
model = BayesOptimal([Gaussian(-2, 1), Gaussian(2, 1)], classes=["C1", "C2"])
losses = np.array([[0.0, 10.0], [5.0, 0.0]])  # rows: what is said; columns: what is true
rules = {
    "equal losses": {},
    "losses 10 and 5": {"loss": losses},
    "with reject at cost 1": {"loss": losses, "reject": 1.0},
}
regions = {name: model.regions(-6, 6, **rule) for name, rule in rules.items()}

# %%
# The regions under the posteriors.
x = np.linspace(-4, 4, 401)
posterior = model.posterior(x)
colours = {"C1": "#0b5cad", "C2": "#d97706"}
figure, axes = plt.subplots(3, 1, figsize=(7, 7), sharex=True, layout="constrained")
for axis, (name, cuts) in zip(axes, regions.items()):
    for k, label in enumerate(["C1", "C2"]):
        axis.plot(x, posterior[:, k], color=colours[label], label=f"P({label} | x)")
    for region in cuts:
        axis.axvspan(
            max(region.low, -4), min(region.high, 4), color=colours.get(region.action, "#888888"), alpha=0.15
        )
    edges = ", ".join(f"{region.high:.4f}" for region in cuts[:-1])
    axis.set(title=f"{name}: boundary at {edges}", ylabel="posterior", xlim=(-4, 4))
axes[0].legend(loc="center right")
axes[-1].set_xlabel("x")
plt.show()
