"""
Family cars: the boxes that agree with the examples
===================================================

Nine cars, four of them family cars. A hypothesis is a rectangle in price and engine power. Where it differs from the
true class C it makes false positives and false negatives. S is the tightest rectangle around the family cars, G the
widest one without another car; every rectangle between them agrees with all examples, and cars between them are in
doubt. The middle one leaves the widest margin; only the ringed cars have a say in it.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from assay.core.palette import class_colour
from assay.rulebase.conditions import Condition
from assay.rules import Box, BoxClassifier, VersionSpace, hypothesis_areas

cars = np.array([[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]], float)
family = np.array([True] * 4 + [False] * 5)
space = VersionSpace.of(cars, family, names=["price", "power"])
model = BoxClassifier(positive=True).fit(cars, family)
truth = Box((Condition(0, 2.2, 6.6, "both"), Condition(1, 2.4, 7, "both")))
wrong = Box((Condition(0, 3, 7.6, "both"), Condition(1, 1.6, 6, "both")))
areas = hypothesis_areas(wrong, truth, [[0, 10], [0, 10]])
blue, orange, green, grey = class_colour(0), class_colour(5), class_colour(2), "#8a94a0"


def draw_cars(axis):
    axis.scatter(*cars[family].T, marker="+", s=90, color=blue, linewidths=2, zorder=3)
    axis.scatter(*cars[~family].T, marker="_", s=90, color=orange, linewidths=2, zorder=3)
    axis.set(xlim=(0, 10), ylim=(0, 10), xlabel="price", ylabel="engine power", aspect="equal")


def draw_box(axis, box, **style):
    (x, y) = box.conditions
    patch = Rectangle((x.low, y.low), x.high - x.low, y.high - y.low, **{"fill": False, "lw": 1.8, **style})
    axis.add_patch(patch)
    return patch


figure, axes = plt.subplots(2, 3, figsize=(12, 8), layout="constrained")
for axis in axes.flat[:5]:
    draw_cars(axis)

axes[0, 0].set_title("the examples")

axis = axes[0, 1]
h = model.rules_[0]
draw_box(axis, h, edgecolor=blue)
for name, c, across in zip(("p", "e"), h.conditions, (True, False)):
    for number, end in enumerate((c.low, c.high), 1):
        (axis.axvline if across else axis.axhline)(end, color=grey, lw=0.8, ls=":")
        place = (end + 0.12, 0.15) if across else (9.85, end + 0.12)
        axis.text(*place, f"{name}{number}", ha="left" if across else "right", color="#333333")
axis.set_title("a hypothesis: p1 ≤ price ≤ p2, e1 ≤ power ≤ e2", fontsize=10)

axis = axes[0, 2]
for outer, name, colour in ((wrong, "false positives", orange), (truth, "false negatives", blue)):
    draw_box(axis, outer, fill=True, facecolor=colour, alpha=0.25, lw=0, label=name)
x, y = (a & b for a, b in zip(truth.conditions, wrong.conditions))
axis.add_patch(Rectangle((x.low, y.low), x.high - x.low, y.high - y.low, facecolor="white", lw=0))
draw_box(axis, truth, edgecolor=blue)
draw_box(axis, wrong, edgecolor=orange, ls="--")
axis.text(2.3, 6.6, "C", color=blue)
axis.text(7.3, 1.75, "h", color=orange)
axis.legend(loc="upper left", fontsize=8)
axis.set_title(f"areas of error: {areas.fp:.2f} and {areas.fn:.2f}")

axis = axes[1, 0]
draw_box(axis, space.general[0], edgecolor=green, facecolor="#f1f3f5", fill=True)
draw_box(axis, space.specific, edgecolor=blue, facecolor="white", fill=True)
axis.text(1.15, 8.35, "G", color=green)
axis.text(3.15, 5.4, "S", color=blue)
axis.text(6.5, 7.2, "doubt", color="#555555", ha="center")
axis.set_title("S, G, and doubt between them")

axis = axes[1, 1]
draw_box(axis, space.general[0], edgecolor=green, ls=":", lw=1.2)
draw_box(axis, space.specific, edgecolor=blue, ls=":", lw=1.2)
draw_box(axis, space.between(), edgecolor="black")
support = model.support_[0]
axis.scatter(*cars[support].T, s=260, facecolors="none", edgecolors="black", lw=0.9)
axis.set_title("the widest margin, and who defines it")

axis = axes[1, 2]
near = VersionSpace.of(np.vstack([cars, [7, 7.5]]), np.append(family, False))
draw_cars(axis)
axis.scatter(7, 7.5, marker="_", s=90, color=orange, linewidths=2)
axis.annotate("near miss", (7, 7.5), textcoords="offset points", xytext=(-5, -12), ha="right", fontsize=9)
for general, style in zip(near.general, ("--", "-.")):
    draw_box(axis, general, edgecolor=green, ls=style)
draw_box(axis, near.specific, edgecolor=blue)
axis.set_title("a near miss: two most general boxes")
plt.show()
