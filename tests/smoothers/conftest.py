"""The eight rows whose smoothed values the tables of chapter 8 print."""

import numpy as np
import pytest


@pytest.fixture
def eight():
    """x, r and the four queries."""
    x = np.arange(8.0)[:, None]
    r = np.array([1, 2, 1.5, 4, 5, 4.5, 7, 6])
    return x, r, np.array([[0.5], [2.0], [3.25], [6.0]])


@pytest.fixture
def waves():
    """200 noisy rows of a wave, some x twice."""
    random = np.random.default_rng(5)
    x = random.uniform(0, 10, 200).round(2)
    return x[:, None], np.sin(x) + random.normal(0, 0.3, 200)
