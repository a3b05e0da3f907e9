"""Classes of whole sequences."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from tests.sequences.urns import urns

import assay
from assay import compare
from assay.bayes import NaiveBayes
from assay.decide import DecisionRule
from assay.ensembles import StackingClassifier, VotingClassifier
from assay.errors import DataError, DegenerateError, ParameterError
from assay.sequences import (
    CategoricalHMM,
    GaussianHMM,
    LinearDynamicalSystem,
    MarkovChain,
    SequenceClassifier,
    Sequences,
)
from assay.tuning import Tuned, Whole, nested

rng = np.random.default_rng(0)


def two_urns():
    other = CategoricalHMM(3)
    other.startprob_, other.transmat_ = np.full(3, 1 / 3), np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    other.emissionprob_ = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]])
    return [urns(), other]


def waves(n, length=20):
    """Sequences that swing slowly or quickly: equal in every summary of their values."""
    y = np.arange(n) % 2
    turns = np.where(y == 0, 0.3, 1.2)
    start = rng.uniform(0, 6, n)
    parts = [
        np.sin(s + w * np.arange(length))[:, None] + 0.1 * rng.normal(size=(length, 1))
        for s, w in zip(start, turns)
    ]
    return Sequences.of(parts), np.array(["slow", "quick"])[y]


@pytest.mark.capability("IML-15-24")
def test_posteriors_of_two_models():
    # Oracle: IML 15.10.
    model = SequenceClassifier.of(two_urns(), ["urns", "other"])
    posterior = model.predict_proba([[0, 0, 2, 1, 3], [0, 0, 0, 1, 1], [2, 2, 2, 2, 3]])
    assert_allclose(posterior[:, 0], [0.56460673, 0.26187879, 0.99462417], atol=5e-9)
    likelihoods = np.array(
        [
            [np.exp(urn.score([sequence])) for urn in two_urns()]
            for sequence in ([0, 0, 2, 1, 3], [0, 0, 0, 1, 1], [2, 2, 2, 2, 3])
        ]
    )
    expected = [[0.0007938592, 0.00061218], [0.0017425562, 0.0049115], [0.0055505328, 0.00003]]
    assert_allclose(likelihoods, expected, rtol=1e-7)
    tilted = SequenceClassifier.of(two_urns(), ["urns", "other"], priors=[0.25, 0.75])
    assert_allclose(tilted.predict_proba([[0, 0, 2, 1, 3]])[0, 0], 0.30180179, atol=5e-9)
    assert model.predict([[2, 2, 2, 2, 3]]) == ["urns"]


@pytest.mark.capability("IML-15-24")
def test_it_takes_part_in_compare():
    X, y = waves(40)
    learner = SequenceClassifier(GaussianHMM(4, random_state=0))
    result = compare([learner, "naive bayes"], X, y, design="2-fold")
    errors = {r["learner"]: [] for r in result.records}
    for record in result.records:
        if record["metric"] == "error":
            errors[record["learner"]].append(record["value"])
    names = sorted(errors, key=lambda name: np.mean(errors[name]))
    assert names[0].startswith("SequenceClassifier") and np.mean(errors[names[0]]) < 0.15


def test_any_model_with_likelihoods_will_do():
    X, y = waves(20)
    model = SequenceClassifier(LinearDynamicalSystem(2)).fit(X, y)
    assert model.score(X, y) > 0.9
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-12)


def test_chains_that_can_be_seen_tell_classes_apart():
    """Oracle: the posterior by hand. The second class has a state that the first does not have."""
    words, y = [list("abab"), list("baba"), list("aabb"), list("bbac")], [0, 0, 1, 1]
    chain = MarkovChain(pseudo_count=1)
    model = SequenceClassifier(chain).fit(words, y)
    first, second = (m.transmat_ for m in model.estimators_)
    assert first.shape == second.shape == (3, 3)
    assert_allclose([m.startprob_[0] for m in model.estimators_], [2 / 5, 2 / 5])
    assert_allclose([first[0, 1], second[0, 1]], [4 / 6, 2 / 6])
    logs = [m.log_probability([list("ab")])[0] for m in model.estimators_]
    posterior = np.exp(logs) / np.exp(logs).sum()
    assert_allclose(model.predict_proba([list("ab")])[0], posterior, rtol=1e-12)
    assert_array_equal(model.predict([list("ababab"), list("aabbc")]), [0, 1])
    numbers = SequenceClassifier(MarkovChain(pseudo_count=1)).fit([[0, 1], [1, 0], [2, 2], [2, 2]], y)
    with pytest.raises(DataError, match="n_states says how many"):
        numbers.predict([[0, 1]])


@pytest.mark.parametrize("model", [GaussianHMM(2, random_state=0), MarkovChain(pseudo_count=1, n_states=2)])
def test_weights_of_sequences_are_copies(model):
    X, y = waves(12)
    if isinstance(model, MarkovChain):
        X = Sequences((X.values > 0).astype(float), X.offsets)
    w = np.array([1.0, 2.0, 3.0, 1.0] * 3)
    weighed = SequenceClassifier(model).fit(X, y, sample_weight=w)
    copies = np.repeat(np.arange(12), w.astype(int))
    repeated = SequenceClassifier(model).fit(X.take(copies), y[copies])
    assert_allclose(weighed.class_prior_, repeated.class_prior_)
    if isinstance(model, MarkovChain):
        assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X))
    for wrong, words in ((-w, "Negative"), (np.where(y == "slow", 0.0, 1.0), "class slow have weight 0")):
        with pytest.raises(DataError, match=words):
            SequenceClassifier(model).fit(X, y, sample_weight=wrong)
    with pytest.raises(ParameterError, match="LinearDynamicalSystem takes no sample_weight"):
        SequenceClassifier(LinearDynamicalSystem(1)).fit(X, y, sample_weight=w)


def test_the_explanation_follows_the_rows():
    model = SequenceClassifier.of(two_urns(), ["urns", "other"])
    explanation = model.explain([[0, 0, 2, 1, 3]])
    assert explanation.answer == "urns"
    assert_allclose(np.exp(explanation.sections[1].rows[-1][1]), 0.0007938592, rtol=1e-9)
    assert "urns" in str(explanation)


def test_priors_clones_pickles_and_storage(tmp_path):
    X, y = waves(12)
    model = SequenceClassifier(GaussianHMM(2, random_state=0), priors=[0.9, 0.1]).fit(X, y)
    assert_allclose(model.class_prior_, [0.9, 0.1])
    assay.save(model, tmp_path / "model.assay")
    for again in (pickle.loads(pickle.dumps(model)), assay.load(tmp_path / "model.assay")):
        assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert not hasattr(clone(model), "classes_")
    with pytest.raises(DataError, match="2 classes and 3 priors"):
        SequenceClassifier(priors=[0.2, 0.3, 0.5]).fit(X, y)
    with pytest.raises(DataError):
        SequenceClassifier().fit(X, y[:-1])
    impossible = SequenceClassifier.of([urns(), urns()], ["a", "b"])
    for each in impossible.estimators_:
        each.emissionprob_ = np.eye(3, 4)
    with (
        pytest.raises(DegenerateError, match="sequence 0 is impossible"),
        pytest.warns(UserWarning, match="row 1"),
    ):
        impossible.predict([[0, 3]])


def test_compare_knows_it_by_name_and_says_what_a_plain_table_lacks():
    X, y = waves(20)
    assert compare(["sequence classifier"], X, y, design="2-fold").failures == {}
    table = np.random.default_rng(1).normal(size=(20, 2))
    failures = compare(["sequence classifier", "naive bayes"], table, y, design="2-fold").failures
    assert "expected a label for each sequence" in failures["sequence classifier"]
    with pytest.raises(ParameterError, match="a sequence model"):
        compare(["gaussian hmm"], X, y)


def test_categories_are_taken_without_a_word():
    """The classes differ in how often each symbol occurs, and one class lacks a symbol altogether."""
    draw = np.random.default_rng(0)
    X = [draw.choice(list("aab" if s % 2 else "abbc"), 12)[:, None] for s in range(40)]
    y = np.arange(40) % 2
    model = SequenceClassifier().fit(X[:30], y[:30])
    assert (model.predict(X[30:]) == y[30:]).mean() >= 0.8
    assert np.isfinite(model.predict_proba(X)).all()


def test_searches_committees_and_decisions_take_whole_sequences(tmp_path):
    """Learners of plain tables among the members see a line for each sequence."""
    X, y = waves(40)
    base = SequenceClassifier(GaussianHMM(random_state=0))
    tuned = Tuned(base, {"estimator__n_components": Whole(1, 4)}, "2-fold", n_iter=3, random_state=0).fit(
        X, y
    )
    chosen = clone(base).set_params(**tuned.best_params_).fit(X, y)
    assert_array_equal(tuned.predict(X), chosen.predict(X))
    assert str(tuned.explain(X[[0]])) == str(chosen.explain(X[[0]]))
    assay.save(tuned, tmp_path / "tuned.assay")
    assert_array_equal(assay.load(tmp_path / "tuned.assay").predict_proba(X), tuned.predict_proba(X))
    result = nested(base, {"estimator__n_components": [1, 4]}, X, y, outer="2-fold", inner="2-fold")
    assert result.mean < 0.2 and all(c == {"estimator__n_components": 4} for c in result.chosen)
    four = SequenceClassifier(GaussianHMM(4, random_state=0))
    members = [("chain", four), ("lines", NaiveBayes())]
    candidates = {
        "vote": VotingClassifier(members, voting="soft"),
        "stack": StackingClassifier(members, cv=2),
        "rule": DecisionRule(four, loss={("slow", "quick"): 5}),
    }
    compared = compare(candidates, X, y, design="2-fold")
    assert compared.failures == {}
    assert {s.learner for s in compared.ranking() if s.mean < 0.2} == set(candidates)
