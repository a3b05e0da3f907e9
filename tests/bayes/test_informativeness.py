"""How much a column tells: Gaussian classes against an integral on a grid."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from assay.bayes.informativeness import gaussian_information


def information_by_the_book(share, mean, sd):
    def integrand(x, k):
        mixture = sum(p * norm.pdf(x, m, s) for p, m, s in zip(share, mean, sd))
        own = norm.pdf(x, mean[k], sd[k])
        return share[k] * own * np.log(own / mixture) if own > 0 else 0.0

    cuts = sorted({m + t * s for m, s in zip(mean, sd) for t in range(-10, 11)})
    return sum(quad(integrand, a, b, args=(k,))[0] for k in range(len(mean)) for a, b in pairwise(cuts))


@pytest.mark.parametrize(
    ("share", "mean", "sd"),
    [
        ([0.5, 0.5], [0.0, 1.0], [1.0, 1.0]),
        ([0.2, 0.8], [0.0, 3.0], [1.0, 2.0]),
        ([0.5, 0.5], [0.0, 0.0], [1.0, 0.05]),
        ([0.3, 0.3, 0.4], [-1.0, 0.0, 4.0], [0.5, 1.0, 1.5]),
    ],
)
def test_quadrature_agrees_with_the_integral(share, mean, sd):
    result = gaussian_information(np.array(share), np.array(mean), np.array(sd) ** 2)
    assert result == pytest.approx(information_by_the_book(share, mean, sd), abs=1e-9)


def test_a_class_without_rows_does_not_count():
    two = gaussian_information(np.array([0.5, 0.5]), np.array([0.0, 2.0]), np.ones(2))
    three = gaussian_information(np.array([0.5, 0.0, 0.5]), np.array([0.0, 9.0, 2.0]), np.ones(3))
    assert three == pytest.approx(two, rel=1e-12)
