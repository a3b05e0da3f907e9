"""
A map of Europe from distances by road
======================================

Classical scaling gives 21 cities coordinates whose distances are nearest to those of the roads between them. The map
may come out turned or mirrored, and roads are longer than straight lines: Procrustes lays it on the true places. Where
roads go round a sea, cities move: Athens is far by road. No map has these distances exactly: nine of 21 eigenvalues are
negative, and the two axes hold three quarters of all.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.reduce import ClassicalMDS
from assay.stats import procrustes
from assay.tables.data import load_eurodist

roads = load_eurodist()
cities = list(roads.row_names)
mds = ClassicalMDS(metric="precomputed").fit(roads.X)

# Longitude and latitude in degrees, in the order of the cities; a degree of longitude is 71 km at 50 degrees north.
degrees = [
    (23.7, 38.0), (2.2, 41.4), (4.4, 50.8), (1.9, 50.9), (-1.6, 49.6), (7.0, 50.9), (12.6, 55.7), (6.1, 46.2),
    (-5.4, 36.1), (10.0, 53.6), (4.1, 52.0), (-9.1, 38.7), (4.8, 45.8), (-3.7, 40.4), (5.4, 43.3), (9.2, 45.5),
    (11.6, 48.1), (2.4, 48.9), (12.5, 41.9), (18.1, 59.3), (16.4, 48.2),
]  # fmt: skip
places = np.array(degrees) * [71.0, 111.0]
aligned = procrustes(mds.embedding_, places)
Z = aligned.points

figure, axes = plt.subplots(1, 2, figsize=(13, 6.6), layout="constrained", width_ratios=[1.9, 1])
axes[0].scatter(*Z.T, s=14, color="#1f4e79")
axes[0].plot(*np.stack([Z, places]).transpose(2, 0, 1), color="#c0392b", linewidth=0.8)
axes[0].scatter(*places.T, s=14, facecolors="none", edgecolors="#c0392b", label="true places")
left = {
    "Calais",
    "Cherbourg",
    "Paris",
    "Lyons",
    "Gibraltar",
    "Athens",
}  # of their points, where others are near
for city, (x, y) in zip(cities, Z):
    to = (
        {"xytext": (-4, -3 if city == "Calais" else -7), "ha": "right"}
        if city in left
        else {"xytext": (5, -3)}
    )
    axes[0].annotate(city, (x, y), textcoords="offset points", fontsize=7, **to)
axes[0].margins(x=0.1)  # room for the names at the left end
axes[0].set(aspect="equal", title="21 cities by their roads, north up", xlabel="km east", ylabel="km north")
axes[0].legend(loc="upper left")
axes[1].bar(range(1, 22), mds.spectrum_ / 1e6, color=np.where(mds.spectrum_ < 0, "#c0392b", "#1f4e79"))
axes[1].set(
    title=f"Eigenvalues: two hold {mds.goodness_of_fit_[0]:.0%} of all, {(mds.spectrum_ < 0).sum()} are negative",
    xlabel="axis",
    ylabel="eigenvalue, millions of square km",
)
plt.show()
