"""Autoencoder: a network that reproduces its inputs through a narrow layer."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Transformer
from assay.core.parameters import Accepted, Any_, Choice, Count, Flag, Range, Seed, check
from assay.core.seeds import as_seed
from assay.core.stored import FloatArray, Object, Scalar
from assay.errors import DataError
from assay.neural.arguments import are_counts
from assay.neural.dense_net import HIDDEN, forward
from assay.neural.mlp import STOCHASTIC
from assay.neural.mlp_regressor import MLPRegressor
from assay.types import RandomState, TableLike

__all__ = ["Autoencoder", "reconstruction_curve"]


class Autoencoder(Transformer):
    r"""Learn a code of k numbers from which the rows can be reproduced: targets are the inputs.

    .. math:: z = g(x-\bar x),\quad \hat x = \bar x + h(z),\qquad \min\sum_t\|x^t-\hat x^t\|^2 \quad (1)

    ``transform`` is the encoder g, ``inverse_transform`` the decoder h. Without hidden layers and with linear units the
    code spans the space of the first k principal components (though its axes are others) and the error is the sum of
    the discarded squared singular values; hidden layers bend the space. The decoder mirrors the encoder.

    Cost: fit O(n d H) a pass; transform O(d H) a row; memory O(n d + d H).

    Parameters
    ----------
    n_components : int, default 2
        k.
    hidden_layer_sizes : list of int, default ()
        Of the encoder, between inputs and code.
    activation : str, default "tanh"
        Of these layers.
    code_activation : str, default "identity"
        Of the code units.
    scale : bool, default False
        Divide the columns by their deviations first.
    solver, alpha, batch_size, learning_rate_init, max_iter, tol, random_state : as in MLPRegressor; solver is "lbfgs"

    Attributes
    ----------
    regressor_ : MLPRegressor that maps rows to themselves      mean_, scale_ : (p,)
    reconstruction_error_ : the sum (1) over the training rows      n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import Autoencoder
    >>> t = np.linspace(0, 1, 40)
    >>> X = np.column_stack([t, 2 * t, -t])  # three columns, one degree of freedom
    >>> model = Autoencoder(1, random_state=0).fit(X)
    >>> bool(np.abs(model.inverse_transform(model.transform(X)) - X).max() < 1e-3)
    True

    See Also
    --------
    reconstruction_curve, pretrained_network, PCA

    References
    ----------
    - Cottrell, G. W., Munro, P. and Zipser, D. (1987). Learning internal representations from gray-scale images: an
      example of extensional programming. Proceedings of the Ninth Annual Conference of the Cognitive Science Society,
      461-473.
    - Hinton, G. E. and Salakhutdinov, R. R. (2006). Reducing the dimensionality of data with neural networks. Science
      313, 504-507. doi:10.1126/science.1127647
    """

    card = Card("autoencoder", "a code from which the rows can be reproduced", settings={"random_state": 0})
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "n_components": Count(),
        "hidden_layer_sizes": Any_(
            "a list of whole numbers from 1 up",
            are_counts,
        ),
        "activation": Choice(*HIDDEN),
        "code_activation": Choice(*HIDDEN),
        "scale": Flag(),
        "solver": Choice("lbfgs", *STOCHASTIC),
        "alpha": Range(0),
        "batch_size": Choice("auto") | Count(),
        "learning_rate_init": Range(0, open="low"),
        "max_iter": Count(),
        "tol": Range(0),
        "random_state": Seed(),
    }
    stored = {
        "regressor_": Object(MLPRegressor),
        "mean_": FloatArray("p", finite=True),
        "scale_": FloatArray("p", low=0, finite=True),
        "reconstruction_error_": Scalar(),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden_layer_sizes: Sequence[int] = (),
        activation: str = "tanh",
        code_activation: str = "identity",
        scale: bool = False,
        solver: str = "lbfgs",
        alpha: float = 0.0,
        batch_size: int | str = "auto",
        learning_rate_init: float = 0.001,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.code_activation = code_activation
        self.scale = scale
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        from sklearn.exceptions import ConvergenceWarning

        X = np.asarray(X, dtype=np.float64)
        self.mean_ = np.average(X, axis=0, weights=w)
        spread = np.sqrt(np.average((X - self.mean_) ** 2, axis=0, weights=w))
        self.scale_ = np.where(spread > 0, spread, 1.0) if self.scale else np.ones(X.shape[1])
        rows = (X - self.mean_) / self.scale_
        hidden = [int(h) for h in self.hidden_layer_sizes]
        sizes = [*hidden, self.n_components, *reversed(hidden)]
        names = [self.activation] * len(hidden)
        self.regressor_ = MLPRegressor(
            hidden_layer_sizes=sizes,
            activation=[*names, self.code_activation, *names],
            solver=self.solver,
            alpha=self.alpha,
            batch_size=self.batch_size,
            learning_rate_init=self.learning_rate_init,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # valleys of equal codes are flat
            self.regressor_.fit(rows, rows, w)
        self.n_iter_ = self.regressor_.n_iter_
        rest_of_rows = (rows - self._decoded(self._transform(X))) * self.scale_
        self.reconstruction_error_ = float((rest_of_rows**2).sum())

    def _check_stored(self) -> None:
        if "regressor_" not in vars(self):
            return
        model = self.regressor_
        sizes = [*self.hidden_layer_sizes, self.n_components, *reversed(self.hidden_layer_sizes)]
        p = len(self.mean_)
        shapes = [W.shape for W in getattr(model, "coefs_", [])]
        expected = list(zip([p, *sizes], [*sizes, p]))
        if shapes != expected or list(model.activation)[len(self.hidden_layer_sizes)] != self.code_activation:
            raise ValueError("regressor_ is not the network of these layers")

    @property
    def _depth(self) -> int:
        return len(self.hidden_layer_sizes) + 1

    def _transform(self, X: Any) -> np.ndarray:
        rows = (np.asarray(X, dtype=np.float64) - self.mean_) / self.scale_
        model, k = self.regressor_, self._depth
        names = [*[self.activation] * (k - 1), self.code_activation]
        code = forward(rows, [*model.coefs_[:k]], model.intercepts_[:k], names[:-1], "identity")[0]
        return code if self.code_activation == "identity" else _activated(self.code_activation, code)

    def _decoded(self, codes: np.ndarray) -> np.ndarray:
        model, k = self.regressor_, self._depth
        names = [self.activation] * (k - 1)
        return forward(codes, model.coefs_[k:], model.intercepts_[k:], names, "identity")[0]

    def inverse_transform(self, codes: ArrayLike) -> np.ndarray:
        """(n, p) the rows that codes (n, k) stand for, in the columns that the mathematics sees."""
        self._ready()
        values = np.asarray(codes, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != self.n_components:
            raise DataError(
                f"Autoencoder: codes have {self.n_components} columns, got an array of shape {values.shape}."
            )
        return self._decoded(values) * self.scale_ + self.mean_

    def _names_out(self) -> list[str]:
        return [f"autoencoder{k}" for k in range(self.n_components)]


def _activated(name: str, values: np.ndarray) -> np.ndarray:
    from assay.neural.activations import ACTIVATIONS

    return ACTIVATIONS[name].value(values)


def reconstruction_curve(
    X: TableLike, sizes: Sequence[int], *, starts: int = 1, **settings: Any
) -> dict[int, float]:
    """The reconstruction error of autoencoders of several code sizes: its elbow says how many numbers a row needs.

    Parameters
    ----------
    X : table
    sizes : numbers of components to try
    starts : int, default 1
        Fits of each size from other first weights; the best counts.
    settings : of the :class:`Autoencoder`

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import reconstruction_curve
    >>> t = np.linspace(0, 1, 30)
    >>> X = np.column_stack([t, t**2, t + t**2])  # two degrees of freedom
    >>> curve = reconstruction_curve(X, [1, 2, 3], random_state=0)
    >>> curve[1] > 100 * curve[2]
    True
    """
    several = Any_("a list of whole numbers from 1 up", lambda v: are_counts(v) and len(v) > 0)
    accepted: dict[str, Accepted | None] = {"starts": Count(), "sizes": several}
    check("reconstruction_curve", accepted, {"starts": starts, "sizes": sizes})
    seed = settings.pop("random_state", None)
    curve = {}
    for size in sizes:
        seeds = (
            [seed] if starts == 1 else [as_seed(seed or 0, "reconstruction_curve") + k for k in range(starts)]
        )
        fits = [Autoencoder(int(size), random_state=s, **settings).fit(X) for s in seeds]
        curve[int(size)] = min(fit.reconstruction_error_ for fit in fits)
    return curve
