"""
The bound and the gap
=====================

How far the empirical risk of any hypothesis may be from its risk, by the bounds of learning theory, and how far it
really was: a hundred thresholds on a line, labels of which one in ten is flipped, 200 samples of every size. The
bounds hold, and are loose: they know nothing of the distribution.
"""

import matplotlib.pyplot as plt

from assay.plots import BoundDisplay
from assay.theory import simulate_gap

study = simulate_gap([30, 100, 300, 1000, 3000, 10000], runs=200, random_state=0)
display = BoundDisplay.from_study(study)
plt.show()
