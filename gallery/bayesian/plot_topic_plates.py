"""
Latent Dirichlet allocation as a plate diagram
==============================================

A box is repeated as often as the number in its corner says. Every document has a mixture of topics, every token a
topic from that mixture and a word from that topic; the K topics are shared by all documents. Shaded is what is seen.
"""

import matplotlib.pyplot as plt
from matplotlib.patches import Circle, FancyBboxPatch

RADIUS = 0.34
places = {
    r"$\alpha$": (0.0, 0.0),
    r"$\pi^d$": (1.8, 0.0),
    r"$z_i^d$": (3.6, 0.0),
    r"$x_i^d$": (5.4, 0.0),
    r"$w_k$": (5.4, 2.2),
    r"$\beta$": (3.2, 2.2),
}
edges = [(r"$\alpha$", r"$\pi^d$"), (r"$\pi^d$", r"$z_i^d$"), (r"$z_i^d$", r"$x_i^d$")]
edges += [(r"$w_k$", r"$x_i^d$"), (r"$\beta$", r"$w_k$")]
plates = {  # what is repeated: left, bottom, width, height
    r"$N_d$ tokens": (2.95, -0.95, 3.2, 1.65),
    r"$D$ documents": (1.15, -1.4, 5.25, 2.3),
    r"$K$ topics": (4.75, 1.45, 1.5, 1.3),
}

figure, axis = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
for number, (left, bottom, width, height) in plates.items():
    axis.add_patch(FancyBboxPatch((left, bottom), width, height, boxstyle="round,pad=0.05", fill=False))
    axis.text(left + width - 0.02, bottom + 0.06, number, ha="right", va="bottom", fontsize=9)
for a, b in edges:
    style = {"arrowstyle": "-|>", "shrinkA": 22, "shrinkB": 22, "color": "black"}
    axis.annotate("", places[b], places[a], arrowprops=style)
for name, place in places.items():
    face = "#c9c9c9" if name.startswith("$x") else "white"
    axis.add_patch(Circle(place, RADIUS, facecolor=face, edgecolor="black", zorder=3))
    axis.text(*place, name, ha="center", va="center", fontsize=13, zorder=4)
notes = {
    r"$\pi^d$": "mixture ~ Dir(α)",
    r"$z_i^d$": r"topic ~ $\pi^d$",
    r"$x_i^d$": r"word ~ $w_{z_i}$",
    r"$w_k$": "words ~ Dir(β)",
}
for name, note in notes.items():
    above = 0.5 if name == r"$w_k$" else -0.52
    x, y = places[name]
    axis.text(x, y + above, note, ha="center", va="center", fontsize=8, color="#444444")
axis.set(xlim=(-0.6, 6.7), ylim=(-1.7, 3.1), aspect="equal")
axis.axis("off")
plt.show()
