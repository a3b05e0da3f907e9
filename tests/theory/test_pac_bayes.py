"""PAC-Bayes: the inverse of the divergence, and the bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ParameterError
from assay.theory.concentration import binary_kl
from assay.theory.pac_bayes import kl_inverse, pac_bayes_bound


@given(st.floats(0, 0.99), st.floats(1e-6, 3))
@settings(deadline=None, max_examples=50)
def test_the_inverse_of_the_divergence(risk, budget):
    p = kl_inverse(risk, budget)
    assert risk <= p <= min(1.0, risk + np.sqrt(budget / 2) + 1e-9)  # Pinsker
    assert binary_kl(risk, p) == pytest.approx(budget, rel=1e-4, abs=1e-9) or p > 1 - 1e-9


def test_without_errors_the_inverse_is_closed():
    assert kl_inverse(0.0, 0.1) == pytest.approx(1 - np.exp(-0.1), rel=1e-12)
    assert kl_inverse(1.0, 0.1) == 1.0 and kl_inverse(0.3, 0.0) == pytest.approx(0.3)


def test_the_bound_tightens_with_rows_and_loosens_with_divergence():
    assert pac_bayes_bound(0.0, 2.0, 1000, 0.05) == pytest.approx(
        1 - np.exp(-(2 + np.log(2 * np.sqrt(1000) / 0.05)) / 1000), rel=1e-9
    )
    assert (np.diff(pac_bayes_bound(0.1, 5.0, np.array([100, 1000, 10_000]))) < 0).all()
    assert (np.diff(pac_bayes_bound(0.1, np.array([0.0, 5.0, 50.0]), 1000)) > 0).all()
    with pytest.raises(ParameterError, match="divergence must be"):
        pac_bayes_bound(0.1, -1.0, 100)


def test_no_budget_leaves_the_risk_as_it_is():
    assert kl_inverse(0.3, 0.0) == pytest.approx(0.3, abs=1e-15)
    assert kl_inverse(0.0, 1e-12) == pytest.approx(1e-12, rel=1e-4)
