"""
Which columns can be relied on
==============================

Fifty columns, three of which matter, and 100 rows. The first five columns that enter the lasso are chosen from halves
of the rows again and again: those that matter are always among them, the others come and go. Stability selection keeps
what is chosen from three quarters of the halves, with a bound on how many useless columns that lets through.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.plots import SelectionFrequencyDisplay
from assay.select import SelectByLassoPath, StabilitySelection, selection_frequency

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 50))
y = 2 * X[:, 3] - 1.5 * X[:, 8] + X[:, 20] + rng.normal(size=100)

frequency = selection_frequency(SelectByLassoPath(5), X, y, resamples=60)
stable = StabilitySelection(random_state=0).fit(X, y)

figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
SelectionFrequencyDisplay.from_frequency(frequency, ax=axes[0], max_columns=12)
SelectionFrequencyDisplay.from_estimator(stable, ax=axes[1], max_columns=12)
plt.show()
