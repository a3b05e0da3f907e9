"""The answers of two learners on the breast cancer table, split as in C3 3.3 (code 1 is benign)."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.tables.data import load_breast_cancer
from assay.trees.decision_tree_classifier import DecisionTreeClassifier


@pytest.fixture(scope="session")
def cancer():
    data = load_breast_cancer()
    X, y = data.X.values, data.codes
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    train, test = train_test_split(np.arange(569), test_size=0.2, random_state=2020)
    model = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(Z[train], y[train])
    tree = DecisionTreeClassifier(criterion="entropy").fit(Z[train], y[train])
    return SimpleNamespace(
        truth=y[test],
        score=model.predict_proba(Z[test])[:, 1],
        logistic=model.predict(Z[test]),
        tree=tree.predict(Z[test]),
    )
