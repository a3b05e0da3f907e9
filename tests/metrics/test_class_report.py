"""The report of the classes."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.metrics import classification_report

from assay.metrics.class_report import ClassReport
from assay.metrics.intervals import with_interval
from assay.metrics.rates import macro_f1_score


def test_same_numbers_as_scikit_learn_s_report():
    """Peer: classification_report of scikit-learn 1.9, with and without weights."""
    rng = np.random.default_rng(0)
    y = np.array(list("abc"))[rng.integers(3, size=90)]
    z = np.where(rng.random(90) < 0.7, y, np.array(list("abc"))[rng.integers(3, size=90)])
    for w in (None, rng.random(90) + 0.1):
        told = classification_report(y, z, output_dict=True, sample_weight=w)
        report = ClassReport.of(y, z, sample_weight=w)
        for ours, theirs in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            for label in "abc":
                found = report.classes[label][ours]
                assert_allclose(found.value, told[label][theirs], rtol=1e-12)
                assert found.low < found.value < found.high
            for mean in ("macro", "weighted"):
                found = report.averages[mean][ours]
                assert_allclose(found.value, told[f"{mean} avg"][theirs], rtol=1e-12)
                assert found.low < found.value < found.high
        assert_allclose([report.support[v] for v in "abc"], [told[v]["support"] for v in "abc"])
        assert_allclose(report.accuracy.value, told["accuracy"])
        assert_allclose(
            report.f1_of_means.value, macro_f1_score(y, z, of="means", sample_weight=w), rtol=1e-12
        )


def test_a_class_never_answered_is_said_to_be():
    report = ClassReport.of(["a", "a", "<b>"], ["a", "a", "a"])
    assert "- (never answered)" in str(report) and "&lt;b&gt;" in report._repr_html_()
    report = ClassReport.of(["a", "a"], ["a", "b"])
    assert "- (not tested)" in str(report)
    assert str(ClassReport.of(["a"], ["a"])).splitlines()[-1].startswith("accuracy")


def test_many_classes_have_values_and_few_intervals():
    rng = np.random.default_rng(1)
    y = np.append(np.arange(150), rng.integers(150, size=2000))
    z = np.where(rng.random(2150) < 0.8, y, rng.integers(150, size=2150))
    report = ClassReport.of(y, z)
    assert "with_interval" in report.averages["macro"]["f1"].why and report.accuracy.low > 0.7
    found = with_interval("kappa", y, z, resamples=100)
    assert "bootstrap" in found.method and found.low < found.value < found.high
