"""scikit-learn's kernel objects as ours, and ours as scikit-learn's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import sklearn.gaussian_process.kernels as peer

from assay.errors import ParameterError
from assay.kernels import algebra, constant, dot_products, matern, periodic, rational_quadratic, rbf
from assay.kernels.kernel import Kernel, mirror
from assay.kernels.parameters import Parameter, parameter_of

__all__ = ["KernelForScikitLearn", "ScikitLearnKernel", "from_scikit_learn"]

SAME: dict[type, type] = {  # with the same parameters and meaning
    peer.RBF: rbf.RBF,
    peer.Matern: matern.Matern,
    peer.RationalQuadratic: rational_quadratic.RationalQuadratic,
    peer.ExpSineSquared: periodic.ExpSineSquared,
    peer.DotProduct: dot_products.DotProduct,
    peer.ConstantKernel: constant.ConstantKernel,
    peer.WhiteKernel: constant.WhiteKernel,
    peer.Exponentiation: algebra.Exponentiation,
    peer.Sum: algebra.Sum,
    peer.Product: algebra.Product,
}


def from_scikit_learn(kernel: Any) -> Kernel:
    """Our kernel of the same parameters and values; one that we do not have is called as it is.

    >>> import sklearn.gaussian_process.kernels as peer
    >>> from assay.kernels.scikit_learn import from_scikit_learn
    >>> from_scikit_learn(2.0 * peer.RBF(3.0) + peer.WhiteKernel())
    1.41**2 * RBF(length_scale=3) + WhiteKernel(noise_level=1)
    """
    if isinstance(kernel, KernelForScikitLearn):
        return kernel.kernel
    if type(kernel) not in SAME:
        return ScikitLearnKernel(kernel)
    params = kernel.get_params(deep=False)
    for name, value in params.items():
        if isinstance(value, peer.Kernel):
            params[name] = from_scikit_learn(value)
    return SAME[type(kernel)](**params)


@dataclass(frozen=True, eq=False)
class ScikitLearnKernel(Kernel):
    """A kernel object that follows scikit-learn's protocol, such as one of the user's own.

    Parameters
    ----------
    made : object with ``__call__(X, Y=None, eval_gradient=False)``, ``diag``, ``theta`` and ``bounds``

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import PairwiseKernel
    >>> from assay.kernels import kernel_of
    >>> kernel_of(PairwiseKernel(gamma=0.5, metric="laplacian"))([[0.0, 0.0]], [[1.0, 1.0]]).round(6)
    array([[0.367879]])
    """

    stored = None  # a class that is not ours
    made: Any

    def __post_init__(self) -> None:
        if not isinstance(self.made, peer.Kernel):
            raise ParameterError(
                f"ScikitLearnKernel: expected a kernel object of scikit-learn, got {self.made!r}."
            )

    @property
    def name(self) -> str:
        return type(self.made).__name__

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset() if self.made.requires_vector_input else frozenset({"objects"})

    @property
    def function(self) -> bool:  # type: ignore[override]
        return True

    @property
    def psd(self) -> bool:  # type: ignore[override]
        return False  # nobody knows

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return bool(self.made.is_stationary())

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        values = self.made.get_params()
        return tuple(parameter_of(h.name, values[h.name], h.bounds) for h in self.made.hyperparameters)

    @cached_property
    def free(self) -> int:
        return int(self.made.n_dims)

    def _with_theta(self, theta: np.ndarray) -> Self:
        return replace(self, made=self.made.clone_with_theta(theta))

    def between(self, A: Any, B: Any) -> np.ndarray:
        return self._block(self._prepared(A), self._prepared(B))

    def gram(self, A: Any) -> np.ndarray:
        K = np.array(self._values(self._prepared(A)), dtype=np.float64)
        mirror(K)
        return K

    def diagonal(self, A: Any) -> np.ndarray:
        return np.asarray(self.made.diag(self._prepared(A)), dtype=np.float64)

    def gradient(self, A: Any) -> np.ndarray:
        return np.moveaxis(np.asarray(self.made(self._prepared(A), eval_gradient=True)[1]), 2, 0)

    def parameter_sums(self, A: Any, W: np.ndarray, *, symmetric: bool = False) -> np.ndarray:
        return np.einsum("ij,pij->p", W, self.gradient(A))

    def _prepared(self, X: Any) -> Any:
        return np.asarray(X, dtype=np.float64) if self.made.requires_vector_input else X

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return self._values(A, B)

    def _values(self, A: Any, B: Any = None) -> np.ndarray:
        values = np.asarray(self.made(A, B), dtype=np.float64)
        if values.ndim != 2:
            raise ParameterError(
                f"{self.name}: a kernel gives one value for a pair of rows; this object of scikit-learn gives the "
                f"shape {values.shape} for {len(values)} rows. Take one of the kernels that it holds, or their sum."
            )
        return values

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> list[np.ndarray]:
        """Gradients are there for all pairs of one table only: that of A and B together."""
        both = np.concatenate([A, B]) if isinstance(A, np.ndarray) else [*A, *B]
        return list(np.moveaxis(self.made(both, eval_gradient=True)[1][: len(A), len(A) :], 2, 0))

    def __repr__(self) -> str:
        return repr(self.made)


class KernelForScikitLearn(peer.Kernel):
    """One of our kernels for what asks for scikit-learn's protocol, such as its Gaussian processes.

    Unlike ours it can be changed: a search sets its ``theta``. The kernel must know all its parameters: one with
    ``gamma="scale"`` has to learn first.

    Parameters
    ----------
    kernel : Kernel

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process import GaussianProcessRegressor
    >>> from assay.kernels import RBF, WhiteKernel
    >>> from assay.kernels.scikit_learn import KernelForScikitLearn
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> kernel = KernelForScikitLearn(RBF(1.0) + WhiteKernel(1e-4, "fixed"))
    >>> model = GaussianProcessRegressor(kernel).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.0]])[0] - np.sin(1.0)) < 0.01)
    True
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The kernel; with ``deep`` its parameters, too."""
        params: dict[str, Any] = {"kernel": self.kernel}
        return params | {f"kernel__{k}": v for k, v in self.kernel.get_params().items()} if deep else params

    @property
    def theta(self) -> np.ndarray:
        """The logs of the free parameters; it can be set."""
        return self.kernel.theta

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        self.kernel = self.kernel.with_theta(theta)

    @property
    def bounds(self) -> np.ndarray:
        """The bounds of theta."""
        return self.kernel.bounds

    @property
    def hyperparameters(self) -> list[Any]:
        """All parameters, as scikit-learn describes them."""
        return [
            peer.Hyperparameter(p.name, "numeric", "fixed" if p.bounds is None else p.bounds, len(p.values))
            for p in self.kernel.parameters
        ]

    @property
    def requires_vector_input(self) -> bool:
        """Whether rows are vectors."""
        return "objects" not in self.kernel.takes

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        K = self.kernel(X, Y)
        return (K, np.moveaxis(self.kernel.gradient(X), 0, 2)) if eval_gradient else K

    def diag(self, X: Any) -> np.ndarray:
        """The diagonal of the kernel matrix."""
        return self.kernel.diagonal(X)

    def is_stationary(self) -> bool:
        """Whether values depend on differences of rows alone."""
        return self.kernel.stationary

    def __repr__(self) -> str:
        return repr(self.kernel)
