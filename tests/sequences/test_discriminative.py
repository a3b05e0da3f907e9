"""Training that maximises the posterior of the right classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import check_grad

import assay
from assay.errors import ParameterError
from assay.sequences import (
    CategoricalHMM,
    GaussianHMM,
    PoissonHMM,
    SequenceClassifier,
    Sequences,
    left_to_right,
)
from assay.sequences.discriminative import PosteriorLoss

rng = np.random.default_rng(0)


def symbols(n):
    """Two classes of which a single state model knows little: runs against turns."""
    y = np.arange(n) % 2
    parts = []
    for c in y:
        stay = rng.random(12) < (0.75 if c else 0.35)
        parts.append(np.cumsum(~stay) % 2)
    return Sequences.of(parts), y


@pytest.mark.capability("IML-15-25")
@pytest.mark.parametrize("kind", ["categorical", "gaussian", "left-to-right"])
def test_gradient_of_the_conditional_likelihood(kind):
    X, y = symbols(8)
    if kind == "gaussian":
        X = Sequences(np.column_stack([X.values, X.values]) + rng.normal(size=(96, 2)), X.offsets)
        base = GaussianHMM(2, random_state=0, n_iter=2)
    else:
        base = CategoricalHMM(3, random_state=0, n_iter=2)
        base.topology = left_to_right(3) if kind == "left-to-right" else None
    models = SequenceClassifier(base).fit(X, y).estimators_
    loss = PosteriorLoss(models, X, y, np.log([0.3, 0.7]), 0.1)
    at = loss.start + 0.1 * rng.normal(size=len(loss.start))
    error = check_grad(lambda w: loss.value_gradient(w)[0], lambda w: loss.value_gradient(w)[1], at)
    assert error < 1e-4 * np.linalg.norm(loss.value_gradient(at)[1])
    if kind == "left-to-right":
        assert (np.tril(models[0].transmat_, -1) == 0).all()


@pytest.mark.capability("IML-15-25")
def test_posteriors_of_the_right_classes_grow(tmp_path):
    X, y = symbols(120)
    base = CategoricalHMM(1, random_state=0)  # cannot know of runs: classes must share what they can
    two = CategoricalHMM(2, random_state=0, n_iter=20)
    for estimator in (base, two):
        plain = SequenceClassifier(estimator).fit(X, y)
        trained = SequenceClassifier(estimator, training="discriminative", alpha=0.01, max_iter=40).fit(X, y)
        rows = np.arange(len(y))
        before, after = (np.log(m.predict_proba(X)[rows, y]).sum() for m in (plain, trained))
        assert after > before
        objectives = [record["objective"] for record in trained.history_]
        assert objectives[-1] < objectives[0]
        assert_allclose(objectives[0], -before, rtol=1e-9)
        for model in trained.estimators_:
            assert_allclose(model.emissionprob_.sum(axis=1), 1)
    fresh, labels = symbols(100)
    assert trained.score(fresh, labels) >= plain.score(fresh, labels) - 0.03
    assay.save(trained, tmp_path / "m.assay")
    assert_allclose(assay.load(tmp_path / "m.assay").predict_proba(X), trained.predict_proba(X), rtol=0)


def test_other_models_are_refused():
    X, y = symbols(8)
    with pytest.raises(ParameterError, match="got PoissonHMM"):
        SequenceClassifier(PoissonHMM(2, random_state=0), training="discriminative").fit(X, y)
