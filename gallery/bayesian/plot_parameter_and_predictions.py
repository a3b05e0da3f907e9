"""
A parameter, what was seen, and what comes next
===============================================

The parameter is drawn once, N values from it, and the next value from the same: what is seen says something of the
next value only by what it says of the parameter. A coin is one of three kinds. After three heads and a tail the next
throw is foretold by the kind that makes them most probable, by the kind that is most probable itself, and by the
average over all kinds.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.graphs import Diagram
from assay.plots import GraphDisplay
from assay.stats import Bernoulli, DiscretePrior, WithPrior

model = Diagram(["θ", "x", "x′"], [("θ", "x"), ("θ", "x′")], observed=["x"], plates={"t = 1..N": ["x"]})
kinds, prior, throws = [0.2, 0.5, 0.8], [0.25, 0.5, 0.25], [1, 1, 0, 1]
coin = DiscretePrior(kinds, Bernoulli, prior)
posterior = coin.update(throws).prior
modes = {"maximum likelihood": "ml", "MAP": "map", "full Bayes": "predictive"}
heads = {name: float(WithPrior(coin, estimate=mode).fit(throws).pdf([1])[0]) for name, mode in modes.items()}

# %%
# Left the model as a plate diagram, in the middle the three kinds before and after the throws, right the next throw.
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained")
GraphDisplay(model).plot(left)
places = np.arange(3)
middle.bar(places - 0.2, prior, 0.4, label="prior", color=class_colour(0))
middle.bar(places + 0.2, posterior, 0.4, label="posterior", color=class_colour(1))
middle.set_xticks(places, [f"θ = {kind}" for kind in kinds])
middle.set_ylabel("probability of the kind")
middle.set_ylim(0, 0.7)
middle.legend(frameon=False, loc="upper left")
right.barh(list(heads), list(heads.values()), color=class_colour(2))
right.set(xlim=(0, 1), xlabel="probability that the next throw is a head")
right.invert_yaxis()
for place, value in enumerate(heads.values()):
    right.text(value + 0.02, place, f"{value:.3f}", va="center")
plt.show()
