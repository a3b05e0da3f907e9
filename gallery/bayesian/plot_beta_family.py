"""
The beta family
===============

Beliefs about the probability of a success. Beta(1, 1) knows nothing. More imaginary successes and failures make a
narrower belief around their share: (2, 2) and (5, 5) around a half, (2, 8) and (20, 80) around a fifth.
"""

import matplotlib.pyplot as plt

from assay.plots import BeliefDisplay
from assay.stats import BetaBernoulli

counts = [(1, 1), (2, 2), (5, 5), (2, 8), (20, 80)]
beliefs = {f"beta({a}, {b})": BetaBernoulli(a, b) for a, b in counts}

display = BeliefDisplay.from_beliefs(beliefs, limits=(0, 1), parameter="probability of a success")
display.ax_.set_title("The more counts, the narrower the belief")
plt.show()
