"""
A perceptron and a logistic unit
================================

Both weigh their inputs, add a constant and put the sum through an activation: the sign makes a hard decision, the
sigmoid a probability.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour

units = {
    "perceptron": ("sign", lambda a: np.where(a >= 0, 1.0, -1.0)),
    "logistic unit": ("σ", lambda a: np.tanh(a / 2)),
}
inputs = ["1", "x1", "x2", "⋮", "xd"]
weights = ["w0", "w1", "w2", "", "wd"]


def circle(ax, x, y, text, radius=0.32, colour="white"):
    """A unit with a word in it."""
    ax.add_patch(plt.Circle((x, y), radius, fc=colour, ec="black", lw=1.2, zorder=2))
    ax.text(x, y, text, ha="center", va="center", fontsize=12, zorder=3)


figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
arrows = {}
for ax, (name, (word, activation)) in zip(axes, units.items()):
    arrows[name] = 0
    for k, (text, weight) in enumerate(zip(inputs, weights)):
        y = 2 - k
        if text == "⋮":
            ax.text(0, y, text, ha="center", va="center", fontsize=14)
            continue
        circle(ax, 0, y, text, colour="#eef2f6" if k else "#d9d9d9")
        ax.annotate("", (2.42, 0.12 * y), (0.34, y), arrowprops={"arrowstyle": "->", "lw": 1.1})
        ax.text(
            1.2,
            0.63 * y,
            weight,
            fontsize=11,
            ha="center",
            va="center",
            bbox={"fc": "white", "ec": "none", "pad": 1},
        )
        arrows[name] += 1
    circle(ax, 2.8, 0, "Σ", 0.38)
    circle(ax, 4.4, 0, word, 0.5, colour="#fff6e0")
    for start, end in ((3.2, 3.88), (4.92, 5.7)):
        ax.annotate("", (end, 0), (start, 0), arrowprops={"arrowstyle": "->", "lw": 1.1})
    ax.text(3.52, 0.16, "a", fontsize=11, ha="center")
    ax.text(5.95, 0, "ŷ", fontsize=13, va="center")
    a = np.linspace(-1, 1, 201)
    ax.plot(4.4 + 0.6 * a, -1.5 + 0.4 * activation(5 * a), color=class_colour(0), lw=1.8)
    ax.plot([3.7, 5.1], [-1.5, -1.5], color="#5f6975", lw=0.7)
    ax.set(xlim=(-0.6, 6.3), ylim=(-2.6, 2.6), title=name, aspect="equal")
    ax.axis("off")
plt.show()
