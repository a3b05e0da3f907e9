"""
A map of units
==============

A self-organising map lays a lattice of units over the rows. On even rows in a square it unfolds like a net; on the iris
flowers it shows by the distances between its units where one group ends.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.local import SelfOrganizingMap
from assay.plots import SelfOrganizingMapDisplay
from assay.tables.data import load_iris

square = np.random.default_rng(0).uniform(size=(1500, 2))
net = SelfOrganizingMap((10, 10), random_state=0).fit(square)
flowers = load_iris().X
model = SelfOrganizingMap((8, 8), topology="hexagonal", random_state=0).fit(flowers)

figure, axes = plt.subplots(1, 3, figsize=(13, 4.2))
SelfOrganizingMapDisplay(net, square).plot("lattice", axes[0])
SelfOrganizingMapDisplay(model, flowers).plot("hits", axes[1])
SelfOrganizingMapDisplay(model, flowers).plot("distances", axes[2])
figure.tight_layout()
