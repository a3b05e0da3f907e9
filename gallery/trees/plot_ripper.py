"""
Rules that get shorter
======================

The class is two boxes, and one label in ten is wrong. RIPPER adds rules, each pruned on rows that it was not grown
with, until one errs too often or the description of rules and errors has become 64 bits too long; then it drops what
does not pay, and polishes the rest twice. The steps are those of ``history_``: a hollow mark is a rule that was not
kept.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from assay.core.palette import class_colour
from assay.rules import RipperClassifier

rng = np.random.default_rng(0)
X = rng.uniform(0, 10, (1200, 2)).round(2)
boxes = [((1, 4), (5, 9)), ((5, 9), (1, 6))]  # from, to in x0; from, to in x1
inside, (a, b) = np.zeros(len(X), bool), X.T
for (x0, x1), (y0, y1) in boxes:
    inside |= (x0 < a) & (a < x1) & (y0 < b) & (b < y1)
y = inside ^ (rng.random(len(X)) < 0.1)
model = RipperClassifier(random_state=3).fit(X, y)
print(model)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for k, name in ((1, "in the class"), (0, "not")):
    left.scatter(*X[y == k].T, s=9, color=class_colour(k), alpha=0.6, label=name)
for (x0, x1), (y0, y1) in boxes:
    left.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, ls="--", lw=1.5, ec="#555555"))
for rule in model.rules_:
    ends = {c.column: (max(c.low, 0), min(c.high, 10)) for c in rule.conditions}
    (x0, x1), (y0, y1) = ends.get(0, (0, 10)), ends.get(1, (0, 10))
    left.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, lw=2.2, ec="black"))
left.plot([], [], "--", color="#555555", label="the boxes")
left.plot([], [], color="black", lw=2.2, label="the rules")
left.set(xlim=(0, 10), ylim=(0, 10), xlabel="x0", ylabel="x1", title="What was found")
left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=4)

marks = {
    "added": ("o", 0),
    "as it was": ("s", 0),
    "revised": ("D", 2),
    "replaced": ("^", 2),
    "deleted": ("v", 1),
    "errs too often": ("X", 1),
    "description too long": ("X", 1),
}
bits = [step["bits"] for step in model.history_]
right.plot(np.arange(1, len(bits) + 1), bits, color="#bbbbbb", lw=1, zorder=1)
for why, (mark, colour) in marks.items():
    at = [i for i, step in enumerate(model.history_) if step["why"] == why]
    if at:
        kept = model.history_[at[0]]["kept"]
        face = class_colour(colour) if kept else "white"
        right.scatter(np.array(at) + 1, [bits[i] for i in at], marker=mark, s=55, label=why, zorder=2,
                      facecolor=face, edgecolor=class_colour(colour), linewidths=1.6)  # fmt: skip
for stage in ("optimise 1", "optimise 2"):
    first = next(i for i, step in enumerate(model.history_) if step["stage"] == stage)
    right.axvline(first + 0.5, color="#999999", ls=":")
    right.text(first + 0.6, max(bits), stage, va="top", fontsize=9)
right.set(xlabel="rule tried", ylabel="description length with it, bits", title="How it was found")
right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3)
plt.show()
