"""The urns that the oracles of this room are about: three urns, balls of four colours."""

import numpy as np

from assay.sequences import CategoricalHMM

START = np.array([0.5, 0.2, 0.3])
A = np.array([[0.4, 0.3, 0.3], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
B = np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.6, 0.2, 0.1], [0.1, 0.1, 0.6, 0.2]])  # red, blue, green, yellow
O = [0, 0, 2, 1, 3]


def urns(**settings):
    model = CategoricalHMM(3, **settings)
    model.startprob_, model.transmat_, model.emissionprob_ = START.copy(), A.copy(), B.copy()
    return model
