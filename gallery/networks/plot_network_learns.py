"""
A network learns a sine
=======================

Two hidden units, trained row by row from tiny weights. Above: the fit after 100, 200 and 300 passes, and the error of
training and validation rows. Below: the hidden units at the end, taken apart into their weighted sums, their values,
and their values times the output weights, which add up to the answer.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.neural import Dense, Network, backpropagation
from assay.plots import HiddenUnitsDisplay, TrainingDisplay

rng = np.random.default_rng(0)
x, x_val = rng.uniform(-0.5, 0.5, (2, 50, 1))
r, r_val = (np.sin(6 * z) + 0.1 * rng.normal(size=z.shape) for z in (x, x_val))

net = Network([Dense(2, "logistic"), Dense(1)], 1, random_state=0, start=0.01)
training = backpropagation(
    net, x, r, rate=0.1, epochs=300, snapshots=[100, 200, 300], validation=(x_val, r_val), random_state=0
)

figure = plt.figure(figsize=(11, 7), layout="constrained")
above, below = figure.subfigures(2, 1)
left, right = above.subplots(1, 2)
line = np.linspace(-0.5, 0.5, 200)[:, None]
left.plot(x, r, ".", color="0.6")
left.plot(line, np.sin(6 * line), color="0.3", lw=1, ls=":", label="sin 6x")
for k, passes in enumerate(training.snapshots):
    left.plot(line, training.at(passes).outputs(line), color=class_colour(k), label=f"{passes} passes")
left.set(xlabel="x", title="the fit as it changes")
left.legend(frameon=False)
TrainingDisplay.from_history(training.history, rows=len(x), ax=right)
right.set_title("half the squared error of a row")
HiddenUnitsDisplay(training.at(300), -0.5, 0.5, (x, r)).plot(below.subplots(1, 3))
plt.show()
