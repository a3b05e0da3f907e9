"""
Climbing a response surface
===========================

Two settings of a learner are tuned by experiment. A full factorial design shows which factors matter and which act
together; a central composite design adds the runs from which curvature can be fitted. The fitted surface has a
summit, and the path of steepest ascent leads there.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.experiments import central_composite, full_factorial
from assay.plots import EffectsDisplay, ResponseSurfaceDisplay

random = np.random.default_rng(4)
factors = {"depth": (2, 8), "rate": (0.1, 0.5)}


def accuracy(coded):
    """The truth, with the noise of a run."""
    a, b = coded[:, 0], coded[:, 1]
    return 80 + 4 * a + 2 * b - 3 * a**2 - 2 * b**2 + 1.5 * a * b + random.normal(0, 0.3, len(coded))


screening = full_factorial({**factors, "seed": (0, 1), "shuffle": ("no", "yes")})
composite = central_composite(factors)

figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained", width_ratios=[4, 3.4, 5])
screened = accuracy(screening.coded)
half_normal = EffectsDisplay.from_runs(screening, screened, ax=axes[0])
interaction = EffectsDisplay.from_runs(
    screening, screened, kind="interaction", pair=("depth", "rate"), ax=axes[1]
)
surface = ResponseSurfaceDisplay.from_runs(
    composite, accuracy(composite.coded), response="accuracy", path="maximum", ax=axes[2]
)
plt.show()
