from typing import Annotated

import numpy
from numpy.typing import NDArray


class Process:
    def __init__(self, *, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], next: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], chance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], discount: float) -> None: ...

def improve_values(process: Process, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], most: int, tolerance: float, in_place: bool) -> tuple: ...

def follow(process: Process, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], policy: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sweeps: int) -> float: ...

def walk(*, process: Process, earned: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], policy: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], episodes: int, most_steps: int, seed: int) -> tuple: ...
