"""A classifier's posteriors as emissions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

import assay
from assay.bayes import GaussianNB
from assay.errors import DataError, ParameterError
from assay.sequences import GaussianHMM, HybridHMM, Sequences

rng = np.random.default_rng(0)
Y = np.repeat([0, 1, 2, 0, 1], 40)
X = np.column_stack([Y == 1, Y == 2]) * 1.5 + rng.normal(size=(200, 2))


@pytest.mark.capability("IML-15-26")
def test_posterior_over_prior_is_the_likelihood_up_to_a_factor():
    # Exact posteriors of Gaussian classes: paths and marginals are those of the Gaussian HMM, whatever p(x) is.
    hybrid = HybridHMM(GaussianNB()).fit(X, Y)
    hmm = GaussianHMM(3)
    hmm.startprob_, hmm.transmat_ = hybrid.startprob_, hybrid.transmat_
    hmm.means_, hmm.covars_ = hybrid.estimator_.theta_, hybrid.estimator_.var_
    assert_array_equal(hybrid.predict(X), hmm.predict(X))
    assert_allclose(hybrid.predict_proba(X), hmm.predict_proba(X), atol=1e-9)
    assert hybrid.score(X, Y) > hybrid.estimator_.score(X, Y)


def test_chain_is_counted_and_windows_stay_within_sequences():
    parts, labels = Sequences.of([[1.0, 2.0, 3.0], [4.0, 5.0]]), [["a", "b", "b"], ["a", "a"]]
    model = HybridHMM(window=1, pseudo_count=0.0).fit(parts, labels)
    assert_allclose(model.startprob_, [1, 0])
    assert_allclose(model.transmat_, [[0.5, 0.5], [0, 1]])
    assert_array_equal(model._windows(parts), [[1, 1, 2], [1, 2, 3], [2, 3, 3], [4, 4, 5], [4, 5, 5]])


def test_any_classifier_will_do_and_models_are_stored(tmp_path):
    text = np.array(["low", "mid", "high"])[Y]
    model = HybridHMM(LogisticRegression(), window=2).fit(X, text)
    assert model.score(X, text) > 0.85
    ours = HybridHMM().fit(X, text)
    assay.save(ours, tmp_path / "m.assay")
    assert_array_equal(assay.load(tmp_path / "m.assay").predict(X), ours.predict(X))
    assert ours.explain(X[:5]).answer.split() == ours.predict(X[:5]).tolist()


def test_what_does_not_fit_is_said():
    with pytest.raises(DataError, match="200 rows in all and y 3 labels"):
        HybridHMM().fit(X, [0, 1, 2])
    with pytest.raises(ParameterError, match="predict_proba"):
        HybridHMM(3).fit(X, Y)
    with pytest.raises(DataError, match="categories"):
        HybridHMM(window=1).fit([["a", "b"]], [[0, 1]])
