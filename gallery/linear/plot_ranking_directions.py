"""
Two orders of the same things, two directions
=============================================

A linear ranker projects on a direction: whatever lies farther along it ranks higher. Five things, each with its
rank, and the direction learned from it; another order of the same things turns the direction.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.linear import PairwiseRanker

X = np.array([[4, 1], [3, 3], [2, 0], [1, 2], [0, 1]], float)
orders = {"first order": [1, 2, 3, 4, 5], "second order": [3, 1, 5, 2, 4]}
models = {name: PairwiseRanker(best="lowest", random_state=0).fit(X, ranks) for name, ranks in orders.items()}

figure, axes = plt.subplots(1, 2, figsize=(10.5, 4.8), layout="constrained")
for axis, (name, ranks) in zip(axes, orders.items()):
    w = models[name].coef_ / np.linalg.norm(models[name].coef_)
    start = np.array([2.0, 1.4]) - 2.2 * w
    feet = start + np.outer((X - start) @ w, w)
    look = {"arrowstyle": "-|>", "color": "#0072b2", "lw": 2, "shrinkA": 0, "shrinkB": 0}
    axis.annotate("", xy=start + 4.4 * w, xytext=start, arrowprops=look)
    for x, foot, rank in zip(X, feet, ranks):
        axis.plot(*np.column_stack((x, foot)), color="#999999", linestyle=":", linewidth=1)
        axis.scatter(*x, s=240, color="#f0e442", edgecolor="#15202b", zorder=3)
        axis.text(*x, str(rank), ha="center", va="center", zorder=4)
    axis.set(xlim=(-1.2, 5.2), ylim=(-1.6, 4.6), aspect="equal", xlabel="x1", ylabel="x2", title=name)
plt.show()
