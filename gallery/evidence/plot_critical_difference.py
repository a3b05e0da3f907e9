"""
Average ranks and the critical difference
=========================================

Four variants of C4.5 on 14 data sets (Demsar 2006). Friedman's test finds that the average ranks differ. Nemenyi's
test of all pairs finds no pair that differs, since the ranks would have to be 1.25 apart; compared with plain C4.5
alone, 1.17 is enough, and the variant with both parameters tuned is better.
"""

import matplotlib.pyplot as plt

from assay.plots import CriticalDifferenceDisplay
from assay.stats import bonferroni_dunn, friedman_from_ranks

names = ["C4.5", "C4.5 with m", "C4.5 with cf", "C4.5 with m and cf"]
found = friedman_from_ranks([44 / 14, 28 / 14, 40.5 / 14, 27.5 / 14], 14, names=names)

figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.5, 5), layout="constrained")
pairs = CriticalDifferenceDisplay.from_post_hoc(found.nemenyi, ax=top)
control = CriticalDifferenceDisplay.from_post_hoc(bonferroni_dunn(found, "C4.5"), ax=bottom)
plt.show()
