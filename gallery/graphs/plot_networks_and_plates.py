"""
Networks, plates and decisions as diagrams
==========================================

Naive Bayes: given the class, columns are independent. Bayesian regression: weights are drawn once, rows N times, which
the
plate says; shaded nodes are observed. A decision (box) knows x, and its worth (diamond) depends on it and on the true
class.
"""

import matplotlib.pyplot as plt

from assay.graphs import Diagram, load_network
from assay.plots import GraphDisplay

naive = Diagram(["C", "x1", "x2", "x3"], [("C", f"x{j}") for j in (1, 2, 3)], observed=["x1", "x2", "x3"])
regression = Diagram(
    ["α", "w", "β", "x", "r"],
    [("α", "w"), ("w", "r"), ("x", "r"), ("β", "r")],
    shapes={"α": "point", "β": "point"},
    observed=["x", "r"],
    plates={"t = 1..N": ["x", "r"]},
)
decision = Diagram(
    ["C", "x", "choice", "utility"],
    [("C", "x"), ("x", "choice"), ("C", "utility"), ("choice", "utility")],
    shapes={"choice": "box", "utility": "diamond"},
    observed=["x"],
)
chest = load_network("asia").diagram(evidence={"smoke": "yes", "xray": "yes"})

figure, axes = plt.subplots(2, 2, figsize=(9, 8), layout="constrained")
titles = ("Naive Bayes", "Bayesian regression", "A classification as a decision", "Asia, given two findings")
for axis, title, diagram in zip(axes.flat, titles, (naive, regression, decision, chest)):
    GraphDisplay(diagram).plot(axis)
    axis.set_title(title, fontsize=11)
plt.show()
