"""
The tiger: when to open a door, and when to listen
==================================================

A tiger is behind one of two doors, and the sensor is right seven times in ten. The value of a belief is the most of
straight lines, one for each plan that is the best somewhere. With one step left a door must be opened; with more steps
listening pays in the middle, where the belief is unsure, and the more steps are left the wider that middle is.
"""

import matplotlib.pyplot as plt

from assay.plots import BeliefValueDisplay
from assay.reinforcement import tiger

figure, axes = plt.subplots(1, 4, figsize=(14, 3.6), layout="constrained", sharey=True)
for horizon, ax in zip((1, 2, 3, 5), axes):
    BeliefValueDisplay(tiger().plan(horizon, last=["open left", "open right"])).plot(ax)
plt.show()
