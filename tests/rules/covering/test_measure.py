import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.rulebase.measures import class_entropy
from assay.rules import RuleMeasure


@pytest.mark.capability("DC-47", "DC-48")
def test_measures_of_the_path_of_figure_10_5():
    """DC 10.4.2.1: {} (6, 5), Age > 50 (5, 1), then Salary > 50000 (5, 0), class Donor."""
    counts = np.array([[5.0, 6], [1, 5], [0, 5]])
    assert_allclose(RuleMeasure("laplace").of(counts, 1), [7 / 13, 6 / 8, 6 / 7], rtol=1e-12)
    ratio = RuleMeasure("likelihood-ratio").of(counts[1:], 1, prior=[5 / 11, 6 / 11])
    assert_allclose(ratio, [2.231538, 6.061358], atol=5e-7)
    assert_allclose(ratio / np.log(2), [3.219429, 8.744691], atol=5e-7)


def test_measures_without_a_class_are_those_of_each_rules_largest():
    counts = np.array([[3.0, 1, 0], [0, 2, 2]])
    assert_allclose(RuleMeasure("accuracy").of(counts, None), [0.75, 0.5], rtol=1e-12)
    assert_allclose(RuleMeasure("entropy").of(counts, None), -class_entropy(counts), rtol=1e-12)
    assert_allclose(RuleMeasure("gini").of(counts, None), [10 / 16 - 1, -0.5], rtol=1e-12)


def test_purity_of_another_class_is_no_merit():
    """Of a rule for class 0 that covers none of it, or less of it than of another class."""
    counts = [[0.0, 5], [2, 5], [5, 2]]
    for name in ("entropy", "gini"):
        assert (RuleMeasure(name).of(counts, 0, prior=[0.1, 0.9]) == -np.inf).tolist() == [True, True, False]
    assert (RuleMeasure("likelihood-ratio").of(counts, 0, prior=[0.1, 0.9]) == -np.inf).tolist() == [
        True,
        False,
        False,
    ]


def test_the_parameters_of_the_estimates():
    assert_allclose(RuleMeasure("laplace", beta=0.5).of([[5.0, 1]], 0), [5.5 / 7], rtol=1e-12)
    assert_allclose(
        RuleMeasure("m-estimate", m=4).of([[5.0, 1]], 0, prior=[0.25, 0.75]), [6 / 10], rtol=1e-12
    )
