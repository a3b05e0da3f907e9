"""VC bounds: each form at a number worked by hand, falling with n, inverse of its sample size."""

import numpy as np
import pytest

from assay.errors import ParameterError
from assay.theory.growth import sauer
from assay.theory.vc_bound import FORMS, vc_bound, vc_sample_size


@pytest.mark.capability("BC-55")
def test_the_bound_with_an_explicit_constant_falls_with_n():
    n = np.array([10, 30, 100, 1000, 10_000, 10**6])
    result = vc_bound(n, 3, 0.05)
    np.testing.assert_allclose(result, np.sqrt(3 / n * np.log(n / 3) + np.log(20) / n), rtol=1e-12)
    assert (np.diff(result) < 0).all()
    np.testing.assert_allclose(vc_bound(n, 3, 0.05, c=2.5), 2.5 * result, rtol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_falls_with_n_and_rises_with_d_and_confidence(form):
    n = np.array([50, 100, 1000, 10**5])
    assert (np.diff(vc_bound(n, 4, form=form)) < 0).all()
    assert (np.diff([vc_bound(1000, d, form=form) for d in (1, 3, 10, 50)]) > 0).all()
    assert vc_bound(1000, 4, 0.01, form=form) > vc_bound(1000, 4, 0.1, form=form)


def test_the_forms_at_numbers_worked_by_hand():
    n, d, delta = 1000, 3, 0.05
    assert vc_bound(n, d, delta, form="vapnik") == pytest.approx(
        np.sqrt((3 * (np.log(2000 / 3) + 1) + np.log(80)) / 1000)
    )
    assert vc_bound(n, d, delta, form="vapnik-chervonenkis") == pytest.approx(
        np.sqrt(8 / 1000 * np.log(4 * sauer(2000, 3) / 0.05))
    )
    assert vc_bound(n, d, delta, form="devroye-gyorfi-lugosi") == pytest.approx(
        np.sqrt(32 / 1000 * np.log(8 * sauer(1000, 3) / 0.05))
    )
    e = vc_bound(n, d, delta, form="devroye")  # the fixed point of its own formula
    assert e == pytest.approx(np.sqrt((4 * e * (1 + e) + np.log(4 * sauer(10**6, 3) / 0.05)) / 2000))


@pytest.mark.parametrize("form", FORMS)
def test_the_sample_size_is_the_least_that_will_do(form):
    n = vc_sample_size(3, 0.1, form=form)
    assert vc_bound(n, 3, form=form) <= 0.1 < vc_bound(n - 1, 3, form=form)


def test_blumers_number():
    """max(40 log2 40, 320 log2 130) = max(212.9, 2247.2)."""
    assert vc_sample_size(4, 0.1, 0.05, form="blumer") == 2248
    assert vc_sample_size(1, 0.5, 1e-9, form="blumer") == np.ceil(8 * np.log2(2e9))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: vc_bound(3, 3), "n must be above d"),
        (lambda: vc_bound(100, 3, form="best"), "form must be one of order"),
        (lambda: vc_bound(100, np.inf), "d must be a whole number"),
        (lambda: vc_bound(100, 3, c=0), "c must be a number above 0"),
        (lambda: vc_sample_size(3, 1e-12), "more rows than"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_devroye_s_number_of_rows_satisfies_devroye_s_equation():
    """Its growth function is that of n²: 1e24 points here."""
    from math import log

    n = vc_sample_size(3, 1e-5, form="devroye")
    right = [
        np.sqrt((4e-5 * (1 + 1e-5) + log(4 * sauer(m**2, 3) / 0.05)) / (2 * m)) for m in (n - n // 1000, n)
    ]
    assert right[0] > 1e-5 >= right[1] * (1 - 1e-9)


def test_single_numbers_are_asked_for():
    for call in (lambda: vc_sample_size([3, 4], 0.1), lambda: vc_sample_size(3, [0.1])):
        with pytest.raises(ParameterError, match="must be one number"):
            call()
    with pytest.raises(ParameterError, match="2\\^64"):
        vc_bound(1e300, 3, form="devroye")
