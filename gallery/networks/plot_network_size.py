"""
Hidden units and overtraining
=============================

Left: more hidden units fit the training rows ever better, new rows soon worse. Right: so do more passes; the weights of
the pass with the least validation error are kept.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.neural import Dense, Network, WeightDecay, backpropagation, minimize_error
from assay.plots import TrainingDisplay

rng = np.random.default_rng(2)
x, x_val = rng.uniform(-0.5, 0.5, (15, 1)), rng.uniform(-0.5, 0.5, (200, 1))
r, r_val = (np.sin(6 * z) + 0.2 * rng.normal(size=z.shape) for z in (x, x_val))

sizes = [1, 2, 3, 5, 8, 12, 18, 25]
curves = {"training": [], "validation": []}
for units in sizes:
    errors = []
    for seed in range(4):
        net = Network([Dense(units, "tanh"), Dense(1)], 1, random_state=seed)
        minimize_error(net, x, r, penalties=[WeightDecay(1e-4)], max_iter=300)
        errors.append([np.mean((net.outputs(a) - b) ** 2) for a, b in ((x, r), (x_val, r_val))])
    for name, value in zip(curves, np.median(errors, axis=0)):
        curves[name].append(value)

net = Network([Dense(25, "tanh"), Dense(1)], 1, random_state=0)
net.theta[:25] *= 12  # steep units, as many passes would make them
training = backpropagation(
    net, x, r, rate=0.002, momentum=0.9, epochs=800, online=False, validation=(x_val, r_val), random_state=0
)
passes = {
    "training": [2 * record.error / len(x) for record in training.history],
    "validation": [2 * record.validation / len(x_val) for record in training.history],
}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
TrainingDisplay(sizes, curves, label="hidden units", kind="mean squared error").plot(left, log=True)
TrainingDisplay(range(1, 801), passes, kind="mean squared error").plot(right)
right.set_ylim(0, 0.2)
plt.show()
