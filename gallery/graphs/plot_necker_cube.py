"""
The Necker cube: two readings, equally good
===========================================

Sixteen units: eight corners, each read as in front or as behind. Neighbours of one reading excite each other, rivals
at a
corner inhibit each other. Of all 65536 configurations exactly two have the largest score: the two cubes that people
see.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.graphs import necker_cube

cube = necker_cube()
states = (np.arange(1 << 16)[:, None] >> np.arange(16)) & 1
score = np.zeros(1 << 16)
for scope, table in zip(cube.scopes, cube.tables):
    score += np.log(table)[states[:, scope[0]], states[:, scope[1]]]
best = np.flatnonzero(score > score.max() - 1e-9)

corners = np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)], float)
places = corners[:, :2] * 2 + corners[:, 2:] * [0.9, 0.6]
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
for axis, which in zip(axes, best):
    first = states[which, :8].all()
    near = 0 if first else 1
    for i, j in np.argwhere(np.triu(abs(corners[:, None] - corners).sum(axis=2) == 1)):
        hidden = any(
            corners[k, 2] != near and (corners[k, :2] == ([0, 0] if first else [1, 1])).all() for k in (i, j)
        )
        axis.plot(*places[[i, j]].T, color="#2f6fb0", lw=1.2 if hidden else 2.4, ls=":" if hidden else "-")
    axis.set(aspect="equal", title=f"{'first' if first else 'second'} reading, score {score[which]:.0f}")
    axis.axis("off")
axes[2].hist(score, bins=np.arange(-16.5, 14), color="#8a94a3")
axes[2].set(yscale="log", xlabel="score", ylabel="configurations", title="all configurations")
plt.show()
