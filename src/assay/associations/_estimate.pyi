from typing import Annotated

import numpy
from numpy.typing import NDArray

import assay.associations._baskets


def probe(baskets: assay.associations._baskets.Baskets, branches: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: int, max_size: int, seed: int, sizes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...
