"""
A tree beside the partition that it makes
=========================================

Points on a grid in the unit square; class C2 where both coordinates are above one half. The tree needs two tests and
three leaves: the side that is pure after the first test is not split again. Its leaves are boxes, and the rules of
class C1 together are one disjunction.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from assay.plots import PartitionDisplay, TreeDisplay
from assay.trees import TextbookTreeClassifier

side = (np.arange(20) + 0.5) / 20
x1, x2 = (a.ravel() for a in np.meshgrid(side, side))
X = pd.DataFrame({"x1": x1, "x2": x2})
y = np.where((x1 > 0.5) & (x2 > 0.5), "C2", "C1")
model = TextbookTreeClassifier().fit(X, y)
print(model)
print(model.rules().disjunctions())

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
PartitionDisplay.from_estimator(model, X, y, ax=left)
left.legend(loc="lower left")
TreeDisplay.from_estimator(model, ax=right)
plt.show()
