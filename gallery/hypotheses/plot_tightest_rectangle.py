"""
Probably approximately correct: the tightest rectangle
======================================================

The class C is a rectangle, h the tightest rectangle around the positive examples. They differ by four strips along the
sides; if each strip has a probability below a quarter of epsilon, h errs on less than a share epsilon of new rows.
Left: one of the strips. Right: the error of h in 300 samples of each size, and the epsilon that the bound promises in
95 of 100 samples, which is loose.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from assay.core.palette import class_colour
from assay.theory import pac_box_epsilon

rng = np.random.default_rng(4)
blue, orange = class_colour(0), class_colour(5)
low, high = 0.25, 0.75  # of C, on both axes; rows are uniform on the unit square
rows = rng.uniform(size=(32, 2))
inside = ((rows > low) & (rows < high)).all(axis=1)
h = rows[inside].min(axis=0), rows[inside].max(axis=0)


def error(n):
    """Probability of C without the tightest rectangle around the positives of n rows."""
    x = rng.uniform(size=(n, 2))
    positive = x[((x > low) & (x < high)).all(axis=1)]
    area = (high - low) ** 2
    return area - np.prod(np.ptp(positive, axis=0)) if len(positive) else area


sizes = [20, 50, 100, 176, 300, 600]
errors = {n: np.array([error(n) for _ in range(300)]) for n in sizes}
promised = {n: pac_box_epsilon(n, 0.05) for n in sizes}

strip = (low, h[1][1]), high - low, high - h[1][1]  # above h
figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.8), layout="constrained")
left.scatter(*rows[inside].T, marker="+", s=60, color=blue, zorder=3)
left.scatter(*rows[~inside].T, marker="_", s=45, color=orange, alpha=0.7)
left.add_patch(Rectangle(*strip, facecolor="#c9d3dd", lw=0, label="one strip"))
left.add_patch(
    Rectangle((low, low), high - low, high - low, fill=False, edgecolor="black", lw=1.8, label="C")
)
left.add_patch(Rectangle(h[0], *(h[1] - h[0]), fill=False, edgecolor=blue, lw=1.8, ls="--", label="h"))
left.legend(loc="upper left", ncols=3, fontsize=9)
left.set(
    xlim=(0, 1),
    ylim=(0, 1.1),
    aspect="equal",
    xlabel="price",
    ylabel="engine power",
    title="C, the tightest h, a strip",
)

right.boxplot(
    [errors[n] for n in sizes],
    tick_labels=[str(n) for n in sizes],
    showfliers=False,
    medianprops={"color": blue},
)
right.plot(
    range(1, len(sizes) + 1),
    [promised[n] for n in sizes],
    "o-",
    color=orange,
    label="epsilon at delta = 0.05",
)
right.set(
    yscale="log",
    ylim=(1e-3, 2),
    xlabel="rows",
    ylabel="probability of an error",
    title="errors, and the bound",
)
right.legend(fontsize=9)
plt.show()
