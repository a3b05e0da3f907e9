"""
Too smooth, about right, too rough: densities of two classes
============================================================

The kernel densities of two classes in one column, for three widths. Wide kernels melt the classes together (bias),
narrow ones follow every single row (variance). Leave-one-out chooses between: the width under which the others predict
the class of each row best. Dotted lines are where the decision changes.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.densities import KernelDensity
from assay.neighbors import ParzenClassifier
from assay.plots import DensityDisplay

rng = np.random.default_rng(3)
rows = {"C1": np.concatenate([rng.normal(2, 0.7, 18), rng.normal(6, 0.6, 8)]), "C2": rng.normal(4.2, 0.9, 24)}
X, y = np.concatenate(list(rows.values()))[:, None], np.repeat(list(rows), [len(x) for x in rows.values()])
chosen = ParzenClassifier("leave_one_out").fit(X, y).bandwidth_

figure, axes = plt.subplots(3, 1, figsize=(6.5, 6.5), sharex=True, layout="constrained")
x = np.linspace(-1, 9.5, 2001)
errors = {}
for ax, (label, h) in zip(
    axes, {"too wide": 6 * chosen, "chosen": chosen, "too narrow": chosen / 12}.items()
):
    for (name, values), colour in zip(rows.items(), ["#0b5cad", "#d97706"]):
        density = KernelDensity(bandwidth=h).fit(values[:, None])
        DensityDisplay.from_estimator(
            density,
            values[:, None],
            limits=(-1, 9.5),
            grid_size=2001,
            ax=ax,
            colour=colour,
            label=f"p(x | {name})",
        )
    model = ParzenClassifier(h).fit(X, y)
    answers = model.predict(x[:, None])
    for place in x[1:][answers[1:] != answers[:-1]]:
        ax.axvline(place, color="#555555", linestyle=":", linewidth=0.9)
    errors[label] = 1 - model.score(X, y)
    ax.set(title=f"h = {h:.2f}, {label}", xlabel="")
axes[0].legend(frameon=False)
plt.show()

# %%
# The training error knows nothing of this: the narrower, the better.
for label, error in errors.items():
    print(f"{label}: {error:.0%} of the training rows answered wrongly")
