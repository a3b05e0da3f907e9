"""Components and discriminants that follow rows as they come: the sums of all rows so far, nothing forgotten."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.bayes import LinearDiscriminantAnalysis
from assay.reduce import PCA, IncrementalPCA
from assay.tables.data import load_iris


@pytest.mark.capability("IML-6-52")
def test_rows_one_by_one_give_the_components_of_all():
    X = np.asarray(load_iris().X.values)
    online = IncrementalPCA(2).partial_fit(X[:10])
    for x in X[10:]:
        online.partial_fit(x[None])
    assert_allclose(online.components_, PCA(2).fit(X).components_, atol=1e-9)
    # Oracle: the first direction of iris
    assert_allclose(online.components_[0], [0.361387, -0.084523, 0.856671, 0.358289], atol=1e-6)


@pytest.mark.capability("IML-6-52")
def test_discriminants_of_parts_are_those_of_all():
    iris = load_iris()
    X, y = np.asarray(iris.X.values), np.asarray(iris.y)
    online = LinearDiscriminantAnalysis()
    order = np.random.default_rng(0).permutation(150)
    for rows in np.array_split(order, 6):
        online.partial_fit(X[rows], y[rows], classes=np.unique(y))
    whole = LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(np.abs(online.transform(X)), np.abs(whole.transform(X)), atol=1e-8)
