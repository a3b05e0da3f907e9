"""
Support and confidence, high and low
====================================

Four sets of ten baskets. Support says how often X and Y are bought together, confidence how often Y is bought by those
who buy X; support is never above confidence, so that "high" is meant in relation. Only the first rule is both sure and
frequent; the third is as sure, but rests on a single customer; the second is frequent, yet says nothing: everybody buys
X, so that its lift is 1.
"""

import matplotlib.pyplot as plt

from assay.associations import Baskets, association
from assay.core.palette import class_colour

# how many of ten baskets hold: X and Y, X alone, Y alone, neither
cases = {
    "high support, high confidence": (8, 0, 0, 2),
    "high support, low confidence": (4, 6, 0, 0),
    "low support, high confidence": (1, 0, 0, 9),
    "low support, low confidence": (1, 7, 0, 2),
}

found = {}
figure, axes = plt.subplots(1, 4, figsize=(12, 3.6), sharey=True, layout="constrained")
for ax, (name, (both, x, y, neither)) in zip(axes, cases.items()):
    lists = [["X", "Y"]] * both + [["X"]] * x + [["Y"]] * y + [["tea"]] * neither
    rule = found[name] = association(Baskets.from_lists(lists), "X", "Y")
    for row, items in enumerate(lists):
        for column, item in enumerate("XY"):
            held = item in items
            look = {"facecolor": class_colour(column) if held else "none", "edgecolor": "#9aa4af"}
            ax.add_patch(plt.Rectangle((column, row), 0.9, 0.85, **look))
    ax.set(title=name.replace(", ", ",\n"), xlim=(-0.2, 2.1), ylim=(10.1, -0.3))
    ax.set_xticks([0.45, 1.45], ["X", "Y"])
    ax.set_xlabel(f"support {rule.support:.2g}\nconfidence {rule.confidence:.3g}\nlift {rule.lift:.3g}")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
axes[0].set_ylabel("ten baskets")
axes[0].set_yticks([])
plt.show()
