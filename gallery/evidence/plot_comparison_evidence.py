"""
Which learner is better, and is the difference real?
====================================================

Five learners on the same 30 splits. Their own intervals overlap widely, because some splits are hard for all of
them; the differences on the same splits are what counts. The grey band is a difference that does not matter, here
one per cent. Last, what is believed about the best and the second best: the odds that their difference matters are
about even, so that neither can be called the winner.
"""

import matplotlib.pyplot as plt

from assay.evaluate import compare
from assay.plots import ComparisonDisplay, PairedDifferenceDisplay, PosteriorDisplay
from assay.tables.data import load_breast_cancer

result = compare(["lda", "qda", "knn", "naive bayes", "cart"], load_breast_cancer(), design="3x10")
first, second = (s.learner for s in result.ranking()[:2])

figure, axes = plt.subplots(3, 1, figsize=(7.5, 9), layout="constrained", height_ratios=[5, 4, 5])
ranking = ComparisonDisplay.from_comparison(result, ax=axes[0])
differences = PairedDifferenceDisplay.from_comparison(result, rope=0.01, ax=axes[1])
posterior = PosteriorDisplay.from_comparison(result, second, first, rope=0.01, ax=axes[2])
plt.show()
