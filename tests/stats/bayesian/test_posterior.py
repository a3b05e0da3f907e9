from fractions import Fraction as F

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DegenerateError, DegenerateWarning
from assay.stats import ZeroEvidenceWarning, bayes_rule, log_posterior

HALF = [F(1, 2), F(1, 2)]


@pytest.mark.capability("C3-01", "IML-3-02")
@pytest.mark.parametrize("likelihoods", [[0.0, 0.0], [F(0), F(0)]])
def test_zero_evidence_is_an_error_or_what_was_asked_for(likelihoods):
    with pytest.raises(DegenerateError, match=r'evidence 0.*zero_evidence="prior"'):
        bayes_rule(HALF, likelihoods)
    assert list(bayes_rule(HALF, likelihoods, zero_evidence="prior").posterior) == [0.5, 0.5]
    with pytest.warns(ZeroEvidenceWarning, match="every class calls it impossible"):
        result = bayes_rule(HALF, likelihoods, zero_evidence="nan")
    assert np.isnan(result.posterior).all()
    assert issubclass(ZeroEvidenceWarning, DegenerateWarning)
    assert result.decision is None and result.ties == ()


def test_only_the_impossible_row_is_touched():
    logs = np.log([[0.2, 0.2], [1.0, 3.0]])
    logs[0] = -np.inf
    posterior, log_evidence = log_posterior(logs, zero_evidence="prior", priors=[0.1, 0.9])
    assert_allclose(posterior, [[0.1, 0.9], [0.25, 0.75]], rtol=1e-15)
    assert log_evidence[0] == -np.inf
    assert_allclose(log_evidence[1], np.log(4))
    raw, _ = log_posterior(logs, zero_evidence="raw")
    assert_array_equal(raw[0], [0, 0])
    with pytest.raises(ValueError, match="row 1 has evidence 0"):
        log_posterior(logs)
    with pytest.raises(
        ValueError, match="row 2 has evidence 0"
    ):  # numbers count from 1, values have their names
        bayes_rule(HALF, [[1.0, 1.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="value 'red' has evidence 0"):
        bayes_rule({"a": 0.5, "b": 0.5}, {"a": {"blue": 1.0, "red": 0.0}, "b": {"blue": 1.0, "red": 0.0}})


def test_scores_far_from_zero_do_not_overflow():
    posterior, log_evidence = log_posterior([[800.0, 800.0 + np.log(3)], [-1e6, -1e6]])
    assert_allclose(posterior, [[0.25, 0.75], [0.5, 0.5]], rtol=1e-12)
    assert_allclose(log_evidence, [800 + np.log(4), -1e6 + np.log(2)], rtol=1e-15)


def test_bad_scores_and_policies_are_refused():
    with pytest.raises(ValueError, match="finite or minus infinity"):
        log_posterior([[np.nan, 0.0]])
    with pytest.raises(ValueError, match="needs the priors"):
        log_posterior([[0.0, 0.0]], zero_evidence="prior")
    with pytest.raises(ValueError, match="must be one of raise, prior, nan"):
        bayes_rule(HALF, [1, 1], zero_evidence="ignore")
