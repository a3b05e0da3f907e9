"""
Low risk above two thresholds
=============================

Customers by income and savings. The rule "income and savings both above a threshold" describes the low-risk ones: the
corner of the two half-lines. Of all pairs of thresholds the learner takes the one with the fewest errors and, among
those, the widest margin.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from assay.core.palette import class_colour
from assay.rules import ThresholdRuleClassifier

rng = np.random.default_rng(4)
customers = pd.DataFrame({"income": rng.uniform(15, 100, 60), "savings": rng.uniform(2, 60, 60)})
low = (customers["income"] > 48) & (customers["savings"] > 22)
risk = np.where(low, "low-risk", "high-risk")

model = ThresholdRuleClassifier(positive="low-risk").fit(customers, risk)
thresholds = [c.low for c in model.rules_[0].conditions]

figure, axis = plt.subplots(figsize=(6.5, 5), layout="constrained")
right, top = 105, 64
axis.fill_between([thresholds[0], right], thresholds[1], top, color=class_colour(0), alpha=0.08, lw=0)
axis.plot(
    [thresholds[0], thresholds[0], right], [top, thresholds[1], thresholds[1]], color=class_colour(0), lw=2
)
for label, mark, k in (("low-risk", "+", 0), ("high-risk", "_", 1)):
    rows = risk == label
    axis.scatter(
        *customers[rows].to_numpy().T, marker=mark, s=70, color=class_colour(k), linewidths=2, label=label
    )
for spot, name, along in zip(thresholds, ("θ1", "θ2"), ("x", "y")):
    line = axis.axvline if along == "x" else axis.axhline
    line(spot, color="#8a94a0", lw=0.8, ls=":")
    place, offset, ha = ((spot, 1), (5, 4), "left") if along == "x" else ((right, spot), (-5, 4), "right")
    axis.annotate(name, place, textcoords="offset points", xytext=offset, ha=ha)
axis.set(xlim=(10, right), ylim=(0, top), xlabel="income", ylabel="savings")
axis.set_title(
    f"IF income > {thresholds[0]:.1f} AND savings > {thresholds[1]:.1f} THEN low-risk", fontsize=11
)
axis.legend(loc="upper left")
plt.show()
