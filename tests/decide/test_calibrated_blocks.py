"""Calibration from blocks: folds by the numbers of the rows, the same however they are cut."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.bayes import GaussianNB, NaiveBayes
from assay.decide import CalibratedClassifierCV, calibrated_classifier
from assay.errors import DataError, ParameterError
from assay.linear import LogisticRegression
from assay.trees import C45Classifier

rng = np.random.default_rng(0)
N = 1500
Y = rng.integers(0, 3, N)
X = np.repeat(rng.normal(size=(N, 2)) + Y[:, None], 3, axis=1)  # copies of columns make naive Bayes too sure


def parts(cuts, y=Y):
    return [(X[a:b], y[a:b]) for a, b in zip([0, *cuts], [*cuts, N])]


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature", "softmax", "venn_abers"])
@pytest.mark.parametrize("ensemble", [True, False])
def test_the_cut_does_not_matter_and_probabilities_become_honest(method, ensemble):
    models = [
        CalibratedClassifierCV(GaussianNB(), method=method, cv=3, ensemble=ensemble).fit_blocks(parts(cuts))
        for cuts in ([], [10, 700, 701])
    ]
    assert_allclose(models[0].predict_proba(X), models[1].predict_proba(X), atol=1e-9)
    assert len(models[0].calibrated_classifiers_) == (3 if ensemble else 1)
    memory = CalibratedClassifierCV(GaussianNB(), method=method, cv=3, ensemble=ensemble).fit(X, Y)
    assert np.abs(models[0].predict_proba(X) - memory.predict_proba(X)).mean() < 0.02
    raw = GaussianNB().fit(X, Y)
    loss = [-np.log(np.maximum(m.predict_proba(X)[np.arange(N), Y], 1e-9)).mean() for m in (models[0], raw)]
    assert loss[0] < loss[1]


def test_a_fold_is_left_out_of_its_classifier():
    """The classifier of fold 0 is that of the rows outside of fold 0, by the rows themselves."""
    from assay.core.sums import Block

    fold = calibrated_classifier._fold_of(Block(X), 4)
    assert (np.bincount(fold) > N / 4 * 0.85).all()
    model = CalibratedClassifierCV(GaussianNB(var_smoothing=0), cv=4).fit_blocks(parts([400]))
    for f, pair in enumerate(model.calibrated_classifiers_):
        expected = GaussianNB(var_smoothing=0).fit(X[fold != f], Y[fold != f])
        assert_allclose(pair.estimator.theta_, expected.theta_, rtol=1e-10)
        assert_allclose(pair.estimator.var_, expected.var_, rtol=1e-10)


def test_of_many_rows_calibrators_learn_from_a_sample(monkeypatch):
    monkeypatch.setattr(calibrated_classifier, "CALIBRATION_ROWS", 300)
    models = [CalibratedClassifierCV(GaussianNB(), cv=2).fit_blocks(parts(cuts)) for cuts in ([], [800])]
    assert_allclose(models[0].predict_proba(X), models[1].predict_proba(X), atol=1e-9)


def test_a_classifier_that_came_fitted_is_calibrated_on_all_blocks():
    fitted = GaussianNB().fit(X[:500], Y[:500])
    streamed = CalibratedClassifierCV(fitted, cv="prefit").fit_blocks(parts([600]))
    memory = CalibratedClassifierCV(fitted, cv="prefit").fit(X, Y)
    assert_allclose(streamed.predict_proba(X), memory.predict_proba(X), atol=1e-9)


def test_weights_of_rows_count_in_both_parts():
    w = rng.integers(1, 3, N).astype(float)
    blocks = [(X[:700], Y[:700], w[:700]), (X[700:], Y[700:], w[700:])]
    weighted = CalibratedClassifierCV(LogisticRegression(), cv=2).fit_blocks(blocks)
    plain = CalibratedClassifierCV(LogisticRegression(), cv=2).fit_blocks(parts([700]))
    assert 1e-6 < np.abs(weighted.predict_proba(X) - plain.predict_proba(X)).max() < 0.1


def test_what_cannot_be_calibrated_is_a_sentence():
    with pytest.raises(DataError, match="C45Classifier needs all rows in memory"):
        CalibratedClassifierCV(C45Classifier()).fit_blocks(parts([]))
    with pytest.raises(ParameterError, match=r"cv must be a number of folds from 2 up.*got 1"):
        CalibratedClassifierCV(NaiveBayes(), cv=1).fit_blocks(parts([]))
    with pytest.raises(DataError, match="nothing to calibrate"):
        CalibratedClassifierCV(NaiveBayes()).fit_blocks(parts([], np.zeros(N, int)))
    rare = np.where(np.arange(N) == 5, 2, Y % 2)
    with pytest.raises(DataError, match=r"fold \d lack the class 2. Use fewer folds, or ensemble=False"):
        CalibratedClassifierCV(NaiveBayes()).fit_blocks(parts([], rare))
    with pytest.raises(DataError, match="From blocks they must be the same"):
        CalibratedClassifierCV(NaiveBayes().fit(X, Y), cv="prefit").fit_blocks(parts([], Y % 2))
