"""
From distance to probability
============================

Logistic regression makes a probability of the signed distance to its line: 0.5 on the line itself, and the same all
along every parallel to it. The people of the charity table, by age and salary in units of 50 years and 50,000, with the
perpendiculars to the line and the probability of giving.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import Hyperplane
from assay.optimize import Bisection, MarginError, gradient_descent
from assay.tables.data import load_charity_donors

table = load_charity_donors()
X, donor = table.X.values / [50, 50_000], table.y == "Y"
error = MarginError(X, 2 * donor - 1, "log_loss", penalty=1)
optimum = gradient_descent(error, np.zeros(3), Bisection(), max_iter=5000)
plane = Hyperplane(optimum.w[1:], optimum.w[0])
feet = plane.project(X)
probability = 1 / (1 + np.exp(-plane.score(X)))

figure, ax = plt.subplots(figsize=(6.8, 5.4), layout="constrained")
box = (0.2, 1.6), (0.2, 1.8)
ax.plot(*plane.line(*box).T, color="black", lw=2)
for point, foot, p, name in zip(X, feet, probability, table.row_names):
    ax.plot(*np.array([point, foot]).T, color="#5f6975", lw=0.8, ls=":")
    ax.annotate(f"{name} {p:.2f}", point, xytext=(6, 5), textcoords="offset points", fontsize=8)
for k, (label, mark) in enumerate([("no donor", "o"), ("donor", "x")]):
    ax.scatter(*X[donor == k].T, marker=mark, s=45, color=class_colour(k), label=label, zorder=3)
ax.set(xlim=box[0], ylim=box[1], xlabel="age / 50", ylabel="salary / 50,000", aspect="equal")
ax.set_title("probability 0.5 on the line")
ax.legend(frameon=False, loc="lower left")
plt.show()
