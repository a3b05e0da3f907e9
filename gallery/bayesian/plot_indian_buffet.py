"""
The Indian buffet and binary features
=====================================

Left: the dishes (columns) that 40 customers (rows) take. Popular dishes are taken by most, and now and then somebody
takes a new one. Right: pictures that are sums of such features plus noise, and the features that
``IndianBuffetModel`` finds in them, with how many there are.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment

from assay.reduce import IndianBuffetModel, IndianBuffetProcess

buffet = IndianBuffetProcess(4.0)
Z = buffet.sample(40, random_state=2)

shapes = np.zeros((4, 6, 6))  # a cross, a corner, another corner, a T
shapes[0, 1, 0:3] = shapes[0, 0:3, 1] = 1
shapes[1, 0:3, 5] = shapes[1, 0, 3:6] = 1
shapes[2, 3:6, 0] = shapes[2, 5, 0:3] = 1
shapes[3, 3, 3:6] = shapes[3, 3:6, 4] = 1
rng = np.random.default_rng(0)
features = rng.random((120, 4)) < 0.4
X = features @ shapes.reshape(4, 36) + rng.normal(0, 0.5, (120, 36))
model = IndianBuffetModel(n_sweeps=200, n_chains=3, random_state=0).fit(X)
found = model.components_[model.frequencies_ > 0.05]
distance = np.abs(shapes.reshape(4, 1, 36) - found).mean(axis=2)
found = found[linear_sum_assignment(distance)[1]]  # in the order of the true features

figure = plt.figure(figsize=(9.5, 4.2), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[1, 1.7])
axis = left.subplots()
axis.imshow(Z, cmap="gray_r", aspect="auto", interpolation="nearest")
expected = buffet.expected_dishes(40)
axis.set_xticks(range(0, Z.shape[1], 4))
axis.set(xlabel="dishes", ylabel="customers", title=f"{Z.shape[1]} dishes, expected {expected:.1f}")
axes = right.subplots(3, 4)
for k, picture in enumerate(X[:4]):
    axes[0, k].imshow(picture.reshape(6, 6), cmap="RdBu_r", vmin=-2, vmax=2)
for k in range(4):
    axes[1, k].imshow(shapes[k], cmap="RdBu_r", vmin=-1, vmax=1)
    axes[2, k].axis("off")
for k, values in enumerate(found[:4]):
    axes[2, k].imshow(values.reshape(6, 6), cmap="RdBu_r", vmin=-1, vmax=1)
    axes[2, k].axis("on")
for axis, label in zip(axes[:, 0], ("pictures", "true features", "found features")):
    axis.set_ylabel(label)
for axis in axes.ravel():
    axis.set(xticks=[], yticks=[])
plt.show()
