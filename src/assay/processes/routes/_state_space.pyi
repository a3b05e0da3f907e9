"""A Gaussian process on a line as a chain of states."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class Chain:
    def __init__(self, *, A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], P0: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], noise: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Pass:
    def __init__(self, *, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], innovation: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def filter(chain: Chain, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pass_: Pass) -> int: ...

def smooth(chain: Chain, pass_: Pass, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def solve(chain: Chain, pass_: Pass, u: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], D: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def score(*, chain: Chain, pass_: Pass, u: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], D: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], by_A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], by_Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], by_P0: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...
