"""
Naive Bayes as a graph: a star
==============================

Given the class, the columns are independent: the class is the only parent of each. The edges show how much each
column tells about the class (mutual information, in bits).
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.bayes import NaiveBayes, dependency_graph
from assay.tables.data import load_weather

data = load_weather()
model = NaiveBayes().fit(data.X, data.y)
names = data.X.schema.names
graph = dependency_graph(model, target="play")  # graph.to_svg() draws it without matplotlib
edges = graph.edges

angles = np.linspace(np.pi * 0.15, np.pi * 0.85, len(names))[::-1]
places = {name: (2.2 * np.cos(a), -1.6 * np.sin(a)) for name, a in zip(names, angles)}
places["play"] = (0.0, 0.6)
figure, axis = plt.subplots(figsize=(7, 4.5), layout="constrained")
for parent, child in edges:
    axis.annotate(
        "", places[child], places[parent], arrowprops={"arrowstyle": "-|>", "shrinkA": 24, "shrinkB": 24}
    )
    middle = np.mean([places[parent], places[child]], axis=0)
    axis.text(*middle, graph.labels[parent, child], ha="center", fontsize=8, backgroundcolor="white")
for name, place in places.items():
    face = "#fde7c8" if name == "play" else "#dbe9f8"
    axis.text(*place, name, ha="center", va="center", bbox={"boxstyle": "round,pad=0.6", "facecolor": face})
axis.set(xlim=(-3.2, 3.2), ylim=(-2.4, 1.3))
axis.axis("off")
plt.show()
