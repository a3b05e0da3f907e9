from typing import Annotated

import numpy
from numpy.typing import NDArray


class World:
    def __init__(self, *, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], next: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cumulated: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], earned: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: int, discount: float) -> None: ...

class LearningRule:
    def __init__(self, *, kind: int, trace: int, planning: int, fade: float, rate: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], explore: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], softmax: int, lookahead: int) -> None: ...

def experience(*, world: World, rule: LearningRule, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], q2: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], visits: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], policy: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], episodes: int, most_steps: int, all_steps: int, done: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], log: bool) -> tuple: ...

class Companion:
    def __init__(self, world: World, rule: LearningRule, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], q2: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], visits: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def begin(self, state: int) -> int: ...

    def step(self, reward: float, after: int, terminated: bool, truncated: bool) -> int: ...
