"""Classifiers that are networks."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.bayes import CategoricalNB, NaiveBayes
from assay.errors import DataError
from assay.graphs import (
    AODEClassifier,
    BayesianNetwork,
    BayesianNetworkClassifier,
    KDBClassifier,
    Node,
    TANClassifier,
)
from assay.graphs.classifiers.intervals import ValueCounts
from assay.graphs.classifiers.pair_counts import pair_counts


def drawn(n=400, seed=0, gaps=0.0):
    """Four columns of categories, of which b and c depend on a besides the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    a = (y + rng.integers(0, 2, n)) % 3
    b = np.where(rng.random(n) < 0.8, a, rng.integers(0, 3, n))
    c = (a + y + (rng.random(n) < 0.2)) % 2
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.integers(0, 4, n)}).astype(str)
    if gaps:
        frame = frame.mask(rng.random(frame.shape) < gaps)
    return frame, np.array(["u", "v", "w"])[y]


@pytest.mark.capability("IML-14-09")
def test_naive_bayes_is_a_network():
    """Each column below the class: the network's posterior is that of the naive Bayes classifier."""
    X, y = drawn(60)
    nb = CategoricalNB(alpha=1).fit(X, y)
    network = BayesianNetwork(
        [
            Node("class", list(nb.classes_), np.exp(nb.class_log_prior_)),
            *(
                Node(c.name, list(c.categories), np.exp(nb.feature_log_prob_[j]), ["class"])
                for j, c in enumerate(nb.schema_)
            ),
        ]
    )
    assert_allclose(network.posterior("class", X), nb.predict_proba(X), atol=1e-12)
    # with a pseudo-count in every table, that of the class included
    smoothed = np.log((nb.class_count_ + 1) / (nb.class_count_.sum() + 3))
    joint = np.exp(nb.predict_joint_log_proba(X) - nb.class_log_prior_ + smoothed)
    assert_allclose(np.exp(KDBClassifier(k=0).fit(X, y).predict_joint_log_proba(X)), joint, rtol=1e-10)
    # a mixture is the same network with a hidden class: the E step is its posterior
    hidden = BayesianNetwork(
        [Node("z", [0, 1], [0.4, 0.6]), Node("x", [0, 1], [[0.9, 0.1], [0.3, 0.7]], ["z"])]
    )
    assert_allclose(hidden.posterior("z", {"x": [1]})[0], np.array([0.04, 0.42]) / 0.46, rtol=1e-12)


def test_tan_takes_the_tree_of_most_conditional_information():
    frame, y = drawn(2000)
    model = TANClassifier().fit(frame, y)
    parents = {n.name: set(n.parents) for n in model.network_.nodes}
    assert parents["b"] == {"class", "a"} and parents["c"] == {"class", "a"}
    naive = NaiveBayes().fit(frame, y).score(frame, y)
    assert model.score(frame, y) > naive + 0.02


def test_conditional_information_by_the_definition():
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 3, (80, 3)), rng.integers(0, 2, 80)
    codes[::7, 1] = -1
    ours = pair_counts(codes, y, None, 2, np.array([3, 3, 3]), "test").conditional_information()
    both = (codes[:, 0] >= 0) & (codes[:, 1] >= 0)
    joint = np.zeros((2, 3, 3))
    np.add.at(joint, (y[both], codes[both, 0], codes[both, 1]), 1)
    joint /= joint.sum()
    value = 0.0
    for k in range(2):
        for a in range(3):
            for b in range(3):
                p = joint[k, a, b]
                if p:
                    value += p * np.log(p * joint[k].sum() / (joint[k, a].sum() * joint[k, :, b].sum()))
    assert_allclose(ours[0, 1], value, rtol=1e-10)
    assert_allclose(ours, ours.T, atol=1e-12)


@pytest.mark.parametrize("learner", [TANClassifier(), KDBClassifier(2), BayesianNetworkClassifier("tabu")])
def test_missing_values_are_summed_out(learner):
    """The posterior of a row with gaps is that of the network by enumeration."""
    frame, y = drawn(500, gaps=0.1)
    model = learner.fit(frame, y)
    posterior = model.predict_proba(frame[:30])
    for i in range(30):
        evidence = {k: v for k, v in frame.iloc[i].items() if isinstance(v, str)}
        direct = model.network_.query("class", evidence, method="enumeration").probabilities
        assert_allclose(posterior[i], direct, atol=1e-10)


def test_aode_by_the_definition():
    frame, y = drawn(200)
    model = AODEClassifier(alpha=1).fit(frame, y)
    codes = np.stack([frame[c].astype(int) for c in frame], axis=1)
    labels = np.searchsorted(model.classes_, y)
    cards = [3, 3, 2, 4]
    n = len(y)
    for row in codes[:8]:
        joint = np.zeros(3)
        for k in range(3):
            for j in range(4):
                same = (labels == k) & (codes[:, j] == row[j])
                p = (same.sum() + 1) / (n + 3 * cards[j])
                for i in range(4):
                    if i != j:
                        p *= ((codes[same, i] == row[i]).sum() + 1) / (same.sum() + cards[i])
                joint[k] += p / 4
        table = pd.DataFrame([dict(zip(frame.columns, map(str, row)))])
        assert_allclose(np.exp(model.predict_joint_log_proba(table)[0]), joint, rtol=1e-10)
    unseen = AODEClassifier(min_count=1000).fit(frame, y)
    assert np.isfinite(unseen.predict_joint_log_proba(frame)).all()  # no parent: naive Bayes


@pytest.mark.parametrize("cls", [TANClassifier, KDBClassifier, AODEClassifier])
def test_blocks_give_the_same_model(cls):
    frame, y = drawn(300)
    frame["number"] = np.random.default_rng(0).normal(size=300) + (y == "u")
    whole = cls().fit(frame, y)
    table = frame.assign(y=y)
    blocks = cls().fit_blocks([table[:120], table[120:]], target="y")
    assert_allclose(blocks.predict_proba(frame), whole.predict_proba(frame), rtol=1e-12)


def test_many_distinct_numbers_are_gathered():
    a = ValueCounts([np.array([1.0, 2.0])], [np.array([[1.0, 0.0], [0.0, 1.0]])])
    both = a + ValueCounts([np.array([2.0, 3.0])], [np.array([[1.0, 0.0], [0.0, 2.0]])])
    assert both.values[0].tolist() == [1, 2, 3]
    assert both.weights[0].tolist() == [[1, 0], [1, 1], [0, 2]]


def test_structure_and_explanation():
    frame, y = drawn(1500)
    model = BayesianNetworkClassifier(criterion="bdeu").fit(frame, y)
    blanket = model.network_.graph.markov_blanket("class")
    assert "a" in blanket and "d" not in blanket
    text = str(TANClassifier().fit(frame, y).explain(frame[:1]))
    assert "b | a" in text and "Joint" in text
    augmented = BayesianNetworkClassifier(augmented=True).fit(frame, y)
    assert all("class" in n.parents for n in augmented.network_.nodes[1:])


def test_too_many_states_are_refused_in_a_sentence():
    frame = pd.DataFrame({"id": [f"row {i}" for i in range(40_000)]})
    y = np.arange(40_000) % 2
    with pytest.raises(DataError, match="GiB"):
        TANClassifier().fit(frame, y)
    with pytest.raises(DataError, match="at most 256"):
        BayesianNetworkClassifier().fit(frame[:600], y[:600])
