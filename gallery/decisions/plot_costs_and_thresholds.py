"""
What errors cost
================

German credit: a bad customer taken for a good one costs five times a good one sent away. Top: the cost curves of
three learners over all costs and class shares, and what the threshold does to the precision, the recall and the
cost of linear discriminants. Bottom: the error of the rows that are answered, when the doubtful ones are left to a
clerk, and how many of the bad customers are among the first rows of each ranking.
"""

import matplotlib.pyplot as plt

from assay.evaluate import compare
from assay.plots import CostCurveDisplay, GainDisplay, RiskCoverageDisplay, ThresholdDisplay
from assay.tables.data import load_german_credit

result = compare(["lda", "naive bayes", "cart"], load_german_credit(), design="5-fold")

figure, axes = plt.subplots(2, 2, figsize=(12, 9), layout="constrained")
costs = CostCurveDisplay.from_comparison(result, positive="bad", ax=axes[0, 0])
threshold = ThresholdDisplay.from_comparison(result, "lda", positive="bad", miss=5, ax=axes[0, 1])
coverage = RiskCoverageDisplay.from_comparison(result, ax=axes[1, 0])
gain = GainDisplay.from_comparison(result, positive="bad", ax=axes[1, 1])
plt.show()
