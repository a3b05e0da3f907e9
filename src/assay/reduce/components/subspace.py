"""The leading singular values of a matrix by projection on random directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.seeds import random_state_of
from assay.reduce.components.spectrum import Spectrum, with_fixed_signs

__all__ = ["random_spectrum"]

POWERS_FOR_FEW = 7  # power iterations where few components are wanted, as scikit-learn has them
POWERS = 4
SHARE_FOR_MORE_POWERS = 0.1  # share of the smaller side


def random_spectrum(
    A: np.ndarray, divisor: float, k: int, oversamples: int, power: int | None, random_state: Any
) -> Spectrum:
    r"""The k largest eigenvalues of :math:`A^TA/c`, approximately.

    A is multiplied with random vectors and, to favour large singular values, some more times with itself; the exact
    singular values of what is left in the space of the products are the answer (Halko, Martinsson and Tropp 2011).
    """
    m, d = A.shape
    k = min(k, m, d)
    power = (
        power if power is not None else POWERS_FOR_FEW if k < SHARE_FOR_MORE_POWERS * min(m, d) else POWERS
    )
    random = random_state_of(random_state)
    Q = A @ random.normal(size=(d, min(k + oversamples, d)))
    for _ in range(power):
        Q = np.linalg.qr(A.T @ np.linalg.qr(Q)[0])[0]
        Q = A @ Q
    vectors = np.linalg.svd(np.linalg.qr(Q)[0].T @ A, full_matrices=False)[2][:k]
    along = A @ vectors.T
    values = np.einsum("ij,ij->j", along, along) / divisor  # the variance that the directions found do have
    order = np.argsort(-values, kind="stable")
    total = float(np.einsum("ij,ij->", A, A)) / divisor
    return Spectrum(values[order], with_fixed_signs(vectors[order]), total, min(m, d))
