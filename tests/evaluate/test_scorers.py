"""scikit-learn's scorers on answers that were given already."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as peer
from sklearn.linear_model import LogisticRegression

from assay import compare
from assay.errors import ParameterError
from assay.evaluate.scorers import measure_of, scorer_named
from assay.metrics import Outcome
from assay.tables.data import load_breast_cancer, load_iris

OF_CLASSES = [
    "accuracy", "balanced_accuracy", "average_precision", "neg_brier_score", "f1", "f1_macro", "f1_micro",
    "f1_weighted", "neg_log_loss", "precision", "recall", "jaccard", "roc_auc", "matthews_corrcoef",
    "d2_log_loss_score", "top_k_accuracy",
]  # fmt: skip
OF_MANY = [
    "accuracy",
    "f1_macro",
    "neg_log_loss",
    "roc_auc_ovr",
    "roc_auc_ovo",
    "roc_auc_ovr_weighted",
    "neg_brier_score",
]


@pytest.mark.filterwarnings("ignore:.*result in a perfect score")  # the peer, of the two best of two classes
@pytest.mark.parametrize(("load", "names"), [(load_breast_cancer, OF_CLASSES), (load_iris, OF_MANY)])
def test_same_numbers_as_on_the_classifier_itself(load, names):
    """Peer: the scorers of scikit-learn 1.9 on the fitted classifier."""
    data = load()
    X, y = data.X.values, data.codes
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression().fit(X[::2], y[::2])
    seen = Outcome(y[1::2], model.predict(X[1::2]), model.predict_proba(X[1::2]), len(model.classes_))
    for name in names:
        told = peer.get_scorer(name)(model, X[1::2], y[1::2])
        assert_allclose(scorer_named(name).of(seen), told, rtol=1e-9, err_msg=name)


def test_no_interval_goes_beyond_what_a_score_can_be():
    names = ["f1_micro", "roc_auc_ovr", "neg_log_loss", "neg_brier_score", "matthews_corrcoef"]
    found = compare(["lda"], load_iris(), design="3-fold", metrics=names)
    assert max(found.interval("lda", m)[1] for m in names[:2]) == 1  # Student's interval would end above
    for name in names:
        low, high = found.interval("lda", name)  # also by a name that is not ours: matthews_corrcoef is mcc
        assert scorer_named(name).bounds[0] <= low < high <= scorer_named(name).bounds[1]
    assert scorer_named("neg_log_loss").bounds == (-np.inf, 0)
    assert measure_of(peer.make_scorer(peer.balanced_accuracy_score, adjusted=True)).bounds == (-np.inf, 1)
    assert scorer_named("r2").bounds == (-np.inf, 1)


def test_names_are_read_kindly_and_functions_by_their_arguments():
    assert scorer_named("Neg-Log-Loss").name == "neg_log_loss"
    assert scorer_named("no such") is None
    assert measure_of(
        peer.make_scorer(peer.log_loss, greater_is_better=False, response_method="predict_proba")
    ).name == ("neg log_loss")
    assert measure_of(peer.zero_one_loss).better == "lower"
    with pytest.raises(ParameterError, match="takes 0 arguments"):
        measure_of(lambda: 0.0)


def test_errors_that_are_not_the_fold_s_reach_the_user():
    seen = Outcome(np.array([0, 1]), np.array([0, 1]), None, 2, labels=np.array(["a", "b"]))
    with pytest.raises(ValueError, match="pos_label"):
        scorer_named("f1").of(seen)


def test_a_metric_that_cannot_weigh_rows_says_so_before_the_work():
    def share(truth, answer):
        return float(np.mean(truth == answer))

    def weighed(truth, answer, sample_weight=None):
        return float(np.average(truth == answer, weights=sample_weight))

    X, y = load_iris()
    weights = np.arange(150) % 3 + 1.0
    for metric in (share, "adjusted_rand_score"):
        with pytest.raises(ParameterError, match="does not take sample_weight"):
            compare(["lda"], X, y, design="3-fold", metrics=[metric], sample_weight=weights)
    result = compare(["lda"], X, y, design="3-fold", metrics=[weighed, "accuracy"], sample_weight=weights)
    assert_allclose(result.values("lda", "weighed"), result.values("lda", "accuracy"), rtol=1e-12)


def test_a_metric_is_found_as_it_was_asked_for():
    result = compare(["lda"], *load_iris(), design="3-fold", metrics=["log_loss", "balanced_accuracy"])
    for name in ("log_loss", "Log-Loss", "balanced_accuracy", "balanced accuracy"):
        assert np.isfinite(result.values("lda", name)).all()
