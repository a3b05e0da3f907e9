"""Smoothing splines in linear time."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def smooth(*, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: float, g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], leverages: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def shares(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: float, on_values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], on_bends: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...
