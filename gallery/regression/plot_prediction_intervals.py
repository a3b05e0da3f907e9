"""
Intervals that keep their promise, and for whom
===============================================

The noise grows from left to right. The interval of the textbook and plain conformal intervals are equally wide
everywhere: about 0.9 of all rows lie inside, but nearly all on the left and too few on the right. Intervals that are
divided by a predicted spread, or made of predicted quantiles, keep the promise on both sides.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.decide import ConformalRegressor, interval_calibration
from assay.ensembles import RandomForestRegressor
from assay.linear import LinearRegression

rng = np.random.default_rng(7)


def draw(n):
    x = rng.random(n)
    return x[:, None], 1 + 2 * x + rng.normal(size=n) * (0.1 + 0.9 * x)


X, y = draw(1500)
new, truth = draw(4000)
forest = RandomForestRegressor(100, min_samples_leaf=40, keep_targets=True, random_state=0)
models = {
    "analytic": ConformalRegressor(LinearRegression(), "analytic"),
    "jackknife+": ConformalRegressor(LinearRegression(), "jackknife+"),
    "normalized": ConformalRegressor(
        LinearRegression(), "normalized", spread=LinearRegression(), random_state=0
    ),
    "quantile": ConformalRegressor(forest, "quantile", random_state=0),
}
thirds = np.array(["left", "middle", "right"])[np.minimum((3 * new[:, 0]).astype(int), 2)]
grid = np.linspace(0, 1, 200)[:, None]

figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained", sharex=True, sharey=True)
coverage = {}
for ax, (name, model) in zip(axes.flat, models.items()):
    model.fit(X, y)
    low, high = model.predict_interval(grid).T
    table = interval_calibration(truth, {0.9: model.predict_interval(new)}, groups=thirds)
    coverage[name] = {line.group: line.coverage for line in table.lines}
    ax.plot(X[:400, 0], y[:400], ".", color="#adb5bd", ms=3)
    ax.fill_between(grid[:, 0], low, high, color=class_colour(0), alpha=0.25)
    ax.plot(grid[:, 0], model.predict(grid), color=class_colour(0))
    inside = ", ".join(f"{group or 'all'} {share:.2f}" for group, share in coverage[name].items())
    ax.set_title(f"{name}\n{inside}", fontsize=10)
plt.show()
