"""
How lonely is a row, compared with its neighbours?
==================================================

The circle around each query reaches to its third nearest training row. The local outlier factor divides its radius by
the mean radius around these rows (IML 8-23, figure 8-8): a query at the edge of a thin group is no outlier though its
circle is large; one beside a dense group is, though its circle is smaller.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.outliers import LocalOutlierFactor

rng = np.random.default_rng(2)
dense = rng.normal([2.2, 2.2], 0.16, size=(30, 2))
thin = rng.normal([6.5, 5.5], 1.0, size=(30, 2))
X = np.concatenate([dense, thin])
queries = {"a": (2.15, 2.3), "b": (3.3, 3.1), "c": (6.3, 7.3), "d": (3.9, 6.0)}

model = LocalOutlierFactor(3, variant="simple", novelty=True).fit(X)
asked = np.array(list(queries.values()))
factors = -model.score_samples(asked)
radii = model.kneighbors(asked)[0][:, -1]

figure, ax = plt.subplots(figsize=(6.6, 6.0), layout="constrained")
ax.scatter(*X.T, s=26, color=class_colour(0), label="training rows")
for name, point, radius, factor in zip(queries, asked, radii, factors):
    colour = class_colour(1) if factor > 1.5 else "#4a535e"
    ax.add_patch(plt.Circle(point, radius, fill=False, ec=colour, lw=1.4))
    ax.scatter(*point, marker="x", s=55, color=colour, lw=2, zorder=3)
    right, up = (0.12, 0.14) if radius > 0.3 else (0.5, -0.35)
    ax.text(point[0] + right, point[1] + up, f"{name}: LOF {factor:.1f}", color=colour)
ax.set(
    xlim=(0, 10),
    ylim=(0.5, 9.8),
    aspect="equal",
    xlabel="$x_1$",
    ylabel="$x_2$",
    title="Circles to the third neighbour",
)
ax.legend(loc="lower right")
plt.show()
