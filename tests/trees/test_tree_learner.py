"""What all learners with one tree do alike."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from assay.trees.c45_classifier import C45Classifier
from assay.trees.cart_classifier import CARTClassifier
from assay.trees.cart_regressor import CARTRegressor
from assay.trees.decision_tree_classifier import DecisionTreeClassifier
from assay.trees.id3_classifier import ID3Classifier
from assay.trees.textbook_tree_classifier import TextbookTreeClassifier
from assay.trees.textbook_tree_regressor import TextbookTreeRegressor

LEARNERS = [
    C45Classifier(),
    C45Classifier(pruning="reduced-error", random_state=0),
    CARTClassifier(cv=3, random_state=0),
    CARTRegressor(cv=3, random_state=0),
    DecisionTreeClassifier(missing="spread"),
    ID3Classifier(),
    TextbookTreeClassifier(),
    TextbookTreeRegressor(min_share=0.1),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_dense_sparse_and_frame_grow_the_same_tree(learner):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (120, 5)) * (rng.random((120, 5)) < 0.4).astype(float)
    y = (X[:, 0] + X[:, 1] > 2).astype(int) + (X[:, 2] > 2)
    first = learner.fit(X, y)
    tree, answers, leaves = first.tree_, first.predict(X), first.apply(X)
    for other in (sp.csr_matrix(X), sp.csc_array(X), pd.DataFrame(X, columns=list("abcde"))):
        model = learner.fit(other, y)
        assert_array_equal(model.tree_.feature, tree.feature)
        assert_array_equal(model.tree_.threshold, tree.threshold)
        assert_array_equal(model.predict(other), answers)
        assert_array_equal(model.apply(other), leaves)
        assert model.explain(other[:1]).answer == answers[0]
