"""
Three classes, three boxes, and doubt
=====================================

Family cars, sports cars and luxury sedans by price and engine power: one rectangle for each class, learned against all
others. A car in none of them, or in several, is rejected: the regions with question marks.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from assay.core.palette import class_colour
from assay.rules import BoxClassifier, OneClassEach

rng = np.random.default_rng(0)
places = {
    "family car": ((2, 4.5), (2, 4.5)),
    "sports car": ((3.6, 6), (6, 9)),
    "luxury sedan": ((6.2, 9), (4, 6.8)),
}
X = np.vstack([np.column_stack([rng.uniform(*a, 25), rng.uniform(*b, 25)]) for a, b in places.values()])
y = np.repeat(list(places), 25)

model = OneClassEach(BoxClassifier("specific", positive=1), decision="reject").fit(X, y)
side = np.linspace(0, 10, 201)
grid = np.array(np.meshgrid(side, side)).reshape(2, -1).T
fires = model.fires(grid).sum(axis=1)

figure, axis = plt.subplots(figsize=(6.5, 6), layout="constrained")
axis.contourf(side, side, (fires != 1).reshape(201, 201).astype(float), [0.5, 1.5], colors=["#f1f3f5"])
for k, (label, hypothesis) in enumerate(zip(model.classes_, model.estimators_)):
    across, up = hypothesis.rules_[0].conditions
    axis.scatter(*X[y == label].T, s=26, marker="os^"[k], color=class_colour(k), label=label)
    axis.add_patch(
        Rectangle(
            (across.low, up.low),
            across.high - across.low,
            up.high - up.low,
            fill=False,
            lw=2,
            ec=class_colour(k),
        )
    )
for spot in ((1, 1), (1.2, 7.8), (8, 2), (7.8, 8.8), (5.3, 5.2)):
    axis.text(*spot, "?", fontsize=20, color="#8a94a0", ha="center", va="center")
axis.set(xlim=(0, 10), ylim=(0, 10), xlabel="price", ylabel="engine power", aspect="equal")
axis.legend(loc="lower right")
plt.show()
