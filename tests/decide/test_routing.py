"""Groups and routed metadata in the classifiers around others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import GroupKFold

from assay.bayes import GaussianNB
from assay.decide import CalibratedClassifierCV, FixedThresholdClassifier, TunedThresholdClassifierCV

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 2))
y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
groups = rng.integers(0, 8, size=80)
weights = rng.random(80)


class Curious(ClassifierMixin, BaseEstimator):
    """Naive Bayes that notes what its fit was given."""

    seen = []

    def fit(self, X, y, sample_weight=None, colour=None):
        self.seen.append(
            (None if sample_weight is None else len(sample_weight), None if colour is None else len(colour))
        )
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


class Splitter(GroupKFold):
    """Notes its groups."""

    def split(self, X, y=None, groups=None):
        self.groups = groups
        return super().split(X, y, groups)


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("Meta", [CalibratedClassifierCV, TunedThresholdClassifierCV])
def test_groups_reach_the_splitter_and_not_a_classifier_that_does_not_know_them(Meta, routing):
    splitter = Splitter(4)
    with config_context(enable_metadata_routing=routing):
        Meta(GaussianNB(), cv=splitter).fit(X, y, groups=groups)
    assert splitter.groups is groups


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize(
    "Meta", [CalibratedClassifierCV, TunedThresholdClassifierCV, FixedThresholdClassifier]
)
def test_a_classifier_gets_what_it_asked_for(Meta, asked):
    with config_context(enable_metadata_routing=True):
        Curious.seen = []
        model = Meta(Curious().set_fit_request(sample_weight=asked, colour=True))
        if hasattr(model, "scoring"):
            model.scoring = make_scorer(balanced_accuracy_score).set_score_request(sample_weight=False)
        model.fit(X, y, sample_weight=weights, colour=groups)
    assert all((w is not None) == asked and w in (None, c) and c is not None for w, c in Curious.seen)
    assert len(Curious.seen) == {CalibratedClassifierCV: 5, FixedThresholdClassifier: 1}.get(Meta, 6)


@pytest.mark.parametrize("asked", [False, True])
def test_a_scorer_gets_the_weights_it_asked_for(asked):
    given = []

    def score(truth, answer, sample_weight=None):
        given.append(sample_weight is not None)
        return balanced_accuracy_score(truth, answer)

    with config_context(enable_metadata_routing=True):
        scoring = make_scorer(score).set_score_request(sample_weight=asked)
        classifier = GaussianNB().set_fit_request(sample_weight=True)
        TunedThresholdClassifierCV(classifier, scoring=scoring).fit(X, y, sample_weight=weights)
    assert set(given) == {asked}


def test_without_routing_all_is_as_before():
    plain = TunedThresholdClassifierCV(GaussianNB()).fit(X, y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        scoring = make_scorer(balanced_accuracy_score).set_score_request(sample_weight=True)
        routed = TunedThresholdClassifierCV(GaussianNB().set_fit_request(sample_weight=True), scoring=scoring)
        routed.fit(X, y, sample_weight=weights)
    assert_allclose(routed.best_threshold_, plain.best_threshold_)
