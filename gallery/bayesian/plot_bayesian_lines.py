"""
A line, its prior and its posterior
===================================

Eight points and three settings of the prior's precision α and the noise's precision β. On the left the line of
maximum likelihood, the posterior mean and a band of one standard deviation around it; in the middle what is believed of
constant and slope before the points, on the right what after them. A sure prior (large α) shrinks the line towards 0; a
large noise (small β) leaves the posterior wide.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import BayesianLinearRegression, LinearRegression
from assay.stats import LinearPosterior

random = np.random.default_rng(3)
x = np.sort(random.uniform(-1, 1, 8))
r = 0.4 + 1.3 * x + random.normal(0, 0.45, 8)
grid = np.linspace(-1.4, 1.4, 100)[:, None]
line = LinearRegression().fit(x[:, None], r)
plane = np.stack(np.meshgrid(np.linspace(-2, 2, 161), np.linspace(-2, 2.5, 161)), axis=-1)

rows = {}
figure, axes = plt.subplots(3, 3, figsize=(10, 9), layout="constrained")
for (alpha, beta), (left, middle, right) in zip([(1, 5), (10, 5), (1, 0.5)], axes):
    model = BayesianLinearRegression(alpha, beta, penalize_intercept=True).fit(x[:, None], r)
    rows[alpha, beta] = model
    mean, sd = model.predict(grid, return_std=True)
    left.fill_between(
        grid[:, 0], mean - sd, mean + sd, color=class_colour(0), alpha=0.2, lw=0, label="± one sd"
    )
    left.plot(grid, mean, color=class_colour(0), lw=2, label="posterior mean")
    left.plot(grid, line.predict(grid), "--", color="#5f6975", lw=1.2, label="maximum likelihood")
    left.plot(x, r, "o", color="#1f2933", ms=4)
    left.set(ylabel=f"α = {alpha}, β = {beta}", ylim=(-2.2, 3))
    for ax, belief in ((middle, LinearPosterior.prior(2, alpha, noise=1 / beta)), (right, model.posterior_)):
        height = belief.logpdf(plane.reshape(-1, 2)).reshape(plane.shape[:2])
        levels = height.max() - np.array([4.5, 2.0, 0.5])  # three, two and one standard deviations
        ax.contour(plane[..., 0], plane[..., 1], height, levels, colors=[class_colour(0)], linestyles="solid")
        ax.plot(line.intercept_, line.coef_[0], "x", color="#5f6975")
        ax.set(xlabel="constant", ylabel="slope")
axes[0, 0].legend(frameon=False, fontsize=8, loc="upper left")
for ax, title in zip(axes[0], ("the line", "before the points", "after them")):
    ax.set_title(title)
plt.show()
