from typing import Annotated

import numpy
from numpy.typing import NDArray

import assay.associations._baskets


def mine(*, baskets: assay.associations._baskets.Baskets, code: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, steps: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], least: int, max_size: int, kind: int, universal: int, budget: int, room: int) -> tuple: ...
