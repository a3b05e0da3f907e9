"""
Rows and columns in one picture
===============================

A biplot shows the rows in two principal components and, as arrows, what the columns add to these. Petal length and
width point the same way, so they rise together; sepal width stands almost at a right angle to them.
"""

import matplotlib.pyplot as plt

from assay.plots import BiplotDisplay
from assay.reduce import PCA
from assay.tables.data import load_iris

iris = load_iris()
pca = PCA(standardize=True).fit(iris.X)
BiplotDisplay.from_estimator(pca, iris.X, iris.y)
plt.show()
