"""Ridge classifiers of rows with several labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model as peers
from sklearn.datasets import make_multilabel_classification

import assay
from assay.errors import DataError
from assay.linear import RidgeClassifier, RidgeClassifierCV
from assay.linear.discriminants.label_table import has_labels

X, Y = make_multilabel_classification(n_classes=4, random_state=0)
weights = np.random.default_rng(0).random(len(Y))


@pytest.mark.parametrize("settings", [{}, {"class_weight": "balanced"}])
@pytest.mark.parametrize("name", ["RidgeClassifier", "RidgeClassifierCV"])
def test_same_scores_as_scikit_learn(name, settings):
    """Peers: the classes of these names, scikit-learn 1.9; not compared: RidgeClassifierCV with ``class_weight``."""
    if name == "RidgeClassifierCV" and settings:
        settings = {"cv": 3}
    ours = getattr(assay.linear, name)(**settings).fit(X, Y, sample_weight=weights)
    peer = getattr(peers, name)(**settings).fit(X, Y, sample_weight=weights)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-12)
    assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-12)
    assert_array_equal(ours.predict(X), peer.predict(X))
    assert ours.predict(X).shape == Y.shape and ours.classes_.tolist() == [0, 1, 2, 3]


def test_a_column_is_the_label_learned_alone():
    together = RidgeClassifier().fit(X, Y)
    for k in range(Y.shape[1]):
        alone = RidgeClassifier().fit(X, Y[:, k])
        assert_allclose(together.coef_[k], alone.coef_, atol=1e-12)
        assert_array_equal(together.predict(X)[:, k], alone.predict(X))


def test_left_out_labels_are_judged_by_the_scorer():
    """Oracle: leave-one-out by refitting, the share of rows with all labels right."""
    alphas = [0.1, 100.0]
    model = RidgeClassifierCV(alphas=alphas, scoring="accuracy", store_cv_results=True).fit(X, Y)

    def exact(alpha):
        rows = np.arange(len(X))
        left_out = [
            RidgeClassifier(alpha=alpha).fit(X[rows != i], Y[rows != i]).predict(X[[i]])[0] for i in rows
        ]
        return np.mean((np.array(left_out) == Y).all(axis=1))

    assert model.best_score_ == max(exact(alpha) for alpha in alphas)
    assert model.cv_results_.shape == (len(X), 4, 2)


def test_a_model_of_labels_survives_its_file_and_a_refit_on_classes(tmp_path):
    model = RidgeClassifier().fit(X, Y)
    assay.save(model, tmp_path / "labels.assay")
    assert_array_equal(assay.load(tmp_path / "labels.assay").predict(X), model.predict(X))
    with pytest.raises(ValueError, match="one class a row"):
        model.explain(X[:1])
    assert model.fit(X, Y[:, 0]).predict(X).shape == (len(X),)


def test_what_is_a_table_of_labels():
    assert has_labels(Y) and has_labels(Y.tolist())
    assert (
        not has_labels(Y[:, 0]) and not has_labels(["a", "b"]) and not has_labels(np.array([["a", "b"]] * 3))
    )
    assert not has_labels(np.array([[0.5, 1.0], [0.0, 1.0]]))


@pytest.mark.parametrize("learner", [RidgeClassifier, RidgeClassifierCV])
def test_errors_name_the_classifier_and_not_the_regressor_inside(learner):
    with_gap = X.copy()
    with_gap[3, 1] = np.nan
    name = learner.__name__
    with pytest.raises(DataError, match=rf"^{name}: column x1 .* Prepared\({name}\(\)\)"):
        learner().fit(with_gap, Y)
    with pytest.raises(DataError, match=f"^{name}: X has 5 rows and y has {len(Y)}"):
        learner().fit(X[:5], Y)
    for other in (Y + np.arange(len(Y))[:, None] % 3, Y + 0.5 * X[:, :4], np.where(Y, "yes", "no")):
        with pytest.raises(
            DataError, match=f"^{name}: y should be a 1d array of classes, or a table of labels"
        ):
            learner().fit(X, other)


def test_the_view_of_a_model_of_labels_speaks_of_labels():
    view = RidgeClassifier().fit(X, Y).show()
    assert view.facts[0] == "Says of each of 4 labels whether a row has it."
    assert view.parts[0].columns == ["column", "label 0", "label 1", "label 2", "label 3"]
