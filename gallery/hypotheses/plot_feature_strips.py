"""
Irises, one column at a time and two at a time
==============================================

The first 20 flowers of each species. By itself the petal width (column 4) tells the species apart best; beside the
petal length (column 3) it does so better still, while the columns of the sepal add little. A search forward around the
nearest mean finds the same: petal width, then petal length, then nothing that improves.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.bayes import NearestMean
from assay.plots import FeaturePairsDisplay, FeatureStripsDisplay, SelectionTraceDisplay
from assay.select import SubsetSelector
from assay.tables.data import load_iris

iris = load_iris()
X, y = np.asarray(iris.X), np.asarray(iris.y)
first = np.arange(150) % 50 < 20  # training rows; the others judge the subsets
names = dict(enumerate(iris.X.schema.names))
table = {name: X[first, j] for j, name in names.items()}

strips = FeatureStripsDisplay(table, y[first]).plot()
pairs = FeaturePairsDisplay(table, y[first], against=names[3]).plot()
selector = SubsetSelector(
    NearestMean(), stop="improves", cv=[(np.flatnonzero(first), np.flatnonzero(~first))], scoring="accuracy"
).fit(iris.X, iris.y)
trace = SelectionTraceDisplay.from_estimator(selector)
plt.show()
