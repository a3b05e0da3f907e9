"""
Three classes: their discriminants in the plane and above it
============================================================

First the plane: thin lines where the discriminant of a class is 0, with arrows to its positive side, and thick lines
where the largest of the three changes. Then the discriminants above the plane, and below them the posteriors that the
softmax makes of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.linear import LogisticRegression
from assay.plots import BoundaryDisplay
from assay.tables.generators import make_gaussian_classes

data = make_gaussian_classes(150, [[1, 1], [3.2, 1.2], [1.8, 3.2]], np.diag([0.25, 0.25]), random_state=2)
X, y = data.X.values, np.array(["C1", "C2", "C3"])[data.codes]
model = LogisticRegression().fit(X, y)

display = BoundaryDisplay.from_estimator(model, X, y, normals=True, margin=0.1)
display.ax_.legend(loc="upper right")
display.ax_.set_title("thin: a discriminant is 0; thick: the largest changes")

first, second = np.meshgrid(np.linspace(-0.5, 4.5, 60), np.linspace(-0.5, 4.5, 60))
points = np.column_stack((first.ravel(), second.ravel()))
scores = model.decision_function(points).reshape(60, 60, 3)
posterior = model.predict_proba(points).reshape(60, 60, 3)
figure = plt.figure(figsize=(11, 7.5), layout="constrained")
for row, (table, what) in enumerate([(scores, "g"), (posterior, "P")]):
    for k in range(3):
        axis = figure.add_subplot(2, 3, 3 * row + k + 1, projection="3d")
        axis.plot_surface(first, second, table[:, :, k], color=class_colour(k), alpha=0.9, linewidth=0)
        axis.set(xlabel="x1", ylabel="x2", title=f"{what}{k + 1}(x)")
        if row:
            axis.set_zlim(0, 1)
        axis.view_init(elev=35, azim=-70)
plt.show()
