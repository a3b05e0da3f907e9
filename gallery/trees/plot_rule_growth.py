"""
How a rule grows, and what it did not take
==========================================

A rule for charity donors starts with everybody, 6 donors and 5 others, and takes one condition at a time. On the left
is the path of the book: first the age, then the salary; the pale boxes are the best conditions of each column that
were not taken. FOIL's gain adds up along the path. On the right greedy growth is left to itself: one condition on the
salary is enough, but it leaves out one donor. A beam of five partial rules finds the rule that covers all six.
"""

import matplotlib.pyplot as plt

from assay.plots import RuleGrowthDisplay
from assay.rulebase.conditions import Condition
from assay.rules import growth_along, learn_one_rule
from assay.tables.data import load_charity_donors

charity = load_charity_donors()
schema, classes = charity.X.schema, charity.classes
book = growth_along(charity.X, charity.y, "Y", [Condition(0, low=50), Condition(1, low=50000)])
greedy = learn_one_rule(charity.X, charity.y, "Y")
beam = learn_one_rule(charity.X, charity.y, "Y", beam=5)

figure, axes = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained", width_ratios=[3, 2, 3])
for ax, growth, name in zip(axes, (book, greedy, beam), ("the path of the book", "greedy", "beam of five")):
    RuleGrowthDisplay(growth, schema, classes, "FOIL").plot(ax)
    ax.set_title(name)
plt.show()
