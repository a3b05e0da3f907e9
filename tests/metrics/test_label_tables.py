"""Measures of rows with several labels."""

import numpy as np
import pytest
import sklearn.metrics as peers
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import assay.metrics as ours

rng = np.random.default_rng(0)
truth = rng.integers(0, 2, size=(30, 4))
answer = np.where(rng.random(truth.shape) < 0.8, truth, 1 - truth)
scores = np.clip(answer + rng.normal(0, 0.3, size=truth.shape), 0, 1)
weights = rng.random(30)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples"])
@pytest.mark.parametrize("name", ["precision_score", "recall_score", "f1_score", "jaccard_score"])
def test_rates_of_label_tables(name, average):
    settings = {"average": average, "sample_weight": weights, "zero_division": 0}
    expected = getattr(peers, name)(truth, answer, **settings)
    for form in (np.asarray, csr_array, np.ndarray.tolist):
        assert_allclose(getattr(ours, name)(form(truth), form(answer), **settings), expected)


def test_all_labels_of_a_row_must_be_right():
    """Oracle: the share of rows without a difference."""
    share = (truth == answer).all(axis=1).mean()
    assert ours.accuracy_score(truth, answer) == share
    assert_allclose(ours.zero_one_loss(truth, answer), 1 - share)


def test_areas_are_means_over_the_labels():
    each = [ours.roc_auc_score(truth[:, k], scores[:, k]) for k in range(4)]
    assert_allclose(ours.roc_auc_score(truth, scores), np.mean(each))
    each = [ours.average_precision_score(truth[:, k], scores[:, k]) for k in range(4)]
    assert_allclose(ours.average_precision_score(truth, scores), np.mean(each))


def test_log_loss_knows_its_former_parameter():
    y, p = [0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]]
    with pytest.warns(FutureWarning, match="renamed"):
        assert ours.log_loss(y, y_pred=p) == ours.log_loss(y, p)
    with pytest.raises(ValueError, match="former name"):
        ours.log_loss(y, p, y_pred=p)
    with pytest.raises(ValueError, match="missing"):
        ours.log_loss(y)


def test_complex_weights_are_refused():
    with pytest.raises(ValueError, match="Complex"):
        ours.accuracy_score([0, 1], [0, 1], sample_weight=np.array([1 + 2j, 1]))
