"""
Topics found in pictures of bars
================================

The words are the 25 pixels of a small picture, the topics are its rows and columns, and a document is a handful of
pixels drawn from a mixture of them (Griffiths and Steyvers, 2004). Gibbs sampling has only the documents, in the first
row, and finds the ten bars again.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment

from assay.reduce import LatentDirichletAllocation, make_documents

rows = np.repeat(np.eye(5), 5, axis=1)  # (5, 25): pixels of each row
columns = np.tile(np.eye(5), 5)
bars = np.vstack([rows, columns]) / 5
made = make_documents(800, topics=bars, length=80, doc_topic_prior=0.5, random_state=0)
model = LatentDirichletAllocation(
    10,
    learning_method="gibbs",
    doc_topic_prior=0.5,
    topic_word_prior=0.1,
    n_sweeps=200,
    n_chains=2,
    random_state=0,
).fit(made.counts)

distance = np.abs(bars[:, None] - model.topic_words()[None]).sum(axis=2) / 2  # total variation
order = linear_sum_assignment(distance)[1]
found = model.topic_words()[order]

figure, axes = plt.subplots(3, 10, figsize=(9, 3.4), layout="constrained")
for k in range(10):
    axes[0, k].imshow(made.counts[[k]].toarray().reshape(5, 5), cmap="gray_r")
    axes[1, k].imshow(bars[k].reshape(5, 5), cmap="gray_r", vmin=0, vmax=0.22)
    axes[2, k].imshow(found[k].reshape(5, 5), cmap="gray_r", vmin=0, vmax=0.22)
for axis, label in zip(axes[:, 0], ("documents", "true topics", "found topics")):
    axis.set_ylabel(label)
for axis in axes.ravel():
    axis.set(xticks=[], yticks=[])
plt.show()
