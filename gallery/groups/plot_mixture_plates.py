"""
A Gaussian mixture as a plate diagram
=====================================

A box is repeated as often as the number in its corner says. Each of N rows has a hidden component, drawn by the
weights, and a value drawn from the Gaussian of that component; weights, means and precisions have priors of their own.
Only the shaded value is seen. Learning goes against the arrows.
"""

import matplotlib.pyplot as plt
from matplotlib.patches import Circle, Rectangle

NODES = {  # name: place, words below, what it depends on
    "α": ((0, 2.4), "", ""),
    "π": ((1.8, 2.4), "weights ~ Dir(α)", "α"),
    "z": ((1.8, 0.4), "component ~ π", "π"),
    "x": ((4.2, 0.4), "value ~ N(μ, Λ⁻¹)", "zμΛ"),
    "μ": ((4.2, 2.4), "~ N(μ₀, (κ₀Λ)⁻¹)", "Λ"),
    "Λ": ((6.4, 2.4), "~ Wishart(ν₀, V₀)", ""),
}
PLATES = [((1.0, -0.75), 4.2, 1.8, "N rows"), ((3.3, 1.4), 4.2, 1.7, "K components")]

figure, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
for corner, width, height, number in PLATES:
    ax.add_patch(Rectangle(corner, width, height, fill=False, lw=1.2, edgecolor="#57606a"))
    ax.text(corner[0] + width - 0.08, corner[1] + 0.08, number, ha="right", va="bottom", fontsize=9)
for name, (place, words, parents) in NODES.items():
    for parent in parents:
        bend = "arc3,rad=-0.15" if parent + name == "Λx" else "arc3"
        arrow = {"arrowstyle": "-|>", "shrinkA": 19, "shrinkB": 19, "lw": 1.2, "connectionstyle": bend}
        ax.annotate("", place, NODES[parent][0], arrowprops=arrow)
    ax.add_patch(
        Circle(place, 0.36, facecolor="#c8d1da" if name == "x" else "white", edgecolor="black", zorder=3)
    )
    ax.text(*place, name, ha="center", va="center", fontsize=14, zorder=4)
    above = 0.52 if place[1] > 1 else -0.52
    ax.text(place[0], place[1] + above, words, ha="center", va="center", fontsize=8, color="#444444")
ax.set(xlim=(-0.6, 7.7), ylim=(-1.0, 3.3), aspect="equal")
ax.axis("off")
plt.show()
