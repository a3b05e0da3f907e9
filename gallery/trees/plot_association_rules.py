"""
What is bought together, and what only seems to be
==================================================

Two thousand baskets of a small shop. Bread and milk are in most of them; beer goes with chips, pasta with sauce and
then cheese, and nappies with baby food: all else is chance. On the left every rule is a dot at its support and
confidence: the most frequent ones lead to bread and milk, and tell nothing, as their colour (the lift) says. On the
right, the rules of which no item can be left out: exact tests, adjusted for all possible rules, find that each makes
the right side more likely.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.associations import Baskets, association_rules, frequent_sets
from assay.plots import AssociationDisplay

rng = np.random.default_rng(7)
n = 2000
shares = {"bread": 0.7, "milk": 0.6, "eggs": 0.3, "apples": 0.25, "beer": 0.2, "pasta": 0.2, "nappies": 0.08}
held = {name: rng.random(n) < share for name, share in shares.items()}
held["chips"] = rng.random(n) < np.where(held["beer"], 0.65, 0.1)
held["sauce"] = rng.random(n) < np.where(held["pasta"], 0.6, 0.05)
held["cheese"] = rng.random(n) < np.where(held["pasta"] & held["sauce"], 0.7, 0.15)
held["baby food"] = rng.random(n) < np.where(held["nappies"], 0.55, 0.01)

rules = association_rules(frequent_sets(Baskets.from_wide(held), 0.02), 0.4, max_consequent=1)
kept = rules.productive(0.01)

figure, (left, right) = plt.subplots(1, 2, figsize=(12.5, 5), width_ratios=[1.1, 1], layout="constrained")
AssociationDisplay.from_rules(rules, ax=left, label=0)
AssociationDisplay.from_rules(kept, kind="matrix", ax=right)
left.set_title(f"all {len(rules)} rules with confidence 0.4")
right.set_title(f"the {len(kept)} that are more than chance")
plt.show()
