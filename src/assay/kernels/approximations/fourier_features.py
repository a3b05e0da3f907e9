"""Random Fourier features of any stationary kernel, with orthogonal frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.learner import PassLearner
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object
from assay.core.sum_learner import WithoutTarget
from assay.core.sums import Source
from assay.errors import DataError, ParameterError
from assay.kernels.approximations.entry_moments import EntryMoments
from assay.kernels.approximations.feature_map import FeatureMap, wave_features
from assay.kernels.approximations.spectra import draw_frequencies, is_isotropic, scale_frequencies
from assay.kernels.kernel import Kernel
from assay.kernels.names import kernel_of
from assay.types import KernelLike, RandomState

__all__ = ["FourierFeatures"]


class FourierFeatures(WithoutTarget, PassLearner, FeatureMap):
    r"""Cosines and sines of random projections, whose dot products are close to a stationary kernel.

    A kernel that depends on :math:`a - b` alone is the mean of :math:`\cos(w^T(a - b))` over frequencies w, which
    follow its Fourier transform (Bochner): normal ones for the Gaussian kernel, Cauchy ones for the Laplacian,
    Student ones for Matern's. With m / 2 frequencies,

    .. math:: z(x) = \sqrt{2/m}\,[\cos(w_1^Tx), \sin(w_1^Tx), \cos(w_2^Tx), \dots] \quad (1)

    A cosine beside its sine gives K(x, x) = 1 exactly and a smaller error than cosines with random offsets
    (:class:`RBFSampler`) wherever rows are close. Orthogonal frequencies, d at a time, have directions that repel each
    other and the lengths of independent ones: still unbiased, with an error that is smaller again.

    Cost: fit O(d m), orthogonal O(d^2 m); transform O(d m) a row; memory O(d m).

    Parameters
    ----------
    kernel : str or Kernel, default "rbf"
        A stationary kernel.
    gamma : float, "scale" or "auto", default "scale"
        Of a kernel given by its name: "scale" is 1 / (d var(X)), "auto" 1 / d.
    n_components : int, default 100
        m, an even number; an odd one leaves out the last sine.
    frequencies : "orthogonal" or "independent", default "orthogonal"
        Kernels to which directions are not alike take "independent" ones.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    random_weights_ : (d, m) each frequency twice      random_offset_ : (m,) 0 for a cosine, -pi / 2 for a sine
    kernel_ : Kernel

    Examples
    --------
    >>> from assay.kernels import RBF, FourierFeatures
    >>> Z = FourierFeatures(RBF(1.0), n_components=20_000, random_state=0).fit_transform([[0.0], [1.0]])
    >>> (Z @ Z.T).round(2)  # exp(-0.5) = 0.61
    array([[1.  , 0.61],
           [0.61, 1.  ]])

    See Also
    --------
    RBFSampler, Nystroem

    References
    ----------
    - Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines. Advances in Neural Information
      Processing Systems 20.
    - Yu, F. X., Suresh, A. T., Choromanski, K., Holtmann-Rice, D. and Kumar, S. (2016). Orthogonal random features.
      Advances in Neural Information Processing Systems 29.
    - Sutherland, D. J. and Schneider, J. (2015). On the error of random Fourier features. Uncertainty in Artificial
      Intelligence 31.
    """

    card = Card(
        "fourier features",
        "orthogonal random waves for a stationary kernel",
        also=("orthogonal random features",),
    )
    accepts = {
        "kernel": Any_(
            "the name of a stationary kernel, or a Kernel", lambda k: isinstance(k, (str, Kernel))
        ),
        "gamma": Range(0) | Choice("scale", "auto"),
        "n_components": Count(1),
        "frequencies": Choice("orthogonal", "independent"),
        "random_state": Seed(),
    }
    stored = {
        "random_weights_": FloatArray("p", "m", finite=True),
        "random_offset_": FloatArray("m", finite=True),
        "kernel_": Object(Kernel),
    }
    takes = frozenset({"sparse"})

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: float | str = "scale",
        n_components: int = 100,
        frequencies: str = "orthogonal",
        random_state: RandomState = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.frequencies = frequencies
        self.random_state = random_state

    def _learn_from(self, source: Source) -> None:
        kernel: Any = kernel_of(self.kernel, gamma=self.gamma)
        moments = source.add_up(lambda block: EntryMoments.of(block.X))
        if not np.isfinite(moments.variance):
            raise DataError(
                "FourierFeatures: the squares of the columns are no numbers. Scale the columns first."
            )
        d, m, random = moments.columns, self.n_components, random_state_of(self.random_state)
        kernel = (
            kernel.learn(_two_rows(moments)) if isinstance(getattr(kernel, "gamma", None), str) else kernel
        )
        try:
            frequencies = draw_frequencies(kernel, d, (m + 1) // 2, random)
        except ParameterError as error:
            raise ParameterError(f"FourierFeatures: {error}") from None
        if self.frequencies == "orthogonal" and is_isotropic(kernel):
            frequencies = _orthogonal(np.linalg.norm(frequencies, axis=0), d, random)
        self.kernel_ = kernel
        self.random_weights_ = np.repeat(scale_frequencies(kernel, frequencies), 2, axis=1)[:, :m]
        self.random_offset_ = np.tile([0.0, -np.pi / 2], (m + 1) // 2)[:m]
        self._n_features_out = m

    def _transform(self, X: Any) -> np.ndarray:
        pairs = (self._n_features_out + 1) // 2
        return wave_features(X, self.random_weights_, self.random_offset_, pairs**-0.5)  # (1)


def _orthogonal(lengths: np.ndarray, d: int, random: np.random.RandomState) -> np.ndarray:
    """(d, m) vectors of these lengths; the directions of each d of them are orthogonal, and uniform each."""
    blocks = []
    for start in range(0, len(lengths), d):
        Q, R = np.linalg.qr(random.normal(size=(d, d)))
        blocks.append((Q * np.sign(np.diag(R)))[:, : len(lengths) - start])
    return np.hstack(blocks) * lengths


def _two_rows(moments: EntryMoments) -> np.ndarray:
    """A small table with the same columns, mean and variance of all entries, for a kernel to learn its gamma from."""
    return moments.mean + np.sqrt(moments.variance) * np.array([[-1.0], [1.0]]) * np.ones(
        (1, moments.columns)
    )
