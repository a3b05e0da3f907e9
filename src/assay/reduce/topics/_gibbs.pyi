from typing import Annotated

import numpy
from numpy.typing import NDArray


class Corpus:
    def __init__(self, *, word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], view: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def sweep(*, corpus: Corpus, z: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], word_topic: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], topic: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], beta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], K: int, gamma: float, random: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], first: int, last: int, sweeps: int) -> tuple[int, int]: ...

def count(corpus: Corpus, z: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], word_topic: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], topic: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def tables(corpus: Corpus, z: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], random: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], opened: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...
