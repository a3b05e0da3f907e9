"""Strips of rows sorted by score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.bayes import GaussianNB
from assay.errors import DataError
from assay.evaluate import compare
from assay.plots.rank_strip_display import RankStripDisplay, ranked_truth
from assay.tables.data import load_breast_cancer

# Oracle: IML 19.7, ten scores with labels 1 1 0 1 1 0 1 0 0 0 from the highest to the lowest.
SCORES = np.array([0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.1])
TRUTH = np.array([1, 1, 0, 1, 1, 0, 1, 0, 0, 0])


@pytest.mark.capability("C3-58")
def test_ideal_and_realistic_strips():
    """C3 figure 3-19: (a) all positives before all negatives; (b) positives and negatives mixed."""
    mixed = np.random.default_rng(0).permutation(10)
    display = RankStripDisplay.from_predictions(TRUTH[mixed], SCORES[mixed], name="realistic")
    assert list(display.strips) == ["ideal", "realistic"]
    assert_array_equal(display.strips["ideal"], [1] * 5 + [0] * 5)
    assert_array_equal(display.strips["realistic"], TRUTH)
    for image, strip in zip(display.images_, display.strips.values()):
        assert_array_equal(np.asarray(image.get_array())[0], strip)
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["ideal", "realistic"]
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["positive (1)", "negative"]


def test_ties_are_counted_and_keep_their_order():
    display = RankStripDisplay.from_predictions(["no", "yes", "yes"], [0.5, 0.5, 0.9], pos_label="yes")
    assert_array_equal(display.strips["Classifier"], [1, 0, 1])
    assert display.ax_.get_yticklabels()[1].get_text() == "Classifier\n(2 rows tied)"


def test_an_estimator_ranks_by_its_posterior():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [1.4]])
    y = np.array(["a", "a", "b", "b", "b"])
    model = GaussianNB().fit(X, y)
    display = RankStripDisplay.from_estimator(model, X, y, ideal=False)
    assert display.pos_label == "b" and list(display.strips) == ["GaussianNB"]
    assert_array_equal(display.strips["GaussianNB"], (y == "b")[np.argsort(-model.predict_proba(X)[:, 1])])


def test_a_comparison_gives_a_strip_per_learner_best_first():
    result = compare(["majority", "lda"], load_breast_cancer(), design="5-fold")
    display = RankStripDisplay.from_comparison(result)
    assert list(display.strips) == ["ideal", "lda", "majority"]
    rows = result.out_of_fold("lda")
    assert_array_equal(
        display.strips["lda"], (rows.truth == 1)[np.argsort(-rows.posterior[:, 1], kind="stable")]
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=30))
def test_ranking_moves_rows_but_loses_none(rows):
    truth, score = np.array([t for t, _ in rows]), np.array([s for _, s in rows])
    strip, tied = ranked_truth(truth, score, "it")
    assert strip.sum() == truth.sum() and tied != 1 and tied <= len(rows)
    better = sum(s > score[i] for i in np.flatnonzero(truth)[:1] for s in score)
    assert better <= np.flatnonzero(strip).max(initial=len(rows))


@pytest.mark.parametrize(
    ("truth", "score", "words"),
    [
        ([], [], "no rows"),
        ([1], [0.5], "all 1 rows are of class 1"),
        ([0, 1], [0.5], r"scores of shape \(1,\) for 2 rows"),
        ([0, 1], [0.5, np.nan], "NaN for 1 scores"),
    ],
)
def test_what_cannot_be_ranked_is_refused(truth, score, words):
    with pytest.raises(DataError, match=words):
        RankStripDisplay.from_predictions(truth, score)
    with pytest.raises(DataError, match="no row is of class 'x'"):
        RankStripDisplay.from_predictions([0, 1], [1, 2], pos_label="x")


def test_many_rows_share_tiles():
    truth = np.arange(10_000) < 4000
    display = RankStripDisplay.from_predictions(truth, np.random.default_rng(0).random(10_000))
    ideal, mixed = (np.asarray(image.get_array())[0] for image in display.images_)
    assert len(ideal) == 800 and np.isin(ideal, [0, 1]).all() and ideal.mean() == pytest.approx(0.4)
    assert mixed.mean() == pytest.approx(0.4, abs=0.005) and ((mixed > 0) & (mixed < 1)).mean() > 0.9
