"""Whatever the table: a posterior that sums to one and an explanation, or an error that Assay meant."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.bayes import BernoulliNB, CategoricalNB, ComplementNB, JointBayes, MultinomialNB, NaiveBayes
from assay.errors import AssayError

LEARNERS = {
    "categorical": (CategoricalNB, {}),
    "bernoulli": (BernoulliNB, {}),
    "multinomial": (MultinomialNB, {}),
    "complement": (ComplementNB, {}),
    "complement, normed": (ComplementNB, {"norm": True}),
    "naive": (NaiveBayes, {}),
    "naive, no smoothing": (NaiveBayes, {"var_smoothing": 0}),
    "joint": (JointBayes, {}),
    "joint, full": (JointBayes, {"covariance": "full"}),
    "joint, cells": (JointBayes, {"discrete": "all"}),
}
WITH_MISSING = ("categorical", "naive", "naive, no smoothing")


@st.composite
def tables(draw):
    """A few rows of small numbers, perhaps constant, tiny, huge or holey; classes; weights of 0 and 1."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    X = rng.integers(0, 3, (n, d)).astype(float) * 10.0 ** draw(st.sampled_from([0, 0, 0, 3, 12, 158, -158]))
    if draw(st.booleans()):
        X[:, 0] = X[0, 0]
    y = rng.integers(0, draw(st.integers(1, 3)), n)
    w = rng.integers(0, 2, n).astype(float) if draw(st.booleans()) else None
    with_missing = rng.random(X.shape) < draw(st.sampled_from([0.0, 0.4, 1.0]))
    return X, y, None if w is None or not w.any() else w, with_missing


@pytest.mark.filterwarnings("ignore")  # degenerate tables are warned of, each in its own test elsewhere
@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=40, deadline=None)
@given(table=tables(), alpha=st.sampled_from([0.0, 1e-300, 1.0]))
def test_every_table_has_an_answer_or_a_clear_error(name, table, alpha):
    X, y, w, with_missing = table
    if name in WITH_MISSING:
        X = np.where(with_missing, np.nan, X)
    learner, settings_ = LEARNERS[name]
    try:
        model = learner(alpha=alpha, **settings_).fit(X, y, w)
        posterior = model.predict_proba(X)
    except AssayError as error:
        assert learner.__name__ in str(error)
        return
    assert_allclose(posterior.sum(axis=1), np.ones(len(X)), rtol=1e-9)
    assert (posterior >= 0).all()
    explanation = model.explain(X[:1])
    assert explanation.answer == model.predict(X[:1])[0] and str(explanation)
