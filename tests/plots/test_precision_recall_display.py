"""Precision against recall."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import average_precision_score, precision_recall_curve

from assay.bayes import GaussianNB
from assay.errors import DataError
from assay.evaluate import compare
from assay.metrics.intervals import with_interval
from assay.plots.precision_recall_display import PrecisionRecallDisplay
from assay.tables.data import load_breast_cancer, load_iris

RESULT = compare(["lda", "cart"], load_breast_cancer(), design="5-fold")


def test_lines_are_the_curves_of_the_learners():
    display = PrecisionRecallDisplay.from_comparison(RESULT, plot_chance_level=True)
    names = [s.learner for s in RESULT.ranking()]
    for name, line in zip(names, display.line_):
        folds = [(t, c.posterior[:, 1]) for t, c in zip(RESULT.truths, RESULT.cells[name])]
        area = np.mean([average_precision_score(*fold) for fold in folds])
        recall, precision = line.get_data()
        assert_allclose(-np.diff(recall) @ precision[:-1], area, rtol=1e-12)
        full = [precision_recall_curve(*fold) for fold in folds]
        whole = np.mean(
            [p[np.flatnonzero(r == 1)[-1]] for p, r, _ in full]
        )  # at recall 1, the highest threshold
        assert_allclose([recall[0], precision[0]], [1, whole])
        assert line.get_label().startswith(f"{name} (AP = {area:.3f}, ")
    assert_allclose(display.chance_level_[0].get_ydata(), np.mean([np.mean(t) for t in RESULT.truths]))


def test_one_learner_of_three_classes():
    result = compare(["lda"], load_iris(), design="5-fold")
    display = PrecisionRecallDisplay.from_comparison(result, positive=result.classes[2])
    folds = [(t == 2, c.posterior[:, 2]) for t, c in zip(result.truths, result.cells["lda"])]
    wanted = np.mean([average_precision_score(*fold) for fold in folds])
    assert_allclose(display.average_precision, [wanted], rtol=1e-12)


def test_rows_of_one_class_are_refused():
    with pytest.raises(DataError, match="all 2 rows are of class 'a'"):
        PrecisionRecallDisplay.from_predictions(["a", "a"], [0.1, 0.2])
    with pytest.raises(DataError, match="no rows"):
        PrecisionRecallDisplay.from_predictions([], [])


def test_the_interval_is_the_bootstrap_s():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(60) < 0.4, "b", "a")
    s = rng.normal(size=60) + (y == "b")
    w = rng.integers(1, 4, 60)
    display = PrecisionRecallDisplay.from_predictions(
        y, s, pos_label="b", name="it", interval=True, alpha=0.1, sample_weight=w
    )
    found = with_interval("average_precision", y, s, pos_label="b", alpha=0.1, sample_weight=w)
    assert found.value == pytest.approx(average_precision_score(y == "b", s, sample_weight=w))
    assert display.line_.get_label() == f"it (AP = {found.value:.3f}, {found.low:.3f} to {found.high:.3f})"
    model = GaussianNB().fit(s[:, None], y)
    from_model = PrecisionRecallDisplay.from_estimator(model, s[:, None], y, interval=True)
    assert " to " in from_model.line_.get_label()
    plain = PrecisionRecallDisplay.from_scores({"it": (y == "b", s)}, interval=False)
    assert (
        plain.ax_.get_legend().get_texts()[0].get_text()
        == f"it (AP = {average_precision_score(y == 'b', s):.2f})"
    )


def test_several_curves_are_drawn_once_more_on_other_axes():
    display = PrecisionRecallDisplay.from_comparison(RESULT)
    first = [line.get_color() for line in display.line_]
    assert [line.get_color() for line in display.plot().line_] == first and len(set(first)) == len(first) > 1
