"""
Hidden states: automaton, trellis, ribbons, forecasts
=====================================================

Three urns behind a curtain: somebody walks from urn to urn by the arrows of the first picture and draws a ball from
each. The trellis shows which urns best explain the balls red, red, green, blue, yellow, and where the runner-up left.
Below, a model of numbers finds the states of a series, and says what follows it.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.plots import AutomatonDisplay, ForecastDisplay, StateRibbonDisplay, TrellisDisplay
from assay.sequences import CategoricalHMM, GaussianHMM, LinearDynamicalSystem

urns = CategoricalHMM(3)
urns.startprob_ = np.array([0.5, 0.2, 0.3])
urns.transmat_ = np.array([[0.4, 0.3, 0.3], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
urns.emissionprob_ = np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.6, 0.2, 0.1], [0.1, 0.1, 0.6, 0.2]])
balls = ["red", "red", "green", "blue", "yellow"]

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
AutomatonDisplay.from_model(urns, state_names=["urn 1", "urn 2", "urn 3"], ax=left)
TrellisDisplay.from_model(
    urns, [[0, 0, 2, 1, 3]], state_names=["urn 1", "urn 2", "urn 3"], observations=balls, ax=right
)

# %%
# A series with three levels: the states below it, as a path and as probabilities.
rng = np.random.default_rng(0)
level = np.repeat([0.0, 2.0, 5.0, 2.0, 0.0, 5.0], 30)
y = level + 0.8 * rng.normal(size=len(level))
model = GaussianHMM(3, random_state=0, n_init=5).fit(y)
figure, axes = plt.subplots(2, 1, figsize=(9, 6), layout="constrained")
StateRibbonDisplay.from_model(model, y, ax=axes[0])
StateRibbonDisplay.from_model(model, y, probabilities=True, ax=axes[1])

# %%
# What follows, by the same model and by a linear dynamical system: a level that returns to the mean of all states, and
# one that swings on.
swing = np.sin(0.3 * np.arange(90)) + 0.2 * rng.normal(size=90)
system = LinearDynamicalSystem(2, n_iter=100).fit(swing[:70])
figure, axes = plt.subplots(2, 1, figsize=(9, 6), layout="constrained")
ForecastDisplay.from_model(model, y[:150], 30, future=y[150:], ax=axes[0])
ForecastDisplay.from_model(system, swing[:70], 20, future=swing[70:], ax=axes[1])
plt.show()
