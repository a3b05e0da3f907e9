"""Deep networks layer by layer: greedy pretraining by autoencoders."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from assay.core.parameters import Accepted, Any_, Count, Range, check
from assay.core.seeds import as_generator
from assay.errors import DataError
from assay.neural.arguments import are_counts, finite_numbers
from assay.neural.backpropagation import minimize_error
from assay.neural.layers.dense import Dense
from assay.neural.network import Network
from assay.neural.penalties import WeightDecay
from assay.types import RandomState

__all__ = ["pretrained_network"]


def pretrained_network(
    X: ArrayLike,
    sizes: Sequence[int],
    outputs: int,
    *,
    activation: str = "logistic",
    output: str = "softmax",
    decay: float = 1e-3,
    max_iter: int = 100,
    random_state: RandomState = None,
) -> Network:
    """A deep network whose hidden layers were trained one after the other as autoencoders, without labels.

    The first autoencoder learns to reproduce the rows, the next one the codes of the first, and so on; the decoders are
    dropped and an output layer with random weights is added. Fine-tune all weights with labelled rows
    (:func:`minimize_error`, :func:`backpropagation`).

    Parameters
    ----------
    X : (n, d) rows, with or without labels
    sizes : of the hidden layers
    outputs : of the network
    activation, output : of the hidden and of the output units
    decay : weight decay of the autoencoders
    max_iter : steps of each autoencoder
    random_state : seed of first weights

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import pretrained_network
    >>> X = np.random.default_rng(0).random((50, 6))
    >>> pretrained_network(X, [4, 3], 2, max_iter=10, random_state=0).shapes
    [(6,), (4,), (3,), (2,)]

    See Also
    --------
    Autoencoder, minimize_error

    References
    ----------
    - Bengio, Y., Lamblin, P., Popovici, D. and Larochelle, H. (2007). Greedy layer-wise training of deep networks.
      Advances in Neural Information Processing Systems 19, 153-160.
    """
    who = "pretrained_network"
    accepted: dict[str, Accepted | None] = {
        "sizes": Any_("a list of whole numbers from 1 up", are_counts),
        "outputs": Count(),
        "decay": Range(0),
        "max_iter": Count(0),
    }
    check(who, accepted, {"sizes": sizes, "outputs": outputs, "decay": decay, "max_iter": max_iter})
    random = as_generator(random_state, who)
    codes = finite_numbers(X, who, "X")
    if codes.ndim != 2 or not codes.size:
        raise DataError(f"X must be rows of numbers, got the shape {codes.shape}.", who=who)
    d = codes.shape[1]
    encoders = []
    for size in sizes:
        net = Network([Dense(int(size), activation), Dense(codes.shape[1])], codes.shape[1], random)
        minimize_error(net, codes, codes, penalties=[WeightDecay(decay, biases=False)], max_iter=max_iter)
        encoders += [net.parts[0]["W"].copy(), net.parts[0]["b"].copy()]
        codes = net.hidden(codes)[0]
    hidden = [Dense(int(size), activation) for size in sizes]
    whole = Network([*hidden, Dense(outputs, output)], d, random)
    return whole.load(*encoders, *whole.parts[-1].values())
