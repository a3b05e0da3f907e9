"""
Three ways to measure how mixed two classes are
===============================================

Entropy (in bits), the Gini index and the error rate against the share p of one class. All are 0 for pure nodes and
largest for equal shares; entropy and Gini index bend, so that a split which makes one branch purer always counts,
while the error rate is straight and may see no gain at all.
"""

import matplotlib.pyplot as plt

from assay.plots import ImpurityCurvesDisplay

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
display = ImpurityCurvesDisplay.from_criteria(ax=left)
left.set_title("as they are")
ImpurityCurvesDisplay(display.p, display.curves).plot(right, scaled=True)
right.set_title("each divided by its maximum")
plt.show()
