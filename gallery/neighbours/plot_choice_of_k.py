"""
How many neighbours?
====================

The answer for one row flips with the number of neighbours that vote. Cross-validation tells which number answers best
for rows it has not seen: here on the breast cancer data, five folds, k from 1 to 9.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.preprocessing import StandardScaler

from assay.core.palette import class_colour
from assay.neighbors import KNeighborsClassifier

X = np.array([[0, 0], [1, 0], [0, 1], [3, 3], [4, 3], [3, 4], [2, 2]], dtype=float)
y = np.repeat(["C1", "C2"], [3, 4])
query = np.array([[1.2, 1.2]])

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for c, label in enumerate(("C1", "C2")):
    left.plot(*X[y == label].T, "os"[c], ms=9, color=class_colour(c), label=label)
left.plot(*query.T, "*", ms=15, color="#15202b", label="asked for")
for k, style in ((1, "-"), (3, "--"), (5, ":")):
    model = KNeighborsClassifier(k).fit(X, y)
    reach = model.kneighbors(query)[0][0, -1]
    said = f"k = {k}: {model.predict(query)[0]}"
    left.add_patch(plt.Circle(query[0], reach, fill=False, ls=style, lw=1.5, color="#15202b", label=said))
left.set(aspect="equal", xlim=(-3.2, 5.2), ylim=(-1.8, 5.6), title="One row, asked three times")
left.legend(frameon=False, loc="upper left")

# The book's figure: mean accuracy against k. Rows are standardised over all of them, as there.
features, target = load_breast_cancer(return_X_y=True)
features = StandardScaler().fit_transform(features)
train, _, y_train, _ = train_test_split(features, target, test_size=0.2, random_state=2020)
ks = np.arange(1, 10)
means = [
    cross_val_score(KNeighborsClassifier(int(k)), train, y_train, cv=StratifiedKFold(5)).mean() for k in ks
]
right.plot(ks, means, "--o", color="red")
right.set(
    xlabel="k", ylabel="mean accuracy of five folds", title=f"Best: k = {ks[np.argmax(means)]}", xticks=ks
)
plt.show()
