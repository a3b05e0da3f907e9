"""Data that leave no room for the mathematics: every classifier answers with finite posteriors, or refuses in words.

The outcomes are those of docs/awkward.md.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import assay.bayes
from assay.core import Classifier
from assay.errors import AssayError, DataError

COUNTS = ("BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB")
LEARNERS = {
    name: getattr(assay.bayes, name)
    for name in assay.bayes.__all__
    if isinstance(getattr(assay.bayes, name), type) and issubclass(getattr(assay.bayes, name), Classifier)
}

Y = np.repeat(["a", "b"], 15)
NUMBERS = np.random.default_rng(0).normal(size=(30, 3)) + 2 * (Y == "b")[:, None]


def flat(X):
    """Without variance in the first column of the first class."""
    X = X.copy()
    X[:15, 0] = 1.0
    return X


def empty(X):
    X = X.copy()
    X[:, 1] = np.nan
    return X


CASES = {
    "collinear": lambda X: (np.column_stack([X, X[:, 0]]), Y),
    "constant": lambda X: (np.column_stack([X, np.ones(30)]), Y),
    "one row": lambda X: (X, np.array(["a"] * 29 + ["b"])),
    "no variance": lambda X: (flat(X), Y),
    "no value": lambda X: (empty(X), Y),
    "one class": lambda X: (X, np.array(["a"] * 30)),
}

# Who refuses what, and the words of the refusal; all others answer.
REFUSE = {
    ("QuadraticDiscriminantAnalysis", "collinear"): r"class a is not full rank \(rank 3 of 4\)",
    ("QuadraticDiscriminantAnalysis", "constant"): r"class a is not full rank \(rank 3 of 4\)",
    ("QuadraticDiscriminantAnalysis", "one row"): "only 1 sample in class b",
    ("QuadraticDiscriminantAnalysis", "no variance"): r"class a is not full rank \(rank 2 of 3\)",
    ("QuadraticDiscriminantAnalysis", "one class"): "greater than one. Got 1 class",
    ("FisherDiscriminant", "one class"): "separates two classes, y has 1 class",
    **{
        (name, "no value"): "column x1 has 30 missing values .* Prepared\\("
        for name in LEARNERS
        if name not in ("NaiveBayes", "CategoricalNB")
    },
}


def rows(name):
    return (NUMBERS > 1).astype(float) if name in COUNTS else NUMBERS


@pytest.mark.filterwarnings("ignore::assay.errors.DegenerateWarning")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", LEARNERS)
def test_an_answer_or_a_refusal_in_words(name, case):
    X, y = CASES[case](rows(name))
    if (name, case) in REFUSE:
        with pytest.raises(AssayError, match=rf"{name}.*{REFUSE[name, case]}"):
            LEARNERS[name]().fit(X, y)
        return
    model = LEARNERS[name]().fit(X, y)
    if hasattr(model, "predict_proba"):
        posterior = model.predict_proba(X)
        assert_allclose(posterior.sum(axis=1), 1, rtol=1e-12)
        assert (posterior >= 0).all()
    else:
        assert np.isfinite(model.decision_function(X)).all()
    assert set(model.predict(X)) <= set(y)


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "GaussianClassifierCV"])
def test_rows_of_weight_zero_are_not_there(name):
    """GaussianClassifierCV deals its folds by the rows, weighted or not, so it is another model without them.

    The tolerance is for var_smoothing, 1e-9 of the largest variance over all rows, as in scikit-learn.
    """
    X, keep = rows(name), np.random.default_rng(1).permutation(30) < 20
    weighted = LEARNERS[name]().fit(X, Y, keep.astype(float))
    without = LEARNERS[name]().fit(X[keep], Y[keep])
    text = "predict_proba" if hasattr(weighted, "predict_proba") else "decision_function"
    assert_allclose(getattr(weighted, text)(X), getattr(without, text)(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", LEARNERS)
def test_weights_that_are_all_zero_leave_nothing_to_learn_from(name):
    with pytest.raises(DataError, match="Sample weights must contain at least one non-zero number"):
        LEARNERS[name]().fit(rows(name), Y, np.zeros(30))
