"""The part of one learner: confusion, classes with intervals, curves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import precision_recall_fscore_support

from assay import compare
from assay.evaluate import wilson_interval
from assay.metrics import ClassReport
from assay.report.learner_page import class_table, confusion_card, learner_pages
from assay.report.refits import Extras, extras
from assay.tables.data import load_iris


@pytest.fixture(scope="module")
def result():
    return compare(["lda", "knn", "majority"], load_iris(), design="2x3")


def test_rates_by_class_are_those_of_scikit_learn(result):
    """From the answers of all splits, each row tested twice."""
    table = class_table(result, "lda")
    truth, answer = np.concatenate(result.truths), np.concatenate([c.answer for c in result.cells["lda"]])
    precision, recall, f1, rows = precision_recall_fscore_support(truth, answer)
    for k, row in enumerate(table["rows"]):
        shown = [float(c[0]) for c in row["cells"]]
        assert_allclose(shown, [precision[k], recall[k], f1[k]], atol=5.1e-4)
        assert row["rows"] == rows[k] / 2 == 50
        low, high = wilson_interval(recall[k], 50, 0.05)
        assert row["cells"][1][1] == f"{low:.3f} – {high:.3f}"


class Given:
    """A comparison of one learner on one split, by its truth and its answers."""

    classes, alpha = ["a", "b"], 0.05

    def __init__(self, truth, answer):
        self.counts = np.zeros((2, 2), int)
        np.add.at(self.counts, (truth, answer), 1)
        self._distinct_rows = len(truth)

    def confusion(self, name):
        return self.counts

    def class_report(self, name):
        return ClassReport.of_table(self.counts, self.classes)


def test_intervals_of_the_book_example():
    """tp 40, fn 10, fp 5, tn 45 (IML 19.7): recall .8, precision .8889, F1 .8421."""
    truth = np.repeat([1, 1, 0, 0], [40, 10, 5, 45])
    answer = np.repeat([1, 0, 1, 0], [40, 10, 5, 45])
    row = class_table(Given(truth, answer), "one")["rows"][1]
    assert [c[0] for c in row["cells"]] == ["0.889", "0.800", "0.842"]
    low, high = wilson_interval(0.8, 50, 0.05)
    assert row["cells"][1][1] == f"{low:.3f} – {high:.3f}"
    edges = [2 * v / (1 + v) for v in wilson_interval(40 / 55, 55, 0.05)]
    assert row["cells"][2][1] == f"{edges[0]:.3f} – {edges[1]:.3f}"


def test_the_interval_of_f1_covers():
    """Simulated: truth and answer drawn 2,000 times; F1 of the population lies within 93 to 97 % of intervals."""
    rng = np.random.default_rng(0)
    tp, fp, fn = 0.30, 0.10, 0.08
    target = 2 * tp / (2 * tp + fp + fn)
    draws = rng.multinomial(150, [tp, fp, fn, 1 - tp - fp - fn], size=2000)
    inside = 0
    for t, p, n, _ in draws:
        union = int(t + p + n)
        low, high = (2 * v / (1 + v) for v in wilson_interval(t / union, union, 0.05))
        inside += low <= target <= high
    assert 0.93 <= inside / 2000 <= 0.97


def test_a_class_that_is_never_answered_has_no_precision():
    truth = np.array([0, 0, 1])
    rows = class_table(Given(truth, np.zeros(3, dtype=int)), "one")["rows"]
    assert rows[1]["cells"][0] == ("none", "")
    assert rows[1]["cells"][1][0] == "0.000"


def test_confusions_are_shaded_by_their_share(result):
    card = confusion_card(result, "majority")
    counts = result.confusion("majority")
    for i, row in enumerate(card["rows"]):
        for j, cell in enumerate(row["cells"]):
            assert cell["count"] == counts[i, j]
            tenth = int(np.ceil(10 * counts[i, j] / counts[i].sum()))
            assert cell["kind"] == f"{'r' if i == j else 'w'}{tenth}"


def test_pages_come_best_first_with_what_was_refitted(result):
    answers = {s.learner: result.out_of_fold(s.learner) for s in result.ranking()}
    pages = learner_pages(result, answers, extras(result), limit=2)
    assert [p["learner"] for p in pages] == [s.learner for s in result.ranking()][:2]
    assert [p["id"] for p in pages] == ["learner-1", "learner-2"]
    knn = next(p for p in pages if p["learner"] == "knn")
    assert knn["learning"]["over"] == "training rows" and knn["complexity"]["used"] == 5
    bare = learner_pages(result, answers, Extras(), limit=3)
    assert all(p["learning"] is None and p["errors"] is None for p in bare)


def test_rows_count_by_their_weights_as_in_the_class_report():
    data = load_iris()
    weight = np.random.default_rng(1).random(150) + 0.1
    result = compare(["knn"], data, design="3-fold", sample_weight=weight)
    truth, answer = np.concatenate(result.truths), np.concatenate([c.answer for c in result.cells["knn"]])
    w = np.concatenate(result.weights)
    expected = ClassReport.of(truth, answer, sample_weight=w)
    for k, row in enumerate(class_table(result, "knn")["rows"]):
        assert row["rows"] == 50
        for cell, estimate in zip(row["cells"], expected.classes[k].values()):
            assert cell == (f"{estimate.value:.3f}", f"{estimate.low:.3f} – {estimate.high:.3f}")
