"""
Tables of a Chinese restaurant
==============================

Left: the number of tables grows with the logarithm of the customers, the faster the larger alpha. Middle: a Dirichlet
process mixture seats rows instead of customers; colours are the groups of the partition nearest to all drawn ones.
Right: how often two rows sat together, rows in the order of their groups: where groups touch, membership is uncertain.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.mixture import ChineseRestaurant, DirichletProcessMixture

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained")
customers = np.unique(np.geomspace(1, 1000, 60).astype(int))
for i, alpha in enumerate((0.5, 1.0, 5.0)):
    restaurant = ChineseRestaurant(alpha)
    colour = class_colour(i)
    for seed in range(5):
        seats = restaurant.sample(1000, seed)
        left.plot(np.arange(1, 1001), np.maximum.accumulate(seats) + 1, color=colour, lw=0.6, alpha=0.5)
    expected = [restaurant.expected_tables(int(n)) for n in customers]
    left.plot(customers, expected, color=colour, lw=2.5, label=f"alpha = {alpha:g}")
left.set(xscale="log", xlabel="customers", ylabel="tables", title="draws and expectation")
left.legend(frameon=False)

rng = np.random.default_rng(1)
centers = np.array([[0, 0], [3.2, 0], [1.5, 5]])
X = rng.normal(size=(150, 2)) + centers[np.repeat([0, 1, 2], 50)]
model = DirichletProcessMixture(n_sweeps=150, burn_in=100, random_state=0).fit(X)
middle.scatter(*X.T, s=14, color=[class_colour(k) for k in model.labels_])
groups = model.draws_["groups"]
middle.set_title(f"{model.n_components_} groups; drawn on average {groups.mean():.1f}")

order = np.argsort(model.labels_, kind="stable")
image = right.imshow(model.similarity()[np.ix_(order, order)], cmap="Greys", vmin=0, vmax=1)
right.set(title="probability of one group", xticks=[], yticks=[])
figure.colorbar(image, ax=right, shrink=0.85)
plt.show()
