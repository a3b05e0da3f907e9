"""
One gross error, and what four losses make of it
================================================

Least squares pays for the square of a residual, so a single row far away turns the line. The absolute loss, Huber's
loss and the loss that does not mind small errors pay in a straight line, and hardly notice (IML 2.10, exercise 6).
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.linear import EpsilonInsensitiveRegressor, HuberRegressor, LinearRegression, QuantileRegressor
from assay.optimize import residual_loss

rng = np.random.default_rng(6)
x = np.linspace(0, 10, 25)
y = 1 + 0.8 * x + rng.normal(scale=0.6, size=25)
wrong = y.copy()
wrong[23] = -12.0
models = {
    "squared": (LinearRegression(), residual_loss("squared_error"), "#b35806"),
    "absolute": (QuantileRegressor(alpha=0), residual_loss("absolute_error"), "#4c2a85"),
    "Huber": (HuberRegressor(), residual_loss("huber"), "#1b7837"),
    "0.5-insensitive": (
        EpsilonInsensitiveRegressor(0.5),
        residual_loss("epsilon_insensitive", epsilon=0.5),
        "#2166ac",
    ),
}

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
r = np.linspace(-4, 4, 401)
slopes = {}
for name, (model, loss, colour) in models.items():
    before = model.fit(x[:, None], y).coef_[0]
    after = model.fit(x[:, None], wrong).coef_[0]
    slopes[name] = (before, after)
    left.plot(
        x, model.predict(x[:, None]), color=colour, label=f"{name}: slope {before:.2f} becomes {after:.2f}"
    )
    right.plot(r, loss.value(r), color=colour, label=name)
left.plot(x, wrong, "o", color="black", markersize=4)
left.annotate("one gross error", (x[23], wrong[23]), (4.5, -11), arrowprops={"arrowstyle": "->"})
left.set(xlabel="x", ylabel="y", title="Lines through the same 25 rows")
left.legend(loc="lower left", bbox_to_anchor=(0.0, 0.12))
right.set(xlabel="residual", ylabel="loss", title="What a residual costs", ylim=(0, 6))
right.legend()
plt.show()
