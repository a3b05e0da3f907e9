"""
Bayesian optimisation in progress
=================================

Each evaluation of a function is dear, so every one is chosen with care. A Gaussian process models the values so far;
the next try is where the expected improvement on the best of them is largest: where the model expects a low value, or
knows little. After a handful of tries they gather about the minimum. Below, the same 25 evaluations as random search,
on a function with three minima, 10 times each.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.plots import OptimizationDisplay
from assay.tuning import BayesianOptimization, Real, Space
from assay.tuning.acquisition import expected_improvement


# %%
# A function on a line, and the search after 4, 7 and 10 tries.
def wave(x):
    return np.sin(3.0 * x) + 0.3 * (x - 0.6) ** 2


grid = np.linspace(-2, 4, 301)
space = Space({"x": Real(-2.0, 4.0)})
units = np.array([space.point({"x": value}) for value in grid])
search = BayesianOptimization(space, n_initial=4, random_state=2)
figure, axes = plt.subplots(
    2, 3, figsize=(12.0, 5.6), sharex=True, layout="constrained", height_ratios=(3, 1)
)
for column, tries in enumerate((4, 7, 10)):
    search.minimize(wave, tries - len(search.history))
    model = search._fit()
    mean, sd = model.mean_and_sd(units)
    promise = np.exp(expected_improvement(model, units, np.random.default_rng(0)))
    axis = axes[0, column]
    axis.plot(grid, wave(grid), color="black", lw=1.0, ls="--", label="function")
    axis.fill_between(grid, mean - 2 * sd, mean + 2 * sd, alpha=0.25)
    axis.plot(grid, mean, label="model")
    axis.scatter(
        [t.setting["x"] for t in search.history],
        [t.value for t in search.history],
        s=24,
        color="black",
        zorder=3,
    )
    axis.set_title(f"after {tries} tries")
    axes[1, column].fill_between(grid, promise, color="tab:orange", alpha=0.6)
    axes[1, column].axvline(grid[np.argmax(promise)], color="tab:red", lw=1.2)
    axes[1, column].set_xlabel("x")
axes[0, 0].legend(loc="upper center")
axes[1, 0].set_ylabel("expected\nimprovement")
plt.show()


# %%
# Against random search.
def branin(x, y):
    curve = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    return curve**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10


ranges = {"x": Real(-5.0, 10.0), "y": Real(0.0, 15.0)}
searches = [BayesianOptimization(ranges, random_state=seed).minimize(branin, 25) for seed in range(10)]
searched = np.array([s.best_so_far for s in searches])
at_random = []
for seed in range(10):
    settings = Space(ranges).settings(np.random.default_rng(seed).uniform(size=(25, 2)))
    at_random.append(np.minimum.accumulate([branin(**setting) for setting in settings]))

figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.0), layout="constrained")
for values, words in ((np.array(at_random), "random search"), (searched, "Bayesian optimisation")):
    excess = values - 0.397887
    number = np.arange(1, 26)
    (drawn,) = left.plot(number, np.median(excess, axis=0), label=words)
    left.fill_between(number, excess.min(axis=0), excess.max(axis=0), color=drawn.get_color(), alpha=0.15)
left.set(yscale="log", xlabel="evaluation", ylabel="best value above the minimum")
left.legend()
OptimizationDisplay.from_search(searches[0], ax=right)
right.set_yscale("log")
plt.show()

# %%
# Which parameter mattered.
print(searches[0].explain())
