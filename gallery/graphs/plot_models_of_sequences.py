"""
Models of sequences as graphs
=============================

What depends on what, three rows of each: hidden variables are white, observed ones shaded. Below, the wet grass of a
day and of the next as a dynamic network, and a chain that only goes from left to right.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.plots import AutomatonDisplay, ChainGraphDisplay
from assay.sequences import DynamicNetwork, left_to_right

kinds = ["hidden Markov model", "input-output", "mixture of experts", "autoregressive"]
kinds += ["factorial", "coupled", "switching"]
figure, axes = plt.subplots(2, 4, figsize=(14, 7), layout="constrained")
for kind, ax in zip(kinds, axes.flat):
    ChainGraphDisplay.of_kind(kind, ax=ax)
    ax.set_title(kind)
axes.flat[-1].axis("off")

# %%
# Each day it is cloudy as the day before, or not; the sprinkler and the rain depend on it, the grass on both.
net = DynamicNetwork()
net = net.add("cloudy", ["no", "yes"], [[0.7, 0.3], [0.3, 0.7]], before=["cloudy"], start=[0.5, 0.5])
net = net.add("sprinkler", ["no", "yes"], [[0.5, 0.5], [0.9, 0.1]], parents=["cloudy"])
net = net.add("rain", ["no", "yes"], [[0.9, 0.1], [0.2, 0.8]], parents=["cloudy"])
wet = [[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.05, 0.95]]]
net = net.add("wet", ["no", "yes"], wet, parents=["sprinkler", "rain"])
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 4.6), layout="constrained")
ChainGraphDisplay.from_network(net, observed=["wet"], rows=3, ax=left)
mask = left_to_right(4, jump=2)
shares = mask / mask.sum(axis=1, keepdims=True)
AutomatonDisplay(shares, np.eye(4)[0], layout="line", state_names=["1", "2", "3", "4"]).plot(right)
plt.show()
