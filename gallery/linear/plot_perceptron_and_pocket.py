"""
Perceptron and pocket, correction by correction
===============================================

Left: the perceptron on two kinds of iris flowers, which a line separates; each correction turns the line, and after ten
of them it is done (the animation shows them one by one). Right: two kinds that no line separates. The errors of the
perceptron jump up and down for ever; the pocket keeps the best weights seen so far.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from sklearn.datasets import load_iris

from assay.core.palette import class_colour
from assay.linear import Hyperplane, PerceptronRule, PocketClassifier

X, kind = load_iris(return_X_y=True)
flowers, side = X[:100][:, [0, 2]], kind[:100]
model = PerceptronRule(training_tie="positive", keep=True).fit(flowers, side)
box = (0.0, 9.0), (-1.0, 8.0)
lines = [Hyperplane(w[1:], w[0]).line(*box) for w in model.path_[1:]]

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for k, (name, mark) in enumerate([("setosa", "o"), ("versicolor", "x")]):
    left.scatter(*flowers[side == k].T, marker=mark, s=22, color=class_colour(k), label=name)
drawn = [(t, line) for t, line in enumerate(lines, 1) if line is not None]
for t, line in drawn:
    last = t == len(lines)
    left.plot(*line.T, color="black" if last else "#5f6975", lw=2 if last else 0.9, alpha=1 if last else 0.7)
    left.annotate(
        str(t), 0.1 * line[0] + 0.9 * line[-1], xytext=(-4, 3), textcoords="offset points", fontsize=8
    )
left.set(xlim=box[0], ylim=box[1], xlabel="sepal length (cm)", ylabel="petal length (cm)")
left.set_title(f"{model.n_updates_} corrections, the last line separates")
left.legend(loc="upper left")

pocket = PocketClassifier(500, training_tie="positive").fit(X[50:], kind[50:])
steps = np.array([(exchange.update, exchange.errors) for exchange in pocket.history_])
right.plot(pocket.errors_, color=class_colour(4), lw=0.8, label="perceptron")
right.step(*np.vstack([steps, [500, pocket.n_errors_]]).T, where="post", color="black", lw=2, label="pocket")
right.set(xlabel="correction", ylabel="errors of 100", xlim=(0, 500), ylim=(0, 55))
right.set_title("versicolor and virginica: no line separates them")
right.legend(loc="upper right", framealpha=1)
plt.show()

# %%
# The same corrections as an animation.

stage, ax = plt.subplots(figsize=(5.5, 4))
for k, mark in enumerate("ox"):
    ax.scatter(*flowers[side == k].T, marker=mark, s=22, color=class_colour(k))
(moving,) = ax.plot([], [], color="black", lw=2)
(wrong,) = ax.plot([], [], "o", mfc="none", mec="black", ms=12)
ax.set(xlim=box[0], ylim=box[1], xlabel="sepal length (cm)", ylabel="petal length (cm)")


def frame(t: int) -> list:
    """The line after correction t, the row that it corrects ringed."""
    ends = lines[t] if lines[t] is not None else np.empty((0, 2))
    moving.set_data(*ends.T)
    wrong.set_data(*flowers[[model.updates_[t]]].T)
    ax.set_title(f"correction {t + 1}")
    return [moving, wrong]


animation = FuncAnimation(stage, frame, frames=len(lines), interval=600)
with tempfile.TemporaryDirectory() as folder:
    film = Path(folder) / "perceptron.gif"
    animation.save(film, PillowWriter(fps=2), dpi=60)
    film_bytes = film.stat().st_size
plt.show()
