"""
Who gives to charity: a tree with its people, and one slanted line
==================================================================

Eleven people by age and salary. The tree of the book asks for the age first and then for the salary; four pure
leaves hold all people. One test of a weighted sum, Age/50 + Salary/50000 > 2, does the same.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.core.palette import class_colour
from assay.plots import TreeDisplay
from assay.tables.data import load_charity_donors
from assay.trees import Tree, outline_of

data = load_charity_donors()
X, y, names = data.X.values, np.asarray(data.y), np.array(data.row_names)


def leaf(share, n):
    return {"value": [1 - share, share], "n": n}


tree = Tree.of(
    {
        "feature": 0,
        "threshold": 50.0,
        "children": [
            {"feature": 1, "threshold": 60000.0, "children": [leaf(0, 4), leaf(1, 1)]},
            {"feature": 1, "threshold": 50000.0, "children": [leaf(0, 1), leaf(1, 5)]},
        ],
    },
    n_categories=[0, 0],
)
leaves = tree.apply(X)
people = {
    i: "\n".join(", ".join(names[leaves == i][k : k + 2]) for k in range(0, 6, 2)).strip()
    for i in np.unique(leaves)
}
oblique = X[:, 0] / 50 + X[:, 1] / 50000

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
TreeDisplay(outline_of(tree, data.X.schema, data.classes), people).plot(left)
for k, label in enumerate(data.classes):
    right.scatter(*X[y == label].T, color=class_colour(k), marker="os"[k], label=f"donor: {label}")
right.plot([50, 50], [20000, 80000], color="#5f6975", lw=1)
right.plot([15, 50], [60000, 60000], color="#5f6975", lw=1)
right.plot([50, 70], [50000, 50000], color="#5f6975", lw=1, label="tests of one column")
ages = np.array([15.0, 70.0])
right.plot(ages, 50000 * (2 - ages / 50), "--", color="black", lw=1.2, label="Age/50 + Salary/50000 = 2")
for (age, salary), name in zip(X, names):
    right.annotate(name, (age, salary), (4, 3), textcoords="offset points", fontsize=8)
right.set(xlabel="Age", ylabel="Salary", xlim=(15, 70), ylim=(20000, 80000))
right.legend(fontsize=8, loc="lower left")
plt.show()
